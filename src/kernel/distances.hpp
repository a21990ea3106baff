#pragma once

#include "columns.hpp"
#include "lanes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace infosift {

// A plain comparison, unlike std::fmax, compiles to one vector instruction.
INFOSIFT_INLINE double larger(double a, double b) { return a < b ? b : a; }

/// out[j] = max norm over the columns of row j minus row `origin`; zero everywhere for no columns.
///
/// The row itself is out of reach, so that it is never its own neighbour.
INFOSIFT_INLINE void max_norm_from(std::size_t origin, const Columns &columns, std::span<double> out) {
    std::fill(out.begin(), out.end(), 0.0);
    for (std::size_t c = 0; c < columns.count(); ++c) {
        const auto column = columns[c];
        for (std::size_t j = 0; j < out.size(); ++j)
            out[j] = larger(out[j], std::abs(column[j] - column[origin]));
    }
    out[origin] = unreachable;
}

/// The same where values are missing: a row is compared in the columns that it has, with the rows that have them
/// too. The others are out of reach.
INFOSIFT_INLINE void add_distances_with_gaps(std::size_t origin, std::span<const double> column,
                                             std::span<double> out) {
    const double here = column[origin];
    if (std::isnan(here))
        return;
    for (std::size_t j = 0; j < out.size(); ++j)
        out[j] = larger(out[j], std::isnan(column[j]) ? unreachable : std::abs(column[j] - here));
}

/// Distances of all rows from one row, in the spaces that the estimate looks at.
struct RowDistances {
    explicit RowDistances(std::size_t rows)
        : given(rows), target(rows), features(rows), joint(rows), comparable_target(rows) {}

    /// What every candidate shares: the distances in the given columns and in the target.
    INFOSIFT_INLINE void move_to(std::size_t origin, const Columns &given_columns, const Columns &target_columns) {
        max_norm_from(origin, given_columns, given);
        max_norm_from(origin, target_columns, target);
    }

    /// What is the candidate's own: the distances with it added, with and without the target.
    INFOSIFT_INLINE void add_candidate(std::size_t origin, std::span<const double> candidate) {
        const double here = candidate[origin];
        for (std::size_t j = 0; j < candidate.size(); ++j) {
            features[j] = larger(given[j], std::abs(candidate[j] - here));
            joint[j] = larger(features[j], target[j]);
        }
    }

    /// The same where values are missing, of the given columns too; `target` is then to be read from
    /// `comparable_target`, in which rows that cannot be compared are out of reach.
    INFOSIFT_INLINE void add_candidate_with_gaps(std::size_t origin, const Columns &given_columns,
                                                 std::span<const double> candidate) {
        std::fill(features.begin(), features.end(), 0.0);
        for (std::size_t c = 0; c < given_columns.count(); ++c)
            add_distances_with_gaps(origin, given_columns[c], features);
        add_distances_with_gaps(origin, candidate, features);
        features[origin] = unreachable;
        for (std::size_t j = 0; j < candidate.size(); ++j) {
            joint[j] = larger(features[j], target[j]);
            comparable_target[j] = features[j] < unreachable ? target[j] : unreachable;
        }
    }

    std::vector<double> given;
    std::vector<double> target;
    std::vector<double> features;
    std::vector<double> joint;
    std::vector<double> comparable_target;
};

} // namespace infosift

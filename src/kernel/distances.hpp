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

/// Distances of all rows from one row, in the spaces that the estimate looks at.
struct RowDistances {
    explicit RowDistances(std::size_t rows) : given(rows), target(rows), features(rows), joint(rows) {}

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

    std::vector<double> given;
    std::vector<double> target;
    std::vector<double> features;
    std::vector<double> joint;
};

} // namespace infosift

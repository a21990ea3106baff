#include "algorithms.hpp"
#include "categories.hpp"
#include "cells.hpp"
#include "radii.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace infosift {

namespace {

/// Distances in the max norm of all rows from one row. The row itself is unreachable, so that it is never its own
/// neighbour.
struct RowDistances {
    explicit RowDistances(std::size_t rows)
        : given(rows), target(rows), features(rows), joint(rows), comparable_target(rows) {}

    /// What all candidates share: the distances in the given columns and in the target.
    INFOSIFT_INLINE void move_to(std::size_t origin, const Columns &given_columns, const Columns &target_columns) {
        measure(origin, given_columns, given);
        measure(origin, target_columns, target);
    }

    /// The distances with a candidate added, without and with the target.
    INFOSIFT_INLINE void add_candidate(std::size_t origin, std::span<const double> candidate) {
        const double here = candidate[origin];
        for (std::size_t j = 0; j < candidate.size(); ++j) {
            features[j] = larger(given[j], std::abs(candidate[j] - here));
            joint[j] = larger(features[j], target[j]);
        }
    }

    /// The same where values are missing: a row is compared in the columns that it has, with the rows that have
    /// them too. All others are unreachable, in `comparable_target` as well, which takes the place of `target`.
    INFOSIFT_INLINE void add_candidate_with_gaps(std::size_t origin, const Columns &given_columns,
                                                 std::span<const double> candidate) {
        std::fill(features.begin(), features.end(), 0.0);
        for (std::size_t c = 0; c < given_columns.count(); ++c)
            widen_with_gaps(origin, given_columns[c]);
        widen_with_gaps(origin, candidate);
        features[origin] = unreachable;
        for (std::size_t j = 0; j < candidate.size(); ++j) {
            joint[j] = larger(features[j], target[j]);
            comparable_target[j] = features[j] < unreachable ? target[j] : unreachable;
        }
    }

    std::vector<double> given, target, features, joint, comparable_target;

private:
    static INFOSIFT_INLINE void measure(std::size_t origin, const Columns &columns, std::span<double> out) {
        std::fill(out.begin(), out.end(), 0.0);
        for (std::size_t c = 0; c < columns.count(); ++c) {
            const auto column = columns[c];
            for (std::size_t j = 0; j < out.size(); ++j)
                out[j] = larger(out[j], std::abs(column[j] - column[origin]));
        }
        out[origin] = unreachable;
    }

    INFOSIFT_INLINE void widen_with_gaps(std::size_t origin, std::span<const double> column) {
        const double here = column[origin];
        if (std::isnan(here))
            return;
        for (std::size_t j = 0; j < features.size(); ++j)
            features[j] = larger(features[j], std::isnan(column[j]) ? unreachable : std::abs(column[j] - here));
    }
};

/// The terms of rows from the distances between all pairs of rows, at n^2 for each candidate.
///
/// Rows tied with the k-th neighbour count as neighbours when a rectangle is drawn.
template <Variant variant> class DenseScorer {
public:
    DenseScorer(const Problem &problem, const DigammaTable &digamma)
        : candidates_(problem.candidates), given_(problem.given), target_(problem.target),
          neighbors_(problem.neighbors), digamma_(digamma), numeric_given_(given_), numeric_target_(target_),
          distances_(target_.rows()), nearest_(static_cast<std::size_t>(neighbors_.back())),
          feature_radii_(neighbors_.size()), target_radii_(neighbors_.size()), used_(neighbors_.size()),
          feature_counts_(neighbors_.size()), target_counts_(neighbors_.size()) {
        const bool gaps = has_gaps(given_.values()) || has_gaps(target_.values());
        const bool categories = has_categories(given_.values()) || has_categories(target_.values());
        for (std::size_t c = 0; c < candidates_.count(); ++c) {
            gaps_.push_back(gaps || has_gaps(candidates_[c]));
            categories_.push_back(categories || has_categories(candidates_[c]));
            numeric_candidate_.emplace_back(Columns(candidates_[c].data(), 1, candidates_.rows()));
        }
    }

    /// Move to a row; what follows is about this row.
    INFOSIFT_INLINE void move_to(std::size_t row) {
        row_ = row;
        distances_.move_to(row, given_, target_);
    }

    /// Add the terms of the row for a candidate, for each number of neighbours.
    INFOSIFT_INLINE void operator()(std::size_t candidate, std::span<std::int64_t> sums) {
        if (gaps_[candidate])
            distances_.add_candidate_with_gaps(row_, given_, candidates_[candidate]);
        else
            distances_.add_candidate(row_, candidates_[candidate]);
        const auto &target = gaps_[candidate] ? distances_.comparable_target : distances_.target;
        find_radii(target);
        count_within<ball_of(variant)>(distances_.features, feature_radii_, feature_counts_);
        count_within<ball_of(variant)>(target, target_radii_, target_counts_);
        const auto rows = static_cast<std::int64_t>(target.size());
        const std::int64_t comparable = gaps_[candidate] ? count_comparable() : rows;
        for (std::size_t q = 0; q < sums.size(); ++q) {
            if (feature_radii_[q] == 0 && counts_duplicates(candidate))
                count_duplicates(q, target);
            digamma_.add_terms(variant, feature_counts_[q], target_counts_[q], sums[q]);
            digamma_.add_correction(neighbors_[q], used_[q], sums[q]);
            // The digamma(n) of the estimate is that of the rows that can be compared.
            digamma_.add_correction(rows, comparable, sums[q]);
        }
    }

private:
    INFOSIFT_INLINE void find_radii(std::span<const double> target) {
        smallest(distances_.joint, nearest_);
        for (std::size_t q = 0; q < neighbors_.size(); ++q) {
            feature_radii_[q] = target_radii_[q] = nearest_[static_cast<std::size_t>(neighbors_[q] - 1)];
            used_[q] = neighbors_[q];
            if constexpr (variant == Variant::rectangle) {
                HalfWidths<double> widths(feature_radii_[q]);
                for (std::size_t j = 0; j < target.size(); ++j)
                    widths.include(distances_.features[j], target[j], distances_.joint[j]);
                feature_radii_[q] = widths.features();
                target_radii_[q] = widths.target();
            }
        }
        if (variant == Variant::cube && nearest_.back() >= other_category)
            stay_in_cell();
    }

    /// Where the row's cell has fewer than k others, take these as its neighbours.
    INFOSIFT_INLINE void stay_in_cell() {
        const auto end = std::lower_bound(nearest_.begin(), nearest_.end(), other_category);
        const std::int64_t others = end - nearest_.begin();
        for (std::size_t q = 0; q < neighbors_.size(); ++q)
            if (others < neighbors_[q]) {
                feature_radii_[q] = target_radii_[q] = others > 0 ? *(end - 1) : other_category;
                used_[q] = neighbors_in_cell(others);
            }
    }

    /// How many rows have all values that the row has, itself included.
    INFOSIFT_INLINE std::int64_t count_comparable() const {
        return 1 + std::count_if(distances_.features.begin(), distances_.features.end(),
                                 [](double distance) { return distance < unreachable; });
    }

    /// Whether the neighbours at radius zero are all rows equal to the row: where it has no numbers, or where gaps
    /// may hide how they differ.
    INFOSIFT_INLINE bool counts_duplicates(std::size_t candidate) const {
        if (variant == Variant::rectangle)
            return false;
        return gaps_[candidate] ||
               (categories_[candidate] && !numeric_given_.contain(row_) && !numeric_target_.contain(row_) &&
                !numeric_candidate_[candidate].contain(row_));
    }

    INFOSIFT_INLINE void count_duplicates(std::size_t q, const std::vector<double> &target) {
        const auto duplicates = [](const std::vector<double> &distances) {
            return std::count(distances.begin(), distances.end(), 0.0);
        };
        feature_counts_[q] = duplicates(distances_.features);
        target_counts_[q] = duplicates(target);
        used_[q] = duplicates(distances_.joint) + 1;
    }

    const Columns &candidates_, &given_, &target_;
    std::span<const std::int64_t> neighbors_;
    const DigammaTable &digamma_;
    NumericRows numeric_given_, numeric_target_;
    std::vector<NumericRows> numeric_candidate_;
    std::vector<bool> gaps_, categories_; // by candidate, in any column
    std::size_t row_ = 0;
    RowDistances distances_;
    std::vector<double> nearest_, feature_radii_, target_radii_;
    std::vector<std::int64_t> used_; // neighbours
    std::vector<std::int64_t> feature_counts_, target_counts_;
};

} // namespace

void add_dense_sums(InstructionSet instructions, const Problem &problem, const DigammaTable &digamma,
                    std::span<std::int64_t> sums) {
    run_for(instructions, problem.variant, [&]<Variant variant, std::size_t>() INFOSIFT_INLINE_LAMBDA {
        DenseScorer<variant> score(problem, digamma);
        for (std::size_t row = 0; row < problem.target.rows() && !problem.share.stops(); ++row) {
            score.move_to(row);
            for (std::size_t c = 0; c < problem.candidates.count(); ++c)
                score(c, problem.sums_of(c, sums));
        }
    });
}

} // namespace infosift

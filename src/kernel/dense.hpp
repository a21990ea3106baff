#pragma once

#include "categories.hpp"
#include "cell_scorer.hpp"
#include "columns.hpp"
#include "digamma_sum.hpp"
#include "distances.hpp"
#include "radii.hpp"
#include "variant.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace infosift {

/// Sums of digammas from the distances between all pairs of rows: for any data, at n^2 for each candidate.
///
/// Rows tied with the k-th neighbour count as neighbours when a rectangle is drawn.
template <Variant variant> class DenseScorer {
public:
    DenseScorer(const Columns &candidates, const Columns &given, const Columns &target,
                std::span<const std::int64_t> neighbors, const DigammaTable &digamma)
        : candidates_(candidates), given_(given), target_(target), neighbors_(neighbors), digamma_(digamma),
          numbers_in_given_(given), numbers_in_target_(target), distances_(target.rows()),
          nearest_(static_cast<std::size_t>(neighbors.back())), radii_(neighbors.size()),
          feature_widths_(neighbors.size()), target_widths_(neighbors.size()), found_(neighbors.size()),
          feature_counts_(neighbors.size()), target_counts_(neighbors.size()) {
        const bool gaps = has_gaps(given) || has_gaps(target);
        const bool categories = has_categories(given) || has_categories(target);
        for (std::size_t c = 0; c < candidates.count(); ++c) {
            gaps_.push_back(gaps || has_gaps(candidates[c]));
            categories_.push_back(categories || has_categories(candidates[c]));
            numbers_in_candidate_.emplace_back(Columns(candidates[c].data(), 1, candidates.rows()));
        }
    }

    /// Move to a row; what follows is about this row.
    INFOSIFT_INLINE void enter(std::size_t row) {
        row_ = row;
        distances_.move_to(row, given_, target_);
    }

    /// Add what the row contributes for a candidate, for each number of neighbours.
    INFOSIFT_INLINE void operator()(std::size_t candidate, std::span<std::int64_t> sums) {
        if (gaps_[candidate])
            distances_.add_candidate_with_gaps(row_, given_, candidates_[candidate]);
        else
            distances_.add_candidate(row_, candidates_[candidate]);
        const auto &target = gaps_[candidate] ? distances_.comparable_target : distances_.target;
        smallest(distances_.joint, nearest_);
        for (std::size_t q = 0; q < neighbors_.size(); ++q) {
            radii_[q] = nearest_[static_cast<std::size_t>(neighbors_[q] - 1)];
            found_[q] = neighbors_[q];
        }
        if (variant == Variant::cube && nearest_.back() >= other_category)
            stay_in_cell();
        constexpr Ball ball = ball_of(variant);
        if constexpr (variant == Variant::cube) {
            count_within<ball>(distances_.features, radii_, feature_counts_);
            count_within<ball>(target, radii_, target_counts_);
        } else {
            widths_within(distances_.joint, radii_, distances_.features, feature_widths_);
            widths_within(distances_.joint, radii_, target, target_widths_);
            count_within<ball>(distances_.features, feature_widths_, feature_counts_);
            count_within<ball>(target, target_widths_, target_counts_);
        }
        // Where rows cannot be compared, there are fewer rows in all.
        const auto rows = static_cast<std::int64_t>(target.size());
        const std::int64_t fewer = gaps_[candidate] ? digamma_(rows) - digamma_(count_comparable()) : 0;
        for (std::size_t q = 0; q < sums.size(); ++q) {
            if (radii_[q] == 0 && counts_the_alike(candidate))
                take_the_alike(q, target);
            sums[q] += fewer;
            sums[q] += digamma_(feature_counts_[q] + rim_of(variant)) +
                       digamma_(target_counts_[q] + rim_of(variant)) + digamma_(neighbors_[q]) -
                       digamma_(found_[q]);
        }
    }

private:
    /// How many rows have all that the row has, itself included.
    INFOSIFT_INLINE std::int64_t count_comparable() const {
        return 1 + std::count_if(distances_.features.begin(), distances_.features.end(),
                                 [](double distance) { return distance < unreachable; });
    }

    /// Where there are fewer others in the row's cell than neighbours, be content with these.
    INFOSIFT_INLINE void stay_in_cell() {
        const auto end = std::lower_bound(nearest_.begin(), nearest_.end(), other_category);
        const std::int64_t others = end - nearest_.begin();
        for (std::size_t q = 0; q < neighbors_.size(); ++q)
            if (others < neighbors_[q]) {
                radii_[q] = others > 0 ? *(end - 1) : other_category;
                found_[q] = neighbors_in_cell(others);
            }
    }

    /// Whether a ball of no radius holds the rows that are equal to the row: where it has no numbers, or where
    /// gaps may hide how they differ.
    INFOSIFT_INLINE bool counts_the_alike(std::size_t candidate) const {
        if (variant == Variant::rectangle)
            return false;
        return gaps_[candidate] ||
               (categories_[candidate] && !numbers_in_given_.in_row(row_) && !numbers_in_target_.in_row(row_) &&
                !numbers_in_candidate_[candidate].in_row(row_));
    }

    /// Count the rows that are equal to the row, which are more than the neighbours asked for.
    INFOSIFT_INLINE void take_the_alike(std::size_t q, const std::vector<double> &target) {
        const auto alike = [](const std::vector<double> &distances) {
            return std::count(distances.begin(), distances.end(), 0.0);
        };
        feature_counts_[q] = alike(distances_.features);
        target_counts_[q] = alike(target);
        found_[q] = alike(distances_.joint) + 1;
    }

    const Columns &candidates_;
    const Columns &given_;
    const Columns &target_;
    std::span<const std::int64_t> neighbors_;
    const DigammaTable &digamma_;
    Numbers numbers_in_given_, numbers_in_target_;
    std::vector<Numbers> numbers_in_candidate_;
    std::vector<bool> gaps_, categories_; // by candidate, in any column
    std::size_t row_ = 0;
    RowDistances distances_;
    std::vector<double> nearest_;
    std::vector<double> radii_;
    std::vector<double> feature_widths_;
    std::vector<double> target_widths_;
    std::vector<std::int64_t> found_; // neighbours
    std::vector<std::int64_t> feature_counts_;
    std::vector<std::int64_t> target_counts_;
};

} // namespace infosift

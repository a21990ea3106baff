#pragma once

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
    DenseScorer(const Columns &given, const Columns &target, std::span<const std::int64_t> neighbors,
                const DigammaTable &digamma)
        : given_(given), target_(target), neighbors_(neighbors), digamma_(digamma), distances_(target.rows()),
          nearest_(static_cast<std::size_t>(neighbors.back())), radii_(neighbors.size()),
          feature_widths_(neighbors.size()), target_widths_(neighbors.size()), feature_counts_(neighbors.size()),
          target_counts_(neighbors.size()) {}

    /// Move to a row; what follows is about this row.
    INFOSIFT_INLINE void enter(std::size_t row) {
        row_ = row;
        distances_.move_to(row, given_, target_);
    }

    /// Add what the row contributes for a candidate, for each number of neighbours.
    INFOSIFT_INLINE void operator()(std::span<const double> candidate, std::span<std::int64_t> sums) {
        distances_.add_candidate(row_, candidate);
        smallest(distances_.joint, nearest_);
        for (std::size_t q = 0; q < neighbors_.size(); ++q)
            radii_[q] = nearest_[static_cast<std::size_t>(neighbors_[q] - 1)];
        constexpr Ball ball = ball_of(variant);
        if constexpr (variant == Variant::cube) {
            count_within<ball>(distances_.features, radii_, feature_counts_);
            count_within<ball>(distances_.target, radii_, target_counts_);
        } else {
            widths_within(distances_.joint, radii_, distances_.features, feature_widths_);
            widths_within(distances_.joint, radii_, distances_.target, target_widths_);
            count_within<ball>(distances_.features, feature_widths_, feature_counts_);
            count_within<ball>(distances_.target, target_widths_, target_counts_);
        }
        for (std::size_t q = 0; q < sums.size(); ++q)
            sums[q] +=
                digamma_(feature_counts_[q] + rim_of(variant)) + digamma_(target_counts_[q] + rim_of(variant));
    }

private:
    const Columns &given_;
    const Columns &target_;
    std::span<const std::int64_t> neighbors_;
    const DigammaTable &digamma_;
    std::size_t row_ = 0;
    RowDistances distances_;
    std::vector<double> nearest_;
    std::vector<double> radii_;
    std::vector<double> feature_widths_;
    std::vector<double> target_widths_;
    std::vector<std::int64_t> feature_counts_;
    std::vector<std::int64_t> target_counts_;
};

} // namespace infosift

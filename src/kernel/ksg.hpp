#pragma once

#include "columns.hpp"
#include "digamma_sum.hpp"
#include "distances.hpp"
#include "radii.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace infosift {

/// The two estimators of Kraskov, Stögbauer and Grassberger (2004): one cube around a row, or one rectangle.
enum class Variant { cube = 1, rectangle = 2 };

/// Mean over the rows of digamma(features) + digamma(target), for each candidate and each number of neighbours.
///
/// The candidate is looked at together with the given columns. `neighbors` ascends and stays below the number of
/// rows. Rows tied with the k-th neighbour count as neighbours when a rectangle is drawn. `out` has a row per
/// candidate and a column per number of neighbours.
template <Variant variant> class DigammaMeans {
public:
    DigammaMeans(const Columns &given, const Columns &target, std::span<const std::int64_t> neighbors,
                 const DigammaTable &digamma)
        : given_(given), target_(target), neighbors_(neighbors), digamma_(digamma), distances_(target.rows()),
          nearest_(static_cast<std::size_t>(neighbors.back())), radii_(neighbors.size()),
          feature_widths_(neighbors.size()), target_widths_(neighbors.size()), feature_counts_(neighbors.size()),
          target_counts_(neighbors.size()) {}

    void operator()(const Columns &candidates, std::span<double> out) {
        const std::size_t rows = target_.rows();
        std::vector<std::int64_t> sums(out.size(), 0);
        for (std::size_t origin = 0; origin < rows; ++origin) {
            distances_.move_to(origin, given_, target_);
            for (std::size_t c = 0; c < candidates.count(); ++c) {
                distances_.add_candidate(origin, candidates[c]);
                count_around_origin();
                add_digammas(std::span(sums).subspan(c * neighbors_.size(), neighbors_.size()));
            }
        }
        for (std::size_t q = 0; q < out.size(); ++q)
            out[q] = digamma_.to_double(sums[q]) / static_cast<double>(rows);
    }

private:
    void count_around_origin() {
        smallest(distances_.joint, nearest_);
        for (std::size_t q = 0; q < neighbors_.size(); ++q)
            radii_[q] = nearest_[static_cast<std::size_t>(neighbors_[q] - 1)];
        if constexpr (variant == Variant::cube) {
            count_within<Ball::open>(distances_.features, radii_, feature_counts_);
            count_within<Ball::open>(distances_.target, radii_, target_counts_);
        } else {
            widths_within(distances_.joint, radii_, distances_.features, feature_widths_);
            widths_within(distances_.joint, radii_, distances_.target, target_widths_);
            count_within<Ball::closed>(distances_.features, feature_widths_, feature_counts_);
            count_within<Ball::closed>(distances_.target, target_widths_, target_counts_);
        }
    }

    void add_digammas(std::span<std::int64_t> sums) const {
        // A cube's rim is not counted, so one more than the count; a rectangle's rim is.
        constexpr std::int64_t rim = variant == Variant::cube ? 1 : 0;
        for (std::size_t q = 0; q < sums.size(); ++q)
            sums[q] += digamma_(feature_counts_[q] + rim) + digamma_(target_counts_[q] + rim);
    }

    const Columns &given_;
    const Columns &target_;
    std::span<const std::int64_t> neighbors_;
    const DigammaTable &digamma_;
    RowDistances distances_;
    std::vector<double> nearest_;
    std::vector<double> radii_;
    std::vector<double> feature_widths_;
    std::vector<double> target_widths_;
    std::vector<std::int64_t> feature_counts_;
    std::vector<std::int64_t> target_counts_;
};

} // namespace infosift

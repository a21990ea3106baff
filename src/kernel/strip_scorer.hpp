#pragma once

#include "balls.hpp"
#include "categories.hpp"
#include "columns.hpp"
#include "digamma_sum.hpp"
#include "lanes.hpp"
#include "radix_sort.hpp"
#include "sorted_rows.hpp"
#include "sorted_values.hpp"
#include "strips.hpp"
#include "variant.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace infosift {

/// Sums over the rows of digamma(given + candidate) + digamma(target), for one candidate at a time. Rows whose
/// neighbours are of another category are left out.
template <Variant variant, std::size_t width, bool with_given> class StripScorer {
public:
    StripScorer(const Columns &given, std::span<const double> target, std::span<const std::int64_t> neighbors,
                const DigammaTable &digamma)
        : target_(target), neighbors_(neighbors), digamma_(digamma),
          strips_(sort_(target), static_cast<std::size_t>(neighbors.back()), given), sorted_target_(sort_(target)),
          sorted_rows_(given),
          // A row is its own nearest, at distance zero, and keeps that place to itself.
          depth_(static_cast<std::size_t>(neighbors.back()) + 1), nearest_(NearestLanes<width>::places(depth_)),
          x_balls_(lane_count, Balls<width>(neighbors.size())), y_balls_(x_balls_) {}

    INFOSIFT_INLINE void operator()(std::span<const double> candidate, std::span<std::int64_t> sums) {
        const auto order = sort_(candidate);
        const SortedValues sorted_candidate(order);
        strips_.arrange(order, target_);
        if constexpr (with_given)
            sorted_rows_.arrange(order);
        strips_.for_each_four(
            [&](std::size_t strip, std::size_t place, std::size_t skipped)
                INFOSIFT_INLINE_LAMBDA { score_four(strip, place, skipped, sorted_candidate, sums); });
    }

private:
    /// Add what four rows in a line contribute, but for the first `skipped`, which were counted before.
    INFOSIFT_INLINE void score_four(std::size_t strip, std::size_t place, std::size_t skipped,
                                    const SortedValues &sorted_candidate, std::span<std::int64_t> sums) {
        const NearestLanes<width> nearest(nearest_, depth_);
        NearestVisitor<width> visitor(nearest);
        strips_.visit_around(strip, place, visitor);
        for (std::size_t q = 0; q < neighbors_.size(); ++q) {
            Lanes<width> x_radius = nearest[static_cast<std::size_t>(neighbors_[q])], y_radius = x_radius;
            if constexpr (variant == Variant::rectangle) {
                WidthsVisitor<width> widths(x_radius);
                strips_.visit_around(strip, place, widths);
                x_radius = widths.x();
                y_radius = widths.y();
            }
            if (with_given || neighbors_.size() == 1)
                count_four(strip, place, skipped, sorted_candidate, x_radius, y_radius, sums[q]);
            else
                for (std::size_t l = 0; l < lane_count; ++l) {
                    x_balls_[l].set(q, x_radius[l]);
                    y_balls_[l].set(q, y_radius[l]);
                }
        }
        if (!with_given && neighbors_.size() > 1)
            for (std::size_t l = skipped; l < lane_count; ++l)
                count_row(strips_.row(strip, place + l), x_balls_[l], y_balls_[l], sorted_candidate, sums);
    }

    /// Add the digammas of four rows for one number of neighbours.
    INFOSIFT_INLINE void count_four(std::size_t strip, std::size_t place, std::size_t skipped,
                                    const SortedValues &sorted_candidate, const Lanes<width> &x_radius,
                                    const Lanes<width> &y_radius, std::int64_t &sum) {
        constexpr Ball ball = ball_of(variant);
        const auto y = Lanes<width>::load(strips_.y(strip) + place);
        LaneCounts<width> in_features;
        if constexpr (with_given)
            for (std::size_t l = skipped; l < lane_count; ++l)
                in_features.set(
                    l, sorted_rows_.template count_others<ball>(strips_.row(strip, place + l), x_radius[l]));
        else
            in_features =
                sorted_candidate.count_others<ball>(Lanes<width>::load(strips_.x(strip) + place), x_radius);
        const auto in_y = sorted_target_.count_others<ball>(y, y_radius);
        for (std::size_t l = skipped; l < lane_count; ++l)
            if (x_radius[l] < other_category)
                sum += digamma_(in_features[l] + rim_of(variant)) + digamma_(in_y[l] + rim_of(variant));
    }

    /// Add the digammas of one row for all numbers of neighbours.
    INFOSIFT_INLINE void count_row(std::size_t row, Balls<width> &x_balls, Balls<width> &y_balls,
                                   const SortedValues &sorted_candidate, std::span<std::int64_t> sums) {
        x_balls.template count<ball_of(variant)>(sorted_candidate, row);
        y_balls.template count<ball_of(variant)>(sorted_target_, row);
        for (std::size_t q = 0; q < sums.size() && x_balls.radius(q) < other_category; ++q)
            sums[q] +=
                digamma_(x_balls.others(q) + rim_of(variant)) + digamma_(y_balls.others(q) + rim_of(variant));
    }

    std::span<const double> target_;
    std::span<const std::int64_t> neighbors_;
    const DigammaTable &digamma_;
    RowSorter sort_;
    Strips<width, with_given> strips_;
    SortedValues sorted_target_;
    SortedRows<width> sorted_rows_;
    std::size_t depth_; // of the lists of nearest rows
    std::vector<Lanes<width>> nearest_;
    std::vector<Balls<width>> x_balls_, y_balls_; // of four rows
};

} // namespace infosift

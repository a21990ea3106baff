#include "strips.hpp"

#include "algorithms.hpp"
#include "balls.hpp"
#include "categories.hpp"
#include "radii.hpp"
#include "radix_sort.hpp"
#include "sorted_columns.hpp"

#include <cmath>
#include <vector>

namespace infosift {

namespace {

/// Finds the half-widths of the rectangle around the rows of a closed cube.
template <std::size_t width> class WidthsVisitor {
public:
    INFOSIFT_INLINE explicit WidthsVisitor(const Lanes<width> &radius)
        : widths_(radius), reach_(std::nextafter(radius.largest(), unreachable)) {}
    INFOSIFT_INLINE void visit(const Lanes<width> &x, const Lanes<width> &y, std::size_t, std::size_t) {
        widths_.include(x, y, larger(x, y));
    }
    INFOSIFT_INLINE void update() {}
    INFOSIFT_INLINE double reach() const { return reach_; }
    INFOSIFT_INLINE const HalfWidths<Lanes<width>> &widths() const { return widths_; }

private:
    HalfWidths<Lanes<width>> widths_;
    double reach_;
};

/// The terms of rows for one candidate at a time, with given columns or without.
template <Variant variant, std::size_t width, bool with_given> class StripScorer {
public:
    StripScorer(const Problem &problem, const DigammaTable &digamma)
        : target_(problem.target[0]), neighbors_(problem.neighbors), digamma_(digamma),
          strips_(sort_(target_), static_cast<std::size_t>(neighbors_.back()), problem.given),
          sorted_target_(sort_(target_)), sorted_rows_(problem.given),
          // A row is its own nearest, at distance zero, and keeps that place to itself.
          depth_(static_cast<std::size_t>(neighbors_.back()) + 1), nearest_(NearestLanes<width>::places(depth_)),
          x_balls_(lane_count, Balls<width>(neighbors_.size())), y_balls_(x_balls_) {}

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
    // From so many k on, the scan of `Balls` is faster than a binary search for each.
    static constexpr std::size_t many_neighbors = 7;

    /// Add the terms of four successive rows, but for the first `skipped`, which were counted before.
    INFOSIFT_INLINE void score_four(std::size_t strip, std::size_t place, std::size_t skipped,
                                    const SortedValues &sorted_candidate, std::span<std::int64_t> sums) {
        const NearestLanes<width> nearest(nearest_, depth_);
        NearestVisitor<width> visitor(nearest);
        strips_.visit_around(strip, place, visitor);
        const bool use_balls = !with_given && neighbors_.size() >= many_neighbors;
        for (std::size_t q = 0; q < neighbors_.size(); ++q) {
            Lanes<width> x_radius = nearest[static_cast<std::size_t>(neighbors_[q])], y_radius = x_radius;
            if constexpr (variant == Variant::rectangle) {
                WidthsVisitor<width> in_cube(x_radius);
                strips_.visit_around(strip, place, in_cube);
                x_radius = in_cube.widths().features();
                y_radius = in_cube.widths().target();
            }
            if (!use_balls)
                count_four(strip, place, skipped, sorted_candidate, x_radius, y_radius, sums[q]);
            else
                for (std::size_t l = 0; l < lane_count; ++l) {
                    x_balls_[l].set(q, x_radius[l]);
                    y_balls_[l].set(q, y_radius[l]);
                }
        }
        if (use_balls)
            for (std::size_t l = skipped; l < lane_count; ++l)
                count_row(strips_.row(strip, place + l), x_balls_[l], y_balls_[l], sorted_candidate, sums);
    }

    /// Add the terms of four rows for one number of neighbours.
    INFOSIFT_INLINE void count_four(std::size_t strip, std::size_t place, std::size_t skipped,
                                    const SortedValues &sorted_candidate, const Lanes<width> &x_radius,
                                    const Lanes<width> &y_radius, std::int64_t &sum) {
        constexpr Ball ball = ball_of(variant);
        LaneCounts<width> in_features;
        if constexpr (with_given)
            for (std::size_t l = skipped; l < lane_count; ++l)
                in_features.set(
                    l, sorted_rows_.template count_others<ball>(strips_.row(strip, place + l), x_radius[l]));
        else
            in_features =
                sorted_candidate.count_others<ball>(Lanes<width>::load(strips_.x(strip) + place), x_radius);
        const auto in_target =
            sorted_target_.count_others<ball>(Lanes<width>::load(strips_.y(strip) + place), y_radius);
        for (std::size_t l = skipped; l < lane_count; ++l)
            if (x_radius[l] < other_category)
                digamma_.add_terms(variant, in_features[l], in_target[l], sum);
    }

    /// Add the terms of one row for all numbers of neighbours.
    INFOSIFT_INLINE void count_row(std::size_t row, Balls<width> &x_balls, Balls<width> &y_balls,
                                   const SortedValues &sorted_candidate, std::span<std::int64_t> sums) {
        x_balls.template count<ball_of(variant)>(sorted_candidate, row);
        y_balls.template count<ball_of(variant)>(sorted_target_, row);
        for (std::size_t q = 0; q < sums.size() && x_balls.radius(q) < other_category; ++q)
            digamma_.add_terms(variant, x_balls.others(q), y_balls.others(q), sums[q]);
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

template <Variant variant, std::size_t width, bool with_given>
INFOSIFT_INLINE void score_each(const Problem &problem, const DigammaTable &digamma,
                                std::span<std::int64_t> sums) {
    StripScorer<variant, width, with_given> score(problem, digamma);
    for (std::size_t c = 0; c < problem.candidates.count() && !problem.share.stops(); ++c)
        score(problem.candidates[c], problem.sums_of(c, sums));
}

} // namespace

void add_strip_sums(InstructionSet instructions, const Problem &problem, const DigammaTable &digamma,
                    std::span<std::int64_t> sums) {
    run_for(instructions, problem.variant, [&]<Variant variant, std::size_t width>() INFOSIFT_INLINE_LAMBDA {
        if (problem.given.count() == 0)
            score_each<variant, width, false>(problem, digamma, sums);
        else
            score_each<variant, width, true>(problem, digamma, sums);
    });
}

} // namespace infosift

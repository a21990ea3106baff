#pragma once

#include "lanes.hpp"
#include "radix_sort.hpp"
#include "variant.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace infosift {

template <Ball ball> INFOSIFT_INLINE bool holds(double radius, double distance) {
    return ball == Ball::open ? distance < radius : distance <= radius;
}

/// Add to the counts the lanes whose distance is in the ball.
template <Ball ball, std::size_t width>
INFOSIFT_INLINE void count_held(LaneCounts<width> &counts, const Lanes<width> &distance,
                                const Lanes<width> &radius) {
    if constexpr (ball == Ball::open)
        count_below(counts, distance, radius);
    else
        count_at_most(counts, distance, radius);
}

/// The values of a column in ascending order.
class SortedValues {
public:
    static constexpr std::size_t padding = 64; // values at infinity that can be read on both ends

    explicit SortedValues(std::span<const RowSorter::Key> ascending)
        : count_(ascending.size()), values_(count_ + 2 * padding, unreachable), rank_(count_) {
        std::fill_n(values_.begin(), padding, -unreachable);
        for (std::size_t rank = 0; rank < count_; ++rank) {
            values_[padding + rank] = ascending[rank].value();
            rank_[ascending[rank].row] = static_cast<std::uint32_t>(rank);
        }
    }

    std::size_t count() const { return count_; }
    std::size_t rank(std::size_t row) const { return rank_[row]; }
    /// A row's value, among its neighbours in the order.
    const double *at(std::size_t row) const { return first() + rank_[row]; }

    /// Per lane, how many other values lie within a radius of a value of the column.
    ///
    /// The searches ask for differences as they are computed elsewhere, since rounded differences grow with the
    /// value just as exact ones do; and they run side by side, without branches.
    template <Ball ball, std::size_t width>
    INFOSIFT_INLINE LaneCounts<width> count_others(const Lanes<width> &center, const Lanes<width> &radius) const {
        const double *low[lane_count], *high[lane_count];
        for (std::size_t l = 0; l < lane_count; ++l)
            low[l] = high[l] = first();
        for (std::size_t length = count_; length > 1;) {
            const std::size_t half = length / 2;
            for (std::size_t l = 0; l < lane_count; ++l) {
                low[l] += half & -std::size_t{!holds<ball>(radius[l], center[l] - low[l][half - 1])};
                high[l] += half & -std::size_t{holds<ball>(radius[l], high[l][half - 1] - center[l])};
            }
            length -= half;
        }
        LaneCounts<width> counts;
        for (std::size_t l = 0; l < lane_count; ++l) {
            low[l] += !holds<ball>(radius[l], center[l] - *low[l]);
            high[l] += holds<ball>(radius[l], *high[l] - center[l]);
            // An empty ball (radius zero, rim excluded) holds not even its centre.
            counts.set(l, std::max<std::int64_t>(high[l] - low[l] - 1, 0));
        }
        return counts;
    }

private:
    const double *first() const { return values_.data() + padding; }

    std::size_t count_;
    std::vector<double> values_;
    std::vector<std::uint32_t> rank_; // of a row
};

} // namespace infosift

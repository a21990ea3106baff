#pragma once

#include "lanes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace infosift {

/// Whether a value on the rim of a ball is inside it.
enum class Ball { open, closed };

template <Ball ball> INFOSIFT_INLINE bool holds(double radius, double distance) {
    return ball == Ball::open ? distance < radius : distance <= radius;
}

/// The values of a column in ascending order.
class SortedValues {
public:
    explicit SortedValues(std::vector<double> ascending) : values_(std::move(ascending)) {}

    static SortedValues of(std::span<const double> column) {
        std::vector<double> values(column.begin(), column.end());
        std::sort(values.begin(), values.end());
        return SortedValues(std::move(values));
    }

    /// Per lane, how many other values lie within a radius of a value of the column.
    ///
    /// The searches ask for differences as they are computed elsewhere, since rounded differences grow with the
    /// value just as exact ones do; and they run side by side, without branches.
    template <Ball ball, std::size_t width>
    INFOSIFT_INLINE LaneCounts<width> count_others(const Lanes<width> &center, const Lanes<width> &radius) const {
        const double *below[lane_count], *above[lane_count];
        for (std::size_t l = 0; l < lane_count; ++l)
            below[l] = above[l] = values_.data();
        for (std::size_t length = values_.size(); length > 1;) {
            const std::size_t half = length / 2;
            for (std::size_t l = 0; l < lane_count; ++l) {
                below[l] += half * !holds<ball>(radius[l], center[l] - below[l][half - 1]);
                above[l] += half * holds<ball>(radius[l], above[l][half - 1] - center[l]);
            }
            length -= half;
        }
        LaneCounts<width> counts;
        for (std::size_t l = 0; l < lane_count; ++l) {
            below[l] += !holds<ball>(radius[l], center[l] - *below[l]);
            above[l] += holds<ball>(radius[l], *above[l] - center[l]);
            // An empty ball (radius zero, rim excluded) holds not even its centre.
            counts.parts[l / width][l % width] = std::max<std::ptrdiff_t>(above[l] - below[l] - 1, 0);
        }
        return counts;
    }

private:
    std::vector<double> values_;
};

} // namespace infosift

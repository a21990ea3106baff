#pragma once

#include "estimator.hpp"
#include "lanes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>

namespace infosift {

/// The k smallest of the values, ascending, into a span of length k.
INFOSIFT_INLINE void smallest(std::span<const double> values, std::span<double> out) {
    std::fill(out.begin(), out.end(), unreachable);
    const std::size_t last = out.size() - 1;
    for (const double value : values) {
        if (!(value < out[last]))
            continue;
        std::size_t place = last;
        for (; place > 0 && value < out[place - 1]; --place)
            out[place] = out[place - 1];
        out[place] = value;
    }
}

/// Index of the smallest ball that holds the value; radii ascend, and the largest ball is known to hold it.
template <Ball ball> INFOSIFT_INLINE std::size_t innermost(double value, std::span<const double> radii) {
    const auto at = ball == Ball::open ? std::upper_bound(radii.begin(), radii.end(), value)
                                       : std::lower_bound(radii.begin(), radii.end(), value);
    return static_cast<std::size_t>(at - radii.begin());
}

/// counts[q] = how many values lie within radii[q], for ascending radii, in one pass over the values.
template <Ball ball>
INFOSIFT_INLINE void count_within(std::span<const double> values, std::span<const double> radii,
                                  std::span<std::int64_t> counts) {
    if (radii.size() == 1) { // the compiler turns this into vector code: twice as fast
        std::int64_t count = 0;
        for (const double value : values)
            count += holds<ball>(radii[0], value);
        counts[0] = count;
        return;
    }
    std::fill(counts.begin(), counts.end(), 0);
    for (const double value : values)
        if (holds<ball>(radii.back(), value))
            ++counts[innermost<ball>(value, radii)];
    for (std::size_t q = 1; q < counts.size(); ++q)
        counts[q] += counts[q - 1];
}

/// The half-widths of the rectangle of equation 9: in the features and in the target, the largest distance of the
/// rows in the closed cube whose radius is the distance of the k-th neighbour. Of a number, or of four lanes.
template <class Number> class HalfWidths {
public:
    INFOSIFT_INLINE explicit HalfWidths(const Number &radius) : radius_(radius) {}

    /// Take a row into account, given its distances in the features, in the target and in both together.
    INFOSIFT_INLINE void include(const Number &in_features, const Number &in_target, const Number &distance) {
        features_ = larger(features_, where_within(in_features, distance, radius_));
        target_ = larger(target_, where_within(in_target, distance, radius_));
    }

    INFOSIFT_INLINE const Number &features() const { return features_; }
    INFOSIFT_INLINE const Number &target() const { return target_; }

private:
    Number radius_, features_{}, target_{};
};

} // namespace infosift

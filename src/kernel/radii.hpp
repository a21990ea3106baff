#pragma once

#include "distances.hpp"
#include "sorted_values.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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
    const auto found = ball == Ball::open ? std::upper_bound(radii.begin(), radii.end(), value)
                                          : std::lower_bound(radii.begin(), radii.end(), value);
    return static_cast<std::size_t>(found - radii.begin());
}

/// counts[q] = how many values lie within radii[q], for ascending radii, in one pass over the values.
template <Ball ball>
INFOSIFT_INLINE void count_within(std::span<const double> values, std::span<const double> radii,
                                  std::span<std::int64_t> counts) {
    if (radii.size() == 1) { // the common case, and one the compiler turns into vector code
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

/// widths[q] = the largest of the values among the rows whose joint distance is at most radii[q].
INFOSIFT_INLINE void widths_within(std::span<const double> joint, std::span<const double> radii,
                                   std::span<const double> values, std::span<double> widths) {
    std::fill(widths.begin(), widths.end(), 0.0);
    for (std::size_t j = 0; j < joint.size(); ++j) {
        if (!(joint[j] <= radii.back()))
            continue;
        double &width = widths[innermost<Ball::closed>(joint[j], radii)];
        width = larger(width, values[j]);
    }
    for (std::size_t q = 1; q < widths.size(); ++q)
        widths[q] = larger(widths[q], widths[q - 1]);
}

} // namespace infosift

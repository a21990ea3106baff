#pragma once

#include "lanes.hpp"
#include "radix_sort.hpp"

#include <algorithm>
#include <array>
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

    static SortedValues of(std::span<const RowSorter::Key> ascending) {
        std::vector<double> values(ascending.size());
        for (std::size_t rank = 0; rank < values.size(); ++rank)
            values[rank] = ascending[rank].value();
        return SortedValues(std::move(values));
    }

    /// The ranks of the values in a ball.
    struct Range {
        std::uint32_t begin, end;
        std::int64_t size() const { return std::int64_t{end} - begin; }
    };

    /// Where in the column four searches may still end. Of balls that shrink, each lies within the one before.
    class Window {
    public:
        explicit Window(std::span<const double> values) : values_(values), length_(values.size()) {
            std::fill_n(begin_, lane_count, values.data());
        }

        /// Per lane, the values within a radius of a value of the column; narrows the window.
        ///
        /// The searches ask for differences as they are computed elsewhere, since rounded differences grow with
        /// the value just as exact ones do; and they run side by side, without branches.
        template <Ball ball, std::size_t width>
        INFOSIFT_INLINE std::array<Range, lane_count> locate(const Lanes<width> &center,
                                                             const Lanes<width> &radius) {
            const double *below[lane_count], *above[lane_count];
            for (std::size_t l = 0; l < lane_count; ++l)
                below[l] = above[l] = begin_[l];
            for (std::size_t length = length_; length > 1;) {
                const std::size_t half = length / 2;
                for (std::size_t l = 0; l < lane_count; ++l) {
                    below[l] += half & -std::size_t{!holds<ball>(radius[l], center[l] - below[l][half - 1])};
                    above[l] += half & -std::size_t{holds<ball>(radius[l], above[l][half - 1] - center[l])};
                }
                length -= half;
            }
            std::array<Range, lane_count> ranges;
            std::ptrdiff_t longest = 1;
            for (std::size_t l = 0; l < lane_count; ++l) {
                below[l] += !holds<ball>(radius[l], center[l] - *below[l]);
                above[l] += holds<ball>(radius[l], *above[l] - center[l]);
                longest = std::max(longest, above[l] - below[l]);
                const auto begin = below[l] - values_.data(), end = above[l] - values_.data();
                // An empty ball (radius zero, rim excluded) holds not even its centre.
                ranges[l] = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(std::max(begin, end))};
            }
            narrow(below, above, static_cast<std::size_t>(longest));
            return ranges;
        }

        /// Per lane, how many other values lie within a radius of a value of the column; narrows the window.
        template <Ball ball, std::size_t width>
        INFOSIFT_INLINE LaneCounts<width> count_others(const Lanes<width> &center, const Lanes<width> &radius) {
            const auto ranges = locate<ball>(center, radius);
            LaneCounts<width> counts;
            for (std::size_t l = 0; l < lane_count; ++l)
                counts.parts[l / width][l % width] = std::max<std::int64_t>(ranges[l].size() - 1, 0);
            return counts;
        }

    private:
        INFOSIFT_INLINE void narrow(const double *const *below, const double *const *above, std::size_t length) {
            for (std::size_t l = 0; l < lane_count; ++l)
                if (above[l] <= below[l])
                    return; // the smaller ball is empty too, and its centre may be outside of this window
            length_ = length;
            for (std::size_t l = 0; l < lane_count; ++l)
                begin_[l] = std::min(below[l], values_.data() + values_.size() - length);
        }

        std::span<const double> values_;
        const double *begin_[lane_count];
        std::size_t length_;
    };

    Window window() const { return Window(values_); }

private:
    std::vector<double> values_;
};

} // namespace infosift

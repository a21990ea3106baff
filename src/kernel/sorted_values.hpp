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

    /// Where in the column four searches may still end. Of balls that shrink, each lies within the one before, and
    /// mostly not far within.
    class Window {
    public:
        explicit Window(std::span<const double> values) : values_(values), length_(values.size()) {
            std::fill_n(ends_.low, lane_count, values.data());
            std::fill_n(ends_.high, lane_count, values.data() + values.size());
        }

        /// Per lane, the values within a radius of a value of the column; narrows the window.
        template <Ball ball, std::size_t width>
        INFOSIFT_INLINE std::array<Range, lane_count> locate(const Lanes<width> &center,
                                                             const Lanes<width> &radius) {
            std::size_t length = length_;
            if (nearby_ < length) {
                if (ends_nearby<ball>(center, radius))
                    length = nearby_;
                else
                    nearby_ *= 2;
            }
            const Ends ends = search<ball>(center, radius, length);
            std::array<Range, lane_count> ranges;
            for (std::size_t l = 0; l < lane_count; ++l) {
                const auto begin = ends.low[l] - values_.data(), end = ends.high[l] - values_.data();
                // An empty ball (radius zero, rim excluded) holds not even its centre.
                ranges[l] = {static_cast<std::uint32_t>(begin), static_cast<std::uint32_t>(std::max(begin, end))};
            }
            narrow(ends);
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
        /// Per lane, the first value of a ball and the one after its last.
        struct Ends {
            const double *low[lane_count], *high[lane_count];
        };

        /// Whether in all lanes both ends move inwards by less than `nearby_` values.
        template <Ball ball, std::size_t width>
        INFOSIFT_INLINE bool ends_nearby(const Lanes<width> &center, const Lanes<width> &radius) const {
            bool near = true;
            for (std::size_t l = 0; l < lane_count; ++l) {
                const double *const low = std::min(ends_.low[l] + nearby_, values_.data() + values_.size()) - 1;
                const double *const high = std::max(ends_.high[l] - nearby_, values_.data());
                near &= holds<ball>(radius[l], center[l] - *low) & holds<ball>(radius[l], *high - center[l]);
            }
            return near;
        }

        /// Search among as many values from the ends of the window inwards.
        ///
        /// The searches ask for differences as they are computed elsewhere, since rounded differences grow with
        /// the value just as exact ones do; and they run side by side, without branches.
        template <Ball ball, std::size_t width>
        INFOSIFT_INLINE Ends search(const Lanes<width> &center, const Lanes<width> &radius,
                                    std::size_t length) const {
            Ends ends;
            for (std::size_t l = 0; l < lane_count; ++l) {
                ends.low[l] = std::min(ends_.low[l], values_.data() + values_.size() - length);
                ends.high[l] = std::max(ends_.high[l] - length, values_.data());
            }
            for (; length > 1;) {
                const std::size_t half = length / 2;
                for (std::size_t l = 0; l < lane_count; ++l) {
                    ends.low[l] += half & -std::size_t{!holds<ball>(radius[l], center[l] - ends.low[l][half - 1])};
                    ends.high[l] +=
                        half & -std::size_t{holds<ball>(radius[l], ends.high[l][half - 1] - center[l])};
                }
                length -= half;
            }
            for (std::size_t l = 0; l < lane_count; ++l) {
                ends.low[l] += !holds<ball>(radius[l], center[l] - *ends.low[l]);
                ends.high[l] += holds<ball>(radius[l], *ends.high[l] - center[l]);
            }
            return ends;
        }

        INFOSIFT_INLINE void narrow(const Ends &ends) {
            std::ptrdiff_t longest = 1;
            for (std::size_t l = 0; l < lane_count; ++l) {
                if (ends.high[l] <= ends.low[l])
                    return; // the smaller ball is empty too, and its centre may be outside of this window
                longest = std::max(longest, ends.high[l] - ends.low[l]);
            }
            length_ = static_cast<std::size_t>(longest);
            ends_ = ends;
        }

        std::span<const double> values_;
        Ends ends_;
        std::size_t length_;     // of the longest lane
        std::size_t nearby_ = 8; // how far inwards to look first
    };

    Window window() const { return Window(values_); }

private:
    std::vector<double> values_;
};

} // namespace infosift

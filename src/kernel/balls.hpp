#pragma once

#include "lanes.hpp"
#include "sorted_columns.hpp"

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace infosift {

/// Balls of several radii around the value of one row in a column, and how many other values are in each.
///
/// A scan outwards from the value counts for all balls at once, first in strides, then value by value in the
/// stride at the end of each ball. For many radii this is faster than a binary search for each.
template <std::size_t width> class Balls {
public:
    explicit Balls(std::size_t count)
        : count_(count), radii_((count + batch * lane_count - 1) / (batch * lane_count) * batch),
          lower_(radii_.size()), higher_(radii_.size()) {}

    /// Set a radius; radii ascend.
    INFOSIFT_INLINE void set(std::size_t ball, double radius) {
        radii_[ball / lane_count].set(ball % lane_count, radius);
    }

    INFOSIFT_INLINE double radius(std::size_t ball) const { return radii_[ball / lane_count][ball % lane_count]; }

    /// Count for all balls; then `lower`, `higher` and `others` give the counts.
    template <Ball ball> INFOSIFT_INLINE void count(const SortedValues &column, std::size_t row) {
        Compiled<width>::run([&]() INFOSIFT_INLINE_LAMBDA {
            const double *const self = column.at(row);
            const std::size_t rank = column.rank(row);
            count_side<ball, -1>(self, rank, lower_);
            count_side<ball, 1>(self, column.count() - 1 - rank, higher_);
        });
    }

    /// How many values of lower, or of higher rank than the row's are in a ball.
    INFOSIFT_INLINE std::int64_t lower(std::size_t ball) const {
        return lower_[ball / lane_count][ball % lane_count];
    }
    INFOSIFT_INLINE std::int64_t higher(std::size_t ball) const {
        return higher_[ball / lane_count][ball % lane_count];
    }
    INFOSIFT_INLINE std::int64_t others(std::size_t ball) const { return lower(ball) + higher(ball); }

private:
    // Reading past the end of the column by a stride ends in the padding. Strides grow until the widest ball spans
    // less than sixteen of them: balls of a class target, say, hold half of the column.
    static constexpr std::size_t shortest_stride = 8, longest_stride = SortedValues::padding;
    static constexpr std::size_t many_strides = 16;
    static constexpr std::size_t batch = 5; // fours of balls that are counted at once, in registers

    /// Count by strides, then within the stride at the end of each ball.
    template <Ball ball, int direction>
    INFOSIFT_INLINE void count_side(const double *self, std::size_t others,
                                    std::vector<LaneCounts<width>> &counts) const {
        const double widest = radii_[(count_ - 1) / lane_count][(count_ - 1) % lane_count];
        const auto reaches = [&](std::size_t places) INFOSIFT_INLINE_LAMBDA {
            return holds<ball>(widest, std::abs(self[direction * static_cast<std::ptrdiff_t>(places)] - *self));
        };
        std::size_t stride = shortest_stride;
        while (stride < longest_stride && others >= many_strides * stride && reaches(many_strides * stride))
            stride *= 2;
        const auto center = Lanes<width>::all(*self);
        for (std::size_t f = 0; f < counts.size(); f += batch) {
            LaneCounts<width> passed[batch];
            for (auto &four : passed)
                four = {};
            for (std::size_t places = stride; places <= others && reaches(places); places += stride) {
                const auto there = Lanes<width>::all(self[direction * static_cast<std::ptrdiff_t>(places)]);
                for (std::size_t i = 0; i < batch; ++i)
                    count_held<ball>(passed[i], magnitude(there - center), radii_[f + i]);
            }
            for (std::size_t i = 0; i < batch; ++i)
                counts[f + i] = passed[i];
        }
        if (stride == shortest_stride) // a constant, by which the loops are unrolled
            count_last_stride<ball, direction>(self, shortest_stride, counts);
        else
            count_last_stride<ball, direction>(self, stride, counts);
    }

    /// Turn numbers of strides into numbers of values, and add those in the stride at the end of each ball.
    template <Ball ball, int direction>
    INFOSIFT_INLINE void count_last_stride(const double *self, std::size_t stride,
                                           std::vector<LaneCounts<width>> &counts) const {
        const auto center = Lanes<width>::all(*self);
        for (std::size_t f = 0; f * lane_count < count_; ++f) {
            LaneCounts<width> passed = counts[f];
            for (auto &part : passed.parts)
                part *= static_cast<std::int64_t>(stride);
            LaneCounts<width> more[lane_count];
            for (std::size_t l = 0; l < lane_count; ++l) {
                more[l] = {};
                const auto radius = Lanes<width>::all(radii_[f][l]);
                const double *const next =
                    direction < 0 ? self - passed[l] - static_cast<std::ptrdiff_t>(stride) : self + passed[l] + 1;
                for (std::size_t i = 0; i < stride; i += lane_count)
                    count_held<ball>(more[l], magnitude(Lanes<width>::load(next + i) - center), radius);
            }
            const auto last = LaneCounts<width>::totals(more);
            for (std::size_t p = 0; p < lane_count / width; ++p)
                counts[f].parts[p] = passed.parts[p] + last.parts[p];
        }
    }

    std::size_t count_;
    std::vector<Lanes<width>> radii_;
    std::vector<LaneCounts<width>> lower_, higher_;
};

} // namespace infosift

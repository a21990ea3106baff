#pragma once

#include "estimator.hpp"
#include "instructions.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace infosift {

/// A distance that no row is within.
inline constexpr double unreachable = std::numeric_limits<double>::infinity();

// A plain comparison, unlike std::fmax, compiles to one vector instruction.
INFOSIFT_INLINE double larger(double a, double b) { return a < b ? b : a; }

/// The value where the distance is at most the radius, else zero.
INFOSIFT_INLINE double where_within(double value, double distance, double radius) {
    return distance <= radius ? value : 0.0;
}

/// How many numbers are worked on at once: four rows, or four candidates.
inline constexpr std::size_t lane_count = 4;

/// The registers of the machine, by how many numbers they hold.
///
/// An alignment stands behind the name of its type: Clang does not heed one that stands behind `double`.
template <std::size_t width> struct Register;
template <> struct Register<2> {
    using Numbers = double __attribute__((vector_size(16)));
    using Unaligned __attribute__((vector_size(16), aligned(8), may_alias)) = double;
    using Counts = std::int64_t __attribute__((vector_size(16)));
};
template <> struct Register<4> {
    using Numbers = double __attribute__((vector_size(32)));
    using Unaligned __attribute__((vector_size(32), aligned(8), may_alias)) = double;
    using Counts = std::int64_t __attribute__((vector_size(32)));
};

/// Four of something of eight bytes, in registers that hold `width` of them each.
///
/// Copied register by register: the bytes of a plain struct may be copied in smaller pieces, which stalls what
/// reads them.
template <class Register, std::size_t width> struct alignas(width * sizeof(double)) Four {
    using Part = Register;
    static constexpr std::size_t part_count = lane_count / width;
    Part parts[part_count];

    Four() = default;
    INFOSIFT_INLINE Four(const Four &other) { *this = other; }
    INFOSIFT_INLINE Four &operator=(const Four &other) {
        for (std::size_t p = 0; p < part_count; ++p)
            parts[p] = other.parts[p];
        return *this;
    }

    INFOSIFT_INLINE auto operator[](std::size_t l) const { return parts[l / width][l % width]; }
    template <class Value> INFOSIFT_INLINE void set(std::size_t l, Value value) {
        parts[l / width][l % width] = value;
    }
};

template <std::size_t width> struct LaneCounts : Four<typename Register<width>::Counts, width> {
    using Part = typename Register<width>::Counts;

    /// Per lane, the sum of four counts.
    static INFOSIFT_INLINE LaneCounts totals(const LaneCounts (&of)[lane_count]) {
        LaneCounts sums;
        if constexpr (width == 4) {
            const auto pairs = [](const Part &a, const Part &b) INFOSIFT_INLINE_LAMBDA {
                return __builtin_shufflevector(a, b, 0, 4, 2, 6) + __builtin_shufflevector(a, b, 1, 5, 3, 7);
            };
            const Part low = pairs(of[0].parts[0], of[1].parts[0]), high = pairs(of[2].parts[0], of[3].parts[0]);
            sums.parts[0] =
                __builtin_shufflevector(low, high, 0, 1, 4, 5) + __builtin_shufflevector(low, high, 2, 3, 6, 7);
        } else {
            for (std::size_t p = 0; p < lane_count / width; ++p) {
                const Part a = of[p * width].parts[0] + of[p * width].parts[1];
                const Part b = of[p * width + 1].parts[0] + of[p * width + 1].parts[1];
                sums.parts[p] = __builtin_shufflevector(a, b, 0, 2) + __builtin_shufflevector(a, b, 1, 3);
            }
        }
        return sums;
    }
};

template <std::size_t width> struct Lanes : Four<typename Register<width>::Numbers, width> {
    using Part = typename Register<width>::Numbers;
    using Lanes::Four::part_count;
    using Lanes::Four::parts;

    /// Four numbers that lie one after another, at any address.
    static INFOSIFT_INLINE Lanes load(const double *values) {
        Lanes lanes;
        for (std::size_t p = 0; p < part_count; ++p)
            lanes.parts[p] = *reinterpret_cast<const typename Register<width>::Unaligned *>(values + p * width);
        return lanes;
    }

    static INFOSIFT_INLINE Lanes all(double value) {
        Lanes lanes;
        for (Part &part : lanes.parts)
            part = value - Part{}; // a plain copy, which adding zero would not be for a negative zero
        return lanes;
    }

    INFOSIFT_INLINE double largest() const {
        Part part = parts[0];
        for (std::size_t p = 1; p < part_count; ++p)
            part = part > parts[p] ? part : parts[p];
        double value = part[0];
        for (std::size_t l = 1; l < width; ++l)
            value = value > part[l] ? value : part[l];
        return value;
    }

    friend INFOSIFT_INLINE Lanes operator-(Lanes a, const Lanes &b) {
        for (std::size_t p = 0; p < part_count; ++p)
            a.parts[p] -= b.parts[p];
        return a;
    }

    friend INFOSIFT_INLINE Lanes smaller(Lanes a, const Lanes &b) {
        for (std::size_t p = 0; p < part_count; ++p)
            a.parts[p] = a.parts[p] < b.parts[p] ? a.parts[p] : b.parts[p];
        return a;
    }

    friend INFOSIFT_INLINE Lanes larger(Lanes a, const Lanes &b) {
        for (std::size_t p = 0; p < part_count; ++p)
            a.parts[p] = a.parts[p] > b.parts[p] ? a.parts[p] : b.parts[p];
        return a;
    }

    friend INFOSIFT_INLINE Lanes magnitude(Lanes a) {
        using Bits = typename LaneCounts<width>::Part; // all but the sign
        for (Part &part : a.parts)
            part = reinterpret_cast<Part>(reinterpret_cast<Bits>(part) & (Bits{} + INT64_MAX));
        return a;
    }

    /// Per lane, the value where the distance is at most the radius, else zero.
    friend INFOSIFT_INLINE Lanes where_within(Lanes value, const Lanes &distance, const Lanes &radius) {
        for (std::size_t p = 0; p < part_count; ++p)
            value.parts[p] = distance.parts[p] <= radius.parts[p] ? value.parts[p] : Part{};
        return value;
    }
};

/// Add one to the counts of the lanes whose distance is in the ball.
template <Ball ball, std::size_t width>
INFOSIFT_INLINE void count_held(LaneCounts<width> &counts, const Lanes<width> &distance,
                                const Lanes<width> &radius) {
    for (std::size_t p = 0; p < Lanes<width>::part_count; ++p)
        if constexpr (ball == Ball::open)
            counts.parts[p] -= distance.parts[p] < radius.parts[p]; // true is -1
        else
            counts.parts[p] -= distance.parts[p] <= radius.parts[p];
}

/// Per lane, the smallest distances seen so far, ascending.
///
/// They lie in blocks of four. Four new ones are sorted, then each block in turn keeps the smaller half of what it
/// and the new ones hold: bitonic sorting networks (Batcher 1968), without branches.
template <std::size_t width> class NearestLanes {
public:
    static constexpr std::size_t block = 4;
    using Block = std::array<Lanes<width>, block>;

    /// How many places it takes to keep a number of distances.
    static constexpr std::size_t places(std::size_t depth) { return (depth + block - 1) / block * block; }

    INFOSIFT_INLINE NearestLanes(std::span<Lanes<width>> storage, std::size_t depth)
        : distances_(storage), depth_(depth) {
        for (auto &distance : distances_)
            distance = Lanes<width>::all(unreachable);
    }

    /// Insert four distances per lane.
    INFOSIFT_INLINE void insert(Block added) {
        exchange(added[0], added[1]);
        exchange(added[2], added[3]);
        exchange(added[0], added[2]);
        exchange(added[1], added[3]);
        exchange(added[1], added[2]);
        if (!((farthest() - added[0]).largest() > 0))
            return; // too far in every lane
        for (Lanes<width> *kept = distances_.data(); kept != distances_.data() + distances_.size();
             kept += block) {
            Block nearer, farther;
            for (std::size_t i = 0; i < block; ++i) {
                const Lanes<width> there = kept[i];
                nearer[i] = smaller(there, added[block - 1 - i]);
                farther[i] = larger(there, added[block - 1 - i]);
            }
            sort_bitonic(nearer);
            sort_bitonic(farther);
            for (std::size_t i = 0; i < block; ++i)
                kept[i] = nearer[i];
            added = farther;
        }
    }

    INFOSIFT_INLINE Lanes<width> operator[](std::size_t rank) const { return distances_[rank]; }
    INFOSIFT_INLINE Lanes<width> farthest() const { return distances_[depth_ - 1]; }

private:
    static INFOSIFT_INLINE void exchange(Lanes<width> &a, Lanes<width> &b) {
        const Lanes<width> low = smaller(a, b);
        b = larger(a, b);
        a = low;
    }

    static INFOSIFT_INLINE void sort_bitonic(Block &values) {
        exchange(values[0], values[2]);
        exchange(values[1], values[3]);
        exchange(values[0], values[1]);
        exchange(values[2], values[3]);
    }

    std::span<Lanes<width>> distances_;
    std::size_t depth_;
};

} // namespace infosift

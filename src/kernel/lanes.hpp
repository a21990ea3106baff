#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

// Code that must be compiled for the instruction set of its caller, see dispatch.hpp.
#define INFOSIFT_INLINE __attribute__((always_inline)) inline
#define INFOSIFT_INLINE_LAMBDA __attribute__((always_inline))

namespace infosift {

inline constexpr double unreachable = std::numeric_limits<double>::infinity();

/// How many numbers are worked on at once: four rows, or four candidates.
inline constexpr std::size_t lane_count = 4;

/// The registers of the machine, by how many numbers they hold.
template <std::size_t width> struct Register;
template <> struct Register<2> {
    using Numbers = double __attribute__((vector_size(16)));
    using Unaligned = double __attribute__((vector_size(16), aligned(8), may_alias));
    using Counts = std::int64_t __attribute__((vector_size(16)));
};
template <> struct Register<4> {
    using Numbers = double __attribute__((vector_size(32)));
    using Unaligned = double __attribute__((vector_size(32), aligned(8), may_alias));
    using Counts = std::int64_t __attribute__((vector_size(32)));
};

template <std::size_t width> struct LaneCounts {
    using Part = typename Register<width>::Counts;
    Part parts[lane_count / width];

    INFOSIFT_INLINE std::int64_t operator[](std::size_t l) const { return parts[l / width][l % width]; }
};

/// Four numbers, in registers that hold `width` of them each.
template <std::size_t width> struct alignas(width * sizeof(double)) Lanes {
    using Part = typename Register<width>::Numbers;
    using Counts = LaneCounts<width>;
    static constexpr std::size_t part_count = lane_count / width;
    Part parts[part_count];

    static INFOSIFT_INLINE Lanes load(const double *values) {
        // One load per register; copying bytes into the struct may take several, which stalls what reads them.
        Lanes lanes;
        for (std::size_t p = 0; p < part_count; ++p)
            lanes.parts[p] = *reinterpret_cast<const typename Register<width>::Unaligned *>(values + p * width);
        return lanes;
    }

    static INFOSIFT_INLINE Lanes all(double value) {
        Lanes lanes;
        for (Part &part : lanes.parts)
            part = Part{} + value;
        return lanes;
    }

    INFOSIFT_INLINE double operator[](std::size_t l) const { return parts[l / width][l % width]; }
    INFOSIFT_INLINE void set(std::size_t l, double value) { parts[l / width][l % width] = value; }

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
        using Bits = typename Counts::Part;
        for (Part &part : a.parts)
            part = reinterpret_cast<Part>(reinterpret_cast<Bits>(part) & (Bits{} + INT64_MAX));
        return a;
    }

    /// The lanes of `value` where the distance is at most the radius; zero in the others.
    friend INFOSIFT_INLINE Lanes where_within(Lanes value, const Lanes &distance, const Lanes &radius) {
        for (std::size_t p = 0; p < part_count; ++p)
            value.parts[p] = distance.parts[p] <= radius.parts[p] ? value.parts[p] : Part{};
        return value;
    }

    friend INFOSIFT_INLINE void count_below(Counts &counts, const Lanes &distance, const Lanes &radius) {
        for (std::size_t p = 0; p < part_count; ++p)
            counts.parts[p] -= distance.parts[p] < radius.parts[p]; // true is -1
    }

    friend INFOSIFT_INLINE void count_at_most(Counts &counts, const Lanes &distance, const Lanes &radius) {
        for (std::size_t p = 0; p < part_count; ++p)
            counts.parts[p] -= distance.parts[p] <= radius.parts[p];
    }
};

/// Per lane, the smallest distances seen so far, ascending.
template <std::size_t width> class NearestLanes {
public:
    INFOSIFT_INLINE explicit NearestLanes(std::span<Lanes<width>> storage) : distances_(storage) {
        for (auto &distance : distances_)
            distance = Lanes<width>::all(unreachable);
    }

    /// Without branches: in each lane the value sinks to its place, and the largest falls off the end.
    INFOSIFT_INLINE void offer(Lanes<width> value) {
        if (distances_.size() > worth_a_look && !((farthest() - value).largest() > 0))
            return; // too far in every lane
        for (auto &place : distances_) {
            const Lanes<width> kept = place;
            place = smaller(kept, value);
            value = larger(kept, value);
        }
    }

    INFOSIFT_INLINE Lanes<width> operator[](std::size_t rank) const { return distances_[rank]; }
    INFOSIFT_INLINE Lanes<width> farthest() const { return distances_.back(); }

private:
    static constexpr std::size_t worth_a_look = 12;

    std::span<Lanes<width>> distances_;
};

} // namespace infosift

#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace infosift {

/// Sorts rows by their values (radix sort); keeps its memory for the next column.
class RowSorter {
public:
    struct Key {
        // Those of the value, the sign inverted, and all others too if negative: they ascend as the values do.
        std::uint64_t bits;
        std::uint32_t row;

        double value() const { return std::bit_cast<double>(bits >> 63 ? bits ^ sign : ~bits); }
    };

    /// The rows in ascending order of their values; valid until the next call.
    std::span<const Key> operator()(std::span<const double> values);

private:
    static constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    static constexpr std::size_t digit_bits = 11, digits = 3, radix = 1 << digit_bits;
    static constexpr std::size_t leading_shift = 64 - digits * digit_bits;
    static constexpr std::size_t worth_counting = 512; // rows from which radix sort is the faster one

    static bool by_bits(const Key &a, const Key &b) { return a.bits < b.bits; }

    static std::size_t digit(const Key &key, std::size_t number) {
        return (key.bits >> (leading_shift + number * digit_bits)) & (radix - 1);
    }

    /// Three passes of counting sort, by 33 bits; few values agree in so many.
    void sort_by_leading_bits();
    void sort_runs_of_equal_leading_bits();

    std::vector<Key> keys_, other_;
    std::array<std::array<std::uint32_t, radix>, digits> counts_;
};

} // namespace infosift

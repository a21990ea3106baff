#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace infosift {

/// Sorts rows by their values; keeps its memory for the next column.
class RowSorter {
public:
    struct Key {
        std::uint64_t bits; // ascend as the values do
        std::uint32_t row;

        double value() const { return std::bit_cast<double>(bits >> 63 ? bits ^ sign : ~bits); }
    };

    std::span<const Key> operator()(std::span<const double> values) {
        keys_.resize(values.size());
        for (std::size_t row = 0; row < values.size(); ++row) {
            const auto bits = std::bit_cast<std::uint64_t>(values[row] + 0.0); // no negative zero
            keys_[row] = {bits & sign ? ~bits : bits | sign, static_cast<std::uint32_t>(row)};
        }
        if (values.size() >= worth_counting) {
            sort_by_leading_bits();
            sort_runs_of_equal_leading_bits();
        } else {
            std::sort(keys_.begin(), keys_.end(), by_bits);
        }
        return keys_;
    }

private:
    static constexpr std::uint64_t sign = std::uint64_t{1} << 63;
    static constexpr std::size_t digit_bits = 11, digits = 3, radix = 1 << digit_bits;
    static constexpr std::size_t leading_shift = 64 - digits * digit_bits;
    static constexpr std::size_t worth_counting = 512;

    static bool by_bits(const Key &a, const Key &b) { return a.bits < b.bits; }

    static std::size_t digit(const Key &key, std::size_t number) {
        return (key.bits >> (leading_shift + number * digit_bits)) & (radix - 1);
    }

    /// Three passes of counting; few values agree in so many bits.
    void sort_by_leading_bits() {
        for (auto &counts : counts_)
            counts.fill(0);
        for (const Key &key : keys_)
            for (std::size_t d = 0; d < digits; ++d)
                ++counts_[d][digit(key, d)];
        other_.resize(keys_.size());
        for (std::size_t d = 0; d < digits; ++d) {
            std::uint32_t start = 0;
            for (std::uint32_t &count : counts_[d]) {
                const std::uint32_t here = count;
                count = start;
                start += here;
            }
            for (const Key &key : keys_)
                other_[counts_[d][digit(key, d)]++] = key;
            std::swap(keys_, other_);
        }
    }

    void sort_runs_of_equal_leading_bits() {
        for (auto begin = keys_.begin(); begin != keys_.end();) {
            auto end = begin + 1;
            while (end != keys_.end() && end->bits >> leading_shift == begin->bits >> leading_shift)
                ++end;
            if (end - begin > 1)
                std::sort(begin, end, by_bits);
            begin = end;
        }
    }

    std::vector<Key> keys_, other_;
    std::array<std::array<std::uint32_t, radix>, digits> counts_;
};

} // namespace infosift

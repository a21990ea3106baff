#include "radix_sort.hpp"

#include <algorithm>
#include <utility>

namespace infosift {

std::span<const RowSorter::Key> RowSorter::operator()(std::span<const double> values) {
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

void RowSorter::sort_by_leading_bits() {
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

void RowSorter::sort_runs_of_equal_leading_bits() {
    for (auto begin = keys_.begin(); begin != keys_.end();) {
        auto end = begin + 1;
        while (end != keys_.end() && end->bits >> leading_shift == begin->bits >> leading_shift)
            ++end;
        if (end - begin > 1)
            std::sort(begin, end, by_bits);
        begin = end;
    }
}

} // namespace infosift

#pragma once

#include "series.hpp"

#include <cstddef>
#include <cstdint>

// Sums over the rows of products of whole numbers: the innermost loops of series and of pairs.

namespace infosift {

/// Sums with as many functions stand in a row, one row for each function that they are multiplied with.
inline constexpr std::size_t products_in_row = 32;

/// Add to `sums` the sums over some rows of the products of `ours` functions and `theirs`, each next to the other.
template <std::size_t ours, std::size_t theirs>
INFOSIFT_INLINE void add_tile(const std::int16_t *a, const std::int16_t *b, std::size_t stride,
                              std::size_t registers, std::int32_t *sums) {
    std::int32_t tile[ours][theirs] = {};
    for (std::size_t row = 0; row < registers * rows_of_register; ++row)
#pragma GCC unroll 4
        for (std::size_t i = 0; i < ours; ++i)
#pragma GCC unroll 4
            for (std::size_t j = 0; j < theirs; ++j)
                tile[i][j] += static_cast<std::int32_t>(a[i * stride + row]) *
                              static_cast<std::int32_t>(b[j * stride + row]);
    for (std::size_t i = 0; i < ours; ++i)
        for (std::size_t j = 0; j < theirs; ++j)
            sums[i * products_in_row + j] += tile[i][j];
}

template <std::size_t ours>
INFOSIFT_INLINE void add_rows(const std::int16_t *a, const std::int16_t *b, std::size_t stride,
                              std::size_t registers, std::size_t theirs, std::int32_t *sums) {
    std::size_t j = 0;
    for (; j + 4 <= theirs; j += 4)
        add_tile<ours, 4>(a, b + j * stride, stride, registers, sums + j);
    for (; j < theirs; ++j)
        add_tile<ours, 1>(a, b + j * stride, stride, registers, sums + j);
}

/// Add the products of `ours` functions and of `theirs`, at most 32.
INFOSIFT_INLINE void add_products(const std::int16_t *a, std::size_t ours, const std::int16_t *b,
                                  std::size_t stride, std::size_t registers, std::size_t theirs,
                                  std::int32_t *sums) {
    std::size_t i = 0;
    for (; i + 4 <= ours; i += 4)
        add_rows<4>(a + i * stride, b, stride, registers, theirs, sums + i * products_in_row);
    for (; i + 2 <= ours; i += 2)
        add_rows<2>(a + i * stride, b, stride, registers, theirs, sums + i * products_in_row);
    if (i < ours)
        add_rows<1>(a + i * stride, b, stride, registers, theirs, sums + i * products_in_row);
}

} // namespace infosift

#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace infosift {

/// Random permutations of rows within strata: for each draw, the row from which each row takes its value.
///
/// `order` has the rows stratum by stratum, `starts` where each stratum begins in it, and where the last one ends.
/// A draw is known by its number: it is the same whichever others are drawn, and on every machine. `sources` is
/// (draws x rows), for draws from `first` on.
void draw_permutations(std::uint64_t key, std::span<const std::uint32_t> order,
                       std::span<const std::uint32_t> starts, std::uint64_t first,
                       std::span<std::uint32_t> sources);

/// Functions of the target (functions x rows) as candidates meet them in draws, if these stay and the target
/// moves.
///
/// A row of a candidate that several rows take its value from meets the sum of their functions:
/// sum_i f(i) x(p(i)) = sum_j x(j) sum_{i: p(i) = j} f(i). Sums that 16 bits do not hold, of very many rows, are
/// cut off. `sources` is (draws x rows), and `permuted` (functions x draws x padded rows), zero at first.
void permute_functions(std::span<const std::int16_t> functions, std::size_t rows,
                       std::span<const std::uint32_t> sources, std::size_t padded_rows,
                       std::span<std::int16_t> permuted);

} // namespace infosift

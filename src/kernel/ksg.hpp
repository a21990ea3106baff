#pragma once

#include "digamma_sum.hpp"
#include "paths.hpp"
#include "problem.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace infosift {

/// Ways to the same sums.
enum class Path { dense, strips, beside };

Path best_path(const Problem &problem, std::size_t threads);

/// Add sums over all rows of digamma(given + candidate) + digamma(target), whatever their cells: a row per
/// candidate, a column per number of neighbours.
void add_digamma_sums(Path path, Way way, const Problem &problem, const DigammaTable &digamma,
                      std::span<std::int64_t> sums);

} // namespace infosift

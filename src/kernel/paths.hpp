#pragma once

#include "digamma_sum.hpp"
#include "instructions.hpp"
#include "problem.hpp"
#include "variant.hpp"

#include <cstdint>
#include <span>

namespace infosift {

/// How a path is taken.
struct Way {
    Variant variant;
    InstructionSet instructions;
};

// Sums over the rows of digamma(given + candidate) + digamma(target), added to those in `sums`: a row per
// candidate, a column per number of neighbours. Each path has a file of its own, and all of them are compiled at
// the same time.

/// By all pairs of rows. Only this path knows what to do with cells that are small or have no numbers.
void add_dense_sums(Way way, const Problem &problem, const DigammaTable &digamma, std::span<std::int64_t> sums);

/// By strips of rows, for one candidate after the other.
void add_strip_sums(Way way, const Problem &problem, const DigammaTable &digamma, std::span<std::int64_t> sums);

/// By lists of the rows near in the given columns, for all candidates together.
void add_beside_sums(Way way, const Problem &problem, const DigammaTable &digamma, std::span<std::int64_t> sums);

/// The sums of variant 1 over the rows without each fold, for candidates on their own and one target: by
/// candidate, fold and number of neighbours.
void find_fold_sums(InstructionSet instructions, const Problem &problem, const Folds &folds,
                    const DigammaTable &digamma, std::span<std::int64_t> sums);

} // namespace infosift

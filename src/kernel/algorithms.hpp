#pragma once

#include "estimator.hpp"
#include "instructions.hpp"
#include "problem.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

// The estimators need, for each row, the distance to its k-th neighbour in features and target together and the
// number of rows within it in the features and in the target. The algorithms find these in different ways and
// agree to the last bit:
//
// dense    the distances of all pairs of rows; for any data, and the only one for several targets and for gaps
// strips   rows cut into strips by the target, each sorted by the candidate; one candidate after the other
// batched  rows near in the given columns listed once for all candidates, four of which are scored at a time
// folds    all estimates that leave out one fold, from one search around each row
//
// Rows that no distance decides, since they have only categories or few rows like them, are scored in cells.hpp.

namespace infosift {

enum class Algorithm { dense, strips, batched };

/// The fastest algorithm for a problem.
Algorithm choose_algorithm(const Problem &problem, std::size_t threads);

/// Add the sums over the rows of digamma(given + candidate) + digamma(target), see `DigammaTable::add_terms`, to
/// those in `sums`: a row per candidate, a column per number of neighbours.
void add_digamma_sums(Algorithm algorithm, InstructionSet instructions, const Problem &problem,
                      const DigammaTable &digamma, std::span<std::int64_t> sums);

// Each algorithm has a file of its own, and all of them are compiled at the same time. All but the dense one leave
// out the rows whose neighbours are of another category.

void add_dense_sums(InstructionSet instructions, const Problem &problem, const DigammaTable &digamma,
                    std::span<std::int64_t> sums);

void add_strip_sums(InstructionSet instructions, const Problem &problem, const DigammaTable &digamma,
                    std::span<std::int64_t> sums);

void add_batched_sums(InstructionSet instructions, const Problem &problem, const DigammaTable &digamma,
                      std::span<std::int64_t> sums);

/// The sums of variant 1 over the rows without each fold, for candidates without given columns and one target: by
/// candidate, fold and number of neighbours.
void find_fold_sums(InstructionSet instructions, const Problem &problem, const Folds &folds,
                    const DigammaTable &digamma, std::span<std::int64_t> sums);

/// Run code compiled for an instruction set and a variant, both as constants: `code<variant, width>()`.
///
/// Variant 2, which few use, is compiled for the baseline only: it takes a quarter of the time to compile.
template <class Code> void run_for(InstructionSet instructions, Variant variant, const Code &code) {
    if (variant == Variant::cube)
        run_for(instructions, [&]<std::size_t width>()
                                  INFOSIFT_INLINE_LAMBDA { code.template operator()<Variant::cube, width>(); });
    else
        Compiled<2>::run([&]() INFOSIFT_INLINE_LAMBDA { code.template operator()<Variant::rectangle, 2>(); });
}

} // namespace infosift

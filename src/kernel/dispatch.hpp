#pragma once

#include "ksg.hpp"

#include <span>
#include <stdexcept>
#include <string_view>

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
#endif

namespace infosift {

using ScoreFunction = void (*)(const Problem &, Path, const DigammaTable &, std::span<std::int64_t>);
using FoldScoreFunction = void (*)(const Problem &, const Folds &, const DigammaTable &, std::span<std::int64_t>);

// Everything below `digamma_sums` and `fold_digamma_sums` is inlined into these, and so compiled for their
// instruction sets. The operations are subtractions, comparisons and sums of integers, which have the same results
// on all of them.

template <Variant variant>
void score_baseline(const Problem &problem, Path path, const DigammaTable &digamma, std::span<std::int64_t> sums) {
    digamma_sums<variant, 2>(problem, path, digamma, sums);
}

inline void score_folds_baseline(const Problem &problem, const Folds &folds, const DigammaTable &digamma,
                                 std::span<std::int64_t> sums) {
    fold_digamma_sums<2>(problem, folds, digamma, sums);
}

#if defined(__x86_64__)
template <Variant variant>
__attribute__((target("avx2"))) void score_avx2(const Problem &problem, Path path, const DigammaTable &digamma,
                                                std::span<std::int64_t> sums) {
    digamma_sums<variant, 4>(problem, path, digamma, sums);
}

__attribute__((target("avx2"))) inline void score_folds_avx2(const Problem &problem, const Folds &folds,
                                                             const DigammaTable &digamma,
                                                             std::span<std::int64_t> sums) {
    fold_digamma_sums<4>(problem, folds, digamma, sums);
}

#if defined(_WIN32)
// What __builtin_cpu_supports asks is not linked by clang-cl.
inline bool has_avx2() { return IsProcessorFeaturePresent(PF_AVX2_INSTRUCTIONS_AVAILABLE); }
#else
inline bool has_avx2() { return __builtin_cpu_supports("avx2"); }
#endif
#else
template <Variant variant> constexpr ScoreFunction score_avx2 = score_baseline<variant>;
constexpr FoldScoreFunction score_folds_avx2 = score_folds_baseline;
inline bool has_avx2() { return false; }
#endif

enum class InstructionSet { baseline, avx2 };

inline InstructionSet best_instruction_set() {
    static const InstructionSet best = has_avx2() ? InstructionSet::avx2 : InstructionSet::baseline;
    return best;
}

template <Variant variant> ScoreFunction score_function(InstructionSet instructions) {
    return instructions == InstructionSet::avx2 ? score_avx2<variant> : score_baseline<variant>;
}

inline FoldScoreFunction fold_score_function(InstructionSet instructions) {
    return instructions == InstructionSet::avx2 ? score_folds_avx2 : score_folds_baseline;
}

} // namespace infosift

#pragma once

#include <cstddef>

// Code that must be compiled for the instruction set of its caller, see `Compiled`.
#define INFOSIFT_INLINE __attribute__((always_inline)) inline
#define INFOSIFT_INLINE_LAMBDA __attribute__((always_inline))

namespace infosift {

enum class InstructionSet { baseline, avx2 };

bool has_avx2();
InstructionSet best_instruction_set();

/// Runs code compiled for the instruction set whose registers hold `width` numbers.
///
/// The code has a function of its own, into which all below it that is marked as inline is inlined. What is called
/// in several places is run by it too, so that it is compiled once and not for each of them. The operations are
/// subtractions, comparisons and sums of integers, which have the same results on every instruction set.
template <std::size_t width> struct Compiled;

template <> struct Compiled<2> {
    template <class Code> [[gnu::noinline]] static auto run(const Code &code) { return code(); }
};

#if defined(__x86_64__)
template <> struct Compiled<4> {
    template <class Code> [[gnu::noinline, gnu::target("avx2")]] static auto run(const Code &code) {
        return code();
    }
};
#endif

} // namespace infosift

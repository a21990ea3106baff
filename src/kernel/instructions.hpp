#pragma once

#include <cstddef>
#include <string_view>

// Code that must be compiled for the instruction set of its caller, see `Compiled`.
#define INFOSIFT_INLINE __attribute__((always_inline)) inline
#define INFOSIFT_INLINE_LAMBDA __attribute__((always_inline))

namespace infosift {

enum class InstructionSet { baseline, avx2 };

bool has_avx2();
InstructionSet best_instruction_set();

/// The instruction set of a name: "best", "baseline", or "avx2" on a machine that has it.
InstructionSet instruction_set_named(std::string_view name);

/// Runs code compiled for the instruction set whose registers hold `width` numbers.
///
/// The code becomes a function of its own, into which everything below it that is marked as inline is inlined.
/// What has several callers is run through here too, so that it is compiled once. The operations are subtractions,
/// comparisons and sums of integers, whose results are the same on every instruction set.
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

/// Run code compiled for an instruction set, with the width of its registers as a constant: `code<width>()`.
template <class Code> void run_for([[maybe_unused]] InstructionSet instructions, const Code &code) {
#if defined(__x86_64__)
    if (instructions == InstructionSet::avx2)
        return Compiled<4>::run([&]() INFOSIFT_INLINE_LAMBDA { code.template operator()<4>(); });
#endif
    Compiled<2>::run([&]() INFOSIFT_INLINE_LAMBDA { code.template operator()<2>(); });
}

} // namespace infosift

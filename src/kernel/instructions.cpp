#include "instructions.hpp"

#include <stdexcept>

#if defined(_WIN32)
#define WIN32_LEAN_AND_MEAN
#define NOMINMAX
#include <windows.h>
#endif

namespace infosift {

bool has_avx2() {
#if !defined(__x86_64__)
    return false;
#elif defined(_WIN32)
    // clang-cl does not link the library function behind __builtin_cpu_supports.
    return IsProcessorFeaturePresent(PF_AVX2_INSTRUCTIONS_AVAILABLE);
#else
    return __builtin_cpu_supports("avx2");
#endif
}

InstructionSet best_instruction_set() {
    static const InstructionSet best = has_avx2() ? InstructionSet::avx2 : InstructionSet::baseline;
    return best;
}

InstructionSet instruction_set_named(std::string_view name) {
    if (name == "best")
        return best_instruction_set();
    if (name == "baseline")
        return InstructionSet::baseline;
    if (name == "avx2" && has_avx2())
        return InstructionSet::avx2;
    throw std::invalid_argument("instructions must be best or baseline; or avx2, on a machine that has it");
}

} // namespace infosift

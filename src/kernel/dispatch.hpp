#pragma once

#include "instructions.hpp"
#include "paths.hpp"
#include "variant.hpp"

#include <cstddef>

namespace infosift {

/// Run code compiled for an instruction set, with the width of its registers as a constant: `code<width>()`.
template <class Code> void run_for([[maybe_unused]] InstructionSet instructions, const Code &code) {
#if defined(__x86_64__)
    if (instructions == InstructionSet::avx2)
        return Compiled<4>::run([&]() INFOSIFT_INLINE_LAMBDA { code.template operator()<4>(); });
#endif
    Compiled<2>::run([&]() INFOSIFT_INLINE_LAMBDA { code.template operator()<2>(); });
}

/// The same with the variant as a constant too: `code<variant, width>()`.
template <class Code> void run_for(Way way, const Code &code) {
    if (way.variant == Variant::cube)
        run_for(way.instructions, [&]<std::size_t width>() INFOSIFT_INLINE_LAMBDA {
            code.template operator()<Variant::cube, width>();
        });
    else
        run_for(way.instructions, [&]<std::size_t width>() INFOSIFT_INLINE_LAMBDA {
            code.template operator()<Variant::rectangle, width>();
        });
}

} // namespace infosift

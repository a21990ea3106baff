#include "folds.hpp"

#include "dispatch.hpp"
#include "paths.hpp"

namespace infosift {

void find_fold_sums(InstructionSet instructions, const Problem &problem, const Folds &folds,
                    const DigammaTable &digamma, std::span<std::int64_t> sums) {
    const auto most = static_cast<std::size_t>(problem.neighbors.back());
    run_for(instructions, [&]<std::size_t width>() INFOSIFT_INLINE_LAMBDA {
        FoldScorer<width> score(problem.target[0], folds, most, digamma);
        auto sum = sums.begin();
        for (std::size_t c = 0; c < problem.candidates.count(); ++c) {
            score(problem.candidates[c]);
            for (std::size_t fold = 0; fold < folds.count; ++fold)
                for (const std::int64_t k : problem.neighbors)
                    *sum++ = score.sum(fold, static_cast<std::size_t>(k));
        }
    });
}

} // namespace infosift

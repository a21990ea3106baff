#include "strip_scorer.hpp"

#include "dispatch.hpp"
#include "paths.hpp"

namespace infosift {

namespace {

template <Variant variant, std::size_t width, bool with_given>
INFOSIFT_INLINE void score_each(const Problem &problem, const DigammaTable &digamma,
                                std::span<std::int64_t> sums) {
    StripScorer<variant, width, with_given> score(problem.given, problem.target[0], problem.neighbors, digamma);
    for (std::size_t c = 0; c < problem.candidates.count() && !problem.share.stops(); ++c)
        score(problem.candidates[c], sums.subspan(c * problem.neighbors.size(), problem.neighbors.size()));
}

} // namespace

void add_strip_sums(Way way, const Problem &problem, const DigammaTable &digamma, std::span<std::int64_t> sums) {
    if (problem.given.count() == 0)
        run_for(way, [&]<Variant variant, std::size_t width>()
                         INFOSIFT_INLINE_LAMBDA { score_each<variant, width, false>(problem, digamma, sums); });
    else
        run_for(way, [&]<Variant variant, std::size_t width>()
                         INFOSIFT_INLINE_LAMBDA { score_each<variant, width, true>(problem, digamma, sums); });
}

} // namespace infosift

#include "beside.hpp"

#include "dispatch.hpp"
#include "paths.hpp"

namespace infosift {

void add_beside_sums(Way way, const Problem &problem, const DigammaTable &digamma, std::span<std::int64_t> sums) {
    run_for(way, [&]<Variant variant, std::size_t width>() INFOSIFT_INLINE_LAMBDA {
        BesideScorer<variant, width> score(problem.candidates, problem.given, problem.target, problem.neighbors,
                                           digamma);
        score(problem.share, sums);
    });
}

} // namespace infosift

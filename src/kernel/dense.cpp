#include "dense.hpp"

#include "dispatch.hpp"
#include "paths.hpp"

namespace infosift {

void add_dense_sums(Way way, const Problem &problem, const DigammaTable &digamma, std::span<std::int64_t> sums) {
    run_for(way, [&]<Variant variant, std::size_t>() INFOSIFT_INLINE_LAMBDA {
        DenseScorer<variant> score(problem.candidates, problem.given, problem.target, problem.neighbors, digamma);
        for (std::size_t row = 0; row < problem.target.rows() && !problem.share.stops(); ++row) {
            score.enter(row);
            for (std::size_t c = 0; c < problem.candidates.count(); ++c)
                score(c, sums.subspan(c * problem.neighbors.size(), problem.neighbors.size()));
        }
    });
}

} // namespace infosift

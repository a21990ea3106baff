#pragma once

#include "beside.hpp"
#include "columns.hpp"
#include "dense.hpp"
#include "digamma_sum.hpp"
#include "folds.hpp"
#include "strips.hpp"
#include "variant.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace infosift {

/// What is scored: each candidate together with the given columns, for ascending numbers of neighbours.
struct Problem {
    Columns candidates, given, target;
    std::span<const std::int64_t> neighbors;
    Share share{}; // of the rows to sum over; only the path beside a subset can leave rows to others
};

/// Ways to the same sums.
enum class Path { dense, strips, beside };

inline Path best_path(const Problem &problem) {
    constexpr std::size_t fewest_rows = 32;
    if (problem.target.count() > 1 || problem.target.rows() < fewest_rows)
        return Path::dense;
    return problem.given.count() == 0 ? Path::strips : Path::beside;
}

/// Sums over the rows of digamma(given + candidate) + digamma(target): a row per candidate, a column per number of
/// neighbours.
template <Variant variant, std::size_t width>
INFOSIFT_INLINE void digamma_sums(const Problem &problem, Path path, const DigammaTable &digamma,
                                  std::span<std::int64_t> sums) {
    const auto &[candidates, given, target, neighbors, share] = problem;
    const auto sums_of = [&](std::size_t c) { return sums.subspan(c * neighbors.size(), neighbors.size()); };
    if (path == Path::beside) {
        BesideScorer<variant, width> score(candidates, given, target, neighbors, digamma);
        score(share, sums);
    } else if (path == Path::strips) {
        StripScorer<variant, width> score(target[0], neighbors, digamma);
        for (std::size_t c = 0; c < candidates.count(); ++c)
            score(candidates[c], sums_of(c));
    } else {
        DenseScorer<variant> score(given, target, neighbors, digamma);
        for (std::size_t row = 0; row < target.rows(); ++row) {
            score.enter(row);
            for (std::size_t c = 0; c < candidates.count(); ++c)
                score(candidates[c], sums_of(c));
        }
    }
}

/// The sums of variant 1 over the rows without each fold, for candidates on their own and one target: by
/// candidate, fold and number of neighbours.
template <std::size_t width>
INFOSIFT_INLINE void fold_digamma_sums(const Problem &problem, const Folds &folds, const DigammaTable &digamma,
                                       std::span<std::int64_t> sums) {
    FoldScorer<width> score(problem.target[0], folds, static_cast<std::size_t>(problem.neighbors.back()), digamma);
    auto sum = sums.begin();
    for (std::size_t c = 0; c < problem.candidates.count(); ++c) {
        score(problem.candidates[c]);
        for (std::size_t fold = 0; fold < folds.count; ++fold)
            for (const std::int64_t k : problem.neighbors)
                *sum++ = score.sum(fold, static_cast<std::size_t>(k));
    }
}

} // namespace infosift

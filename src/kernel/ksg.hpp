#pragma once

#include "beside.hpp"
#include "categories.hpp"
#include "cell_scorer.hpp"
#include "columns.hpp"
#include "dense.hpp"
#include "digamma_sum.hpp"
#include "folds.hpp"
#include "strip_scorer.hpp"
#include "variant.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace infosift {

/// What is scored: each candidate together with the given columns, for ascending numbers of neighbours.
struct Problem {
    Columns candidates, given, target;
    std::span<const std::int64_t> neighbors;
    Share share{}; // of the rows to sum over; only the path beside a subset can leave rows to others
};

inline bool has_categories(const Problem &problem) {
    return has_categories(problem.candidates) || has_categories(problem.given) || has_categories(problem.target);
}

/// Ways to the same sums.
enum class Path { dense, strips, beside };

inline Path best_path(const Problem &problem, std::size_t threads) {
    constexpr std::size_t fewest_rows = 32;
    constexpr std::size_t few = 8; // candidates beside one column, for which lists of near rows do not pay
    if (problem.target.count() > 1 || problem.target.rows() < fewest_rows)
        return Path::dense;
    if (has_gaps(problem.target) || has_gaps(problem.given) || has_gaps(problem.candidates))
        return Path::dense;
    const bool has_few = problem.candidates.count() * problem.given.count() * threads <= few;
    return problem.given.count() == 0 || has_few ? Path::strips : Path::beside;
}

/// Some of the candidates, side by side.
class PickedCandidates {
public:
    PickedCandidates(const Columns &candidates, std::span<const std::size_t> picked)
        : values_(picked.size() * candidates.rows()), view_(values_.data(), picked.size(), candidates.rows()) {
        auto end = values_.begin();
        for (const std::size_t c : picked)
            end = std::copy(candidates[c].begin(), candidates[c].end(), end);
    }
    PickedCandidates(const PickedCandidates &) = delete;

    const Columns &columns() const { return view_; }

private:
    std::vector<double> values_;
    Columns view_;
};

/// Sums over the rows of digamma(given + candidate) + digamma(target) along a path: a row per candidate, a column
/// per number of neighbours. Only the dense path knows what to do with cells that are small or have no numbers.
template <Variant variant, std::size_t width>
INFOSIFT_INLINE void sums_along(Path path, const Problem &problem, const DigammaTable &digamma,
                                std::span<std::int64_t> sums) {
    const auto &[candidates, given, target, neighbors, share] = problem;
    const auto sums_of = [&](std::size_t c) { return sums.subspan(c * neighbors.size(), neighbors.size()); };
    if (path == Path::beside) {
        BesideScorer<variant, width> score(candidates, given, target, neighbors, digamma);
        score(share, sums);
    } else if (path == Path::strips) {
        const auto score_each = [&](auto score) INFOSIFT_INLINE_LAMBDA {
            for (std::size_t c = 0; c < candidates.count() && !share.stops(); ++c)
                score(candidates[c], sums_of(c));
        };
        if (given.count() == 0)
            score_each(StripScorer<variant, width, false>(given, target[0], neighbors, digamma));
        else
            score_each(StripScorer<variant, width, true>(given, target[0], neighbors, digamma));
    } else {
        DenseScorer<variant> score(candidates, given, target, neighbors, digamma);
        for (std::size_t row = 0; row < target.rows() && !share.stops(); ++row) {
            score.enter(row);
            for (std::size_t c = 0; c < candidates.count(); ++c)
                score(c, sums_of(c));
        }
    }
}

/// The same over all rows, whatever their cells.
template <Variant variant, std::size_t width>
INFOSIFT_INLINE void digamma_sums(const Problem &problem, Path path, const DigammaTable &digamma,
                                  std::span<std::int64_t> sums) {
    if (variant == Variant::rectangle || path == Path::dense || !has_categories(problem))
        return sums_along<variant, width>(path, problem, digamma, sums);

    const auto &[candidates, given, target, neighbors, share] = problem;
    const CellScorer score_cells(given, target, neighbors, digamma);
    std::vector<std::size_t> others; // than those scored by their cells alone
    for (std::size_t c = 0; c < candidates.count(); ++c) {
        const bool take_path = !score_cells.scores_all(candidates[c]);
        if (take_path)
            others.push_back(c);
        if (c % share.count == share.number)
            score_cells(candidates[c], take_path, sums.subspan(c * neighbors.size(), neighbors.size()));
    }
    if (others.size() == candidates.count())
        return sums_along<variant, width>(path, problem, digamma, sums);
    if (others.empty())
        return;
    const PickedCandidates picked(candidates, others);
    std::vector<std::int64_t> sums_of_others(others.size() * neighbors.size(), 0);
    const Problem rest{picked.columns(), given, target, neighbors, share};
    sums_along<variant, width>(path, rest, digamma, sums_of_others);
    for (std::size_t o = 0; o < others.size(); ++o)
        for (std::size_t q = 0; q < neighbors.size(); ++q)
            sums[others[o] * neighbors.size() + q] += sums_of_others[o * neighbors.size() + q];
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

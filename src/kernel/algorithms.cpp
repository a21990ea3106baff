#include "algorithms.hpp"

#include "categories.hpp"
#include "cells.hpp"

#include <vector>

namespace infosift {

namespace {

/// Whether any of the columns of a problem have a property.
bool any_columns(const Problem &problem, bool property(std::span<const double>)) {
    return property(problem.candidates.values()) || property(problem.given.values()) ||
           property(problem.target.values());
}

void add_sums_by_distance(Algorithm algorithm, InstructionSet instructions, const Problem &problem,
                          const DigammaTable &digamma, std::span<std::int64_t> sums) {
    switch (algorithm) {
    case Algorithm::dense:
        return add_dense_sums(instructions, problem, digamma, sums);
    case Algorithm::strips:
        return add_strip_sums(instructions, problem, digamma, sums);
    case Algorithm::batched:
        return add_batched_sums(instructions, problem, digamma, sums);
    }
}

} // namespace

Algorithm choose_algorithm(const Problem &problem, std::size_t threads) {
    constexpr std::size_t fewest_rows = 32; // below, sorting costs more than all pairs
    constexpr std::size_t few = 8;          // candidates with one given column, for which lists do not pay
    if (problem.target.count() > 1 || problem.target.rows() < fewest_rows)
        return Algorithm::dense;
    if (any_columns(problem, has_gaps))
        return Algorithm::dense;
    const bool has_few = problem.candidates.count() * problem.given.count() * threads <= few;
    return problem.given.count() == 0 || has_few ? Algorithm::strips : Algorithm::batched;
}

void add_digamma_sums(Algorithm algorithm, InstructionSet instructions, const Problem &problem,
                      const DigammaTable &digamma, std::span<std::int64_t> sums) {
    if (problem.variant == Variant::rectangle || algorithm == Algorithm::dense ||
        !any_columns(problem, has_categories))
        return add_sums_by_distance(algorithm, instructions, problem, digamma, sums);

    const Columns &candidates = problem.candidates;
    const CellScorer score_cells(problem.given, problem.target, problem.neighbors, digamma);
    std::vector<std::size_t> others; // than those scored by their cells alone
    for (std::size_t c = 0; c < candidates.count(); ++c) {
        const bool by_distance = !score_cells.scores_all(candidates[c]);
        if (by_distance)
            others.push_back(c);
        if (c % problem.share.count == problem.share.number)
            score_cells(candidates[c], by_distance, problem.sums_of(c, sums));
    }
    if (others.empty())
        return;
    if (others.size() == candidates.count())
        return add_sums_by_distance(algorithm, instructions, problem, digamma, sums);
    const StoredColumns columns_of_others(others.size(), candidates.rows(), [&](std::size_t c, std::size_t row) {
        return candidates[others[c]][row];
    });
    Problem rest = problem;
    rest.candidates = columns_of_others.columns();
    std::vector<std::int64_t> sums_of_others(others.size() * problem.neighbors.size(), 0);
    add_sums_by_distance(algorithm, instructions, rest, digamma, sums_of_others);
    for (std::size_t o = 0; o < others.size(); ++o)
        for (std::size_t q = 0; q < problem.neighbors.size(); ++q)
            problem.sums_of(others[o], sums)[q] += rest.sums_of(o, sums_of_others)[q];
}

} // namespace infosift

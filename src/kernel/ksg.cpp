#include "ksg.hpp"

#include "categories.hpp"
#include "cell_scorer.hpp"
#include "columns.hpp"

#include <algorithm>
#include <vector>

namespace infosift {

namespace {

bool has_categories(const Problem &problem) {
    return has_categories(problem.candidates) || has_categories(problem.given) || has_categories(problem.target);
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

void add_sums_along(Path path, Way way, const Problem &problem, const DigammaTable &digamma,
                    std::span<std::int64_t> sums) {
    switch (path) {
    case Path::dense:
        return add_dense_sums(way, problem, digamma, sums);
    case Path::strips:
        return add_strip_sums(way, problem, digamma, sums);
    case Path::beside:
        return add_beside_sums(way, problem, digamma, sums);
    }
}

} // namespace

Path best_path(const Problem &problem, std::size_t threads) {
    constexpr std::size_t fewest_rows = 32;
    constexpr std::size_t few = 8; // candidates beside one column, for which lists of near rows do not pay
    if (problem.target.count() > 1 || problem.target.rows() < fewest_rows)
        return Path::dense;
    if (has_gaps(problem.target) || has_gaps(problem.given) || has_gaps(problem.candidates))
        return Path::dense;
    const bool has_few = problem.candidates.count() * problem.given.count() * threads <= few;
    return problem.given.count() == 0 || has_few ? Path::strips : Path::beside;
}

void add_digamma_sums(Path path, Way way, const Problem &problem, const DigammaTable &digamma,
                      std::span<std::int64_t> sums) {
    if (way.variant == Variant::rectangle || path == Path::dense || !has_categories(problem))
        return add_sums_along(path, way, problem, digamma, sums);

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
        return add_sums_along(path, way, problem, digamma, sums);
    if (others.empty())
        return;
    const PickedCandidates picked(candidates, others);
    std::vector<std::int64_t> sums_of_others(others.size() * neighbors.size(), 0);
    const Problem rest{picked.columns(), given, target, neighbors, share};
    add_sums_along(path, way, rest, digamma, sums_of_others);
    for (std::size_t o = 0; o < others.size(); ++o)
        for (std::size_t q = 0; q < neighbors.size(); ++q)
            sums[others[o] * neighbors.size() + q] += sums_of_others[o * neighbors.size() + q];
}

} // namespace infosift

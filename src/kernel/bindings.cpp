#include "algorithms.hpp"
#include "arrays.hpp"
#include "categories.hpp"
#include "lanes.hpp"

#include <nanobind/stl/string_view.h>

#include <algorithm>
#include <array>
#include <functional>
#include <future>
#include <memory>
#include <stdexcept>
#include <string_view>

namespace nb = nanobind;
using namespace infosift;

namespace {

using ColumnArray = ArrayOf<double, 2>;
using CountArray = ArrayOf<std::int64_t, 1>;
using TableArray = ArrayOf<double, 1>;

Columns view(const ColumnArray &array) { return {array.data(), array.shape(0), array.shape(1)}; }

void check(const Problem &problem, std::span<const double> digamma) {
    const std::size_t rows = problem.target.rows();
    if (problem.candidates.rows() != rows || problem.given.rows() != rows)
        throw std::invalid_argument("candidates, given and target must have the same number of rows");
    if (problem.target.count() == 0)
        throw std::invalid_argument("target must have at least one column");
    if (digamma.size() != rows + 1)
        throw std::invalid_argument("digamma must have a value for each count from 0 to the number of rows");
    std::int64_t previous = 0;
    for (const std::int64_t k : problem.neighbors) {
        if (k <= previous || k >= static_cast<std::int64_t>(rows))
            throw std::invalid_argument("neighbors must ascend from at least 1 to at most the number of rows - 1");
        previous = k;
    }
    if (previous == 0)
        throw std::invalid_argument("neighbors must not be empty");
}

/// Check the folds, and count the rows without each.
std::vector<std::int64_t> rows_without_folds(const Problem &problem, const CountArray &folds) {
    const std::size_t rows = problem.target.rows();
    if (problem.target.count() != 1 || rows < lane_count || folds.size() != rows)
        throw std::invalid_argument("folds need one target, a few rows, and a number for each row");
    const std::span of_row(folds.data(), rows);
    if (*std::min_element(of_row.begin(), of_row.end()) < 0)
        throw std::invalid_argument("folds must be numbered from 0");
    const auto count = static_cast<std::size_t>(*std::max_element(of_row.begin(), of_row.end())) + 1;
    if (count > rows)
        throw std::invalid_argument("there must not be more folds than rows");
    std::vector<std::int64_t> left(count, static_cast<std::int64_t>(rows));
    for (const std::int64_t fold : of_row)
        --left[static_cast<std::size_t>(fold)];
    for (const std::int64_t rows_left : left)
        if (rows_left <= problem.neighbors.back())
            throw std::invalid_argument("neighbors must be fewer than the rows left without a fold");
    return left;
}

Algorithm algorithm_named(std::string_view name, const Problem &problem, std::size_t threads) {
    const bool sortable = problem.target.count() == 1 && problem.target.rows() >= lane_count;
    if (name == "best")
        return choose_algorithm(problem, threads);
    if (name == "dense")
        return Algorithm::dense;
    if (name == "strips" && sortable)
        return Algorithm::strips;
    if (name == "batched" && sortable && problem.given.count() > 0)
        return Algorithm::batched;
    throw std::invalid_argument("algorithm must be best or dense; or strips, for one target and at least four "
                                "rows; or batched, for at least one given column too");
}

/// Whether a signal handler raised, such as that of Ctrl-C; Python runs these on its main thread only.
bool is_interrupted() {
    nb::gil_scoped_acquire acquired;
    return PyErr_CheckSignals() != 0;
}

/// The sums of a problem. In the batched algorithm each thread takes a share of the rows, not of the candidates,
/// since all candidates share the lists of near rows.
std::vector<std::int64_t> sums_on_threads(Algorithm algorithm, InstructionSet instructions, const Problem &problem,
                                          const DigammaTable &table, std::size_t threads,
                                          InterruptCheck &interrupts) {
    const std::size_t size = problem.candidates.count() * problem.neighbors.size();
    const auto sums_of = [&](std::size_t number, std::size_t count) {
        Problem part = problem;
        part.share = {number, count, &interrupts};
        std::vector<std::int64_t> sums(size, 0);
        add_digamma_sums(algorithm, instructions, part, table, sums);
        return sums;
    };
    if (algorithm != Algorithm::batched || threads < 2)
        return sums_of(0, 1);
    std::vector<std::future<std::vector<std::int64_t>>> others;
    for (std::size_t number = 1; number < threads; ++number)
        others.push_back(std::async(std::launch::async, sums_of, number, threads));
    std::vector<std::int64_t> sums = sums_of(0, threads);
    for (auto &other : others) {
        const auto more = other.get();
        std::transform(sums.begin(), sums.end(), more.begin(), sums.begin(), std::plus<>());
    }
    return sums;
}

NewArray<double, 2> digamma_means(const ColumnArray &candidates, const ColumnArray &given,
                                  const ColumnArray &target, const CountArray &neighbors,
                                  const TableArray &digamma, int variant, std::size_t threads,
                                  std::string_view algorithm_name, std::string_view instructions_name) {
    if (variant != 1 && variant != 2)
        throw std::invalid_argument("variant must be 1 or 2");
    const Problem problem{view(candidates),
                          view(given),
                          view(target),
                          {neighbors.data(), neighbors.size()},
                          static_cast<Variant>(variant)};
    const std::span digamma_values(digamma.data(), digamma.size());
    check(problem, digamma_values);
    const Algorithm algorithm = algorithm_named(algorithm_name, problem, threads);
    const InstructionSet instructions = instruction_set_named(instructions_name);

    const std::size_t size = problem.candidates.count() * problem.neighbors.size();
    auto means = std::make_unique<double[]>(size);
    {
        nb::gil_scoped_release released;
        const DigammaTable table(digamma_values);
        InterruptCheck interrupts(is_interrupted);
        const auto sums = sums_on_threads(algorithm, instructions, problem, table, threads, interrupts);
        if (interrupts.interrupted()) {
            nb::gil_scoped_acquire acquired;
            throw nb::python_error();
        }
        for (std::size_t q = 0; q < size; ++q)
            means[q] = table.to_double(sums[q]) / static_cast<double>(problem.target.rows());
    }
    return as_array<2>(std::move(means), {problem.candidates.count(), problem.neighbors.size()});
}

NewArray<double, 3> fold_digamma_means(const ColumnArray &candidates, const ColumnArray &target,
                                       const CountArray &folds, const CountArray &neighbors,
                                       const TableArray &digamma, std::string_view instructions_name) {
    const Columns no_columns(nullptr, 0, target.shape(1));
    const Problem problem{view(candidates), no_columns, view(target), {neighbors.data(), neighbors.size()}};
    const std::span digamma_values(digamma.data(), digamma.size());
    check(problem, digamma_values);
    const std::vector<std::int64_t> rows_left = rows_without_folds(problem, folds);
    const InstructionSet instructions = instruction_set_named(instructions_name);

    const std::size_t count = problem.candidates.count(), fold_count = rows_left.size();
    const std::size_t size = count * fold_count * problem.neighbors.size();
    auto means = std::make_unique<double[]>(size);
    {
        nb::gil_scoped_release released;
        const DigammaTable table(digamma_values);
        std::vector<std::int64_t> sums(size, 0);
        const Folds partition{{folds.data(), folds.size()}, fold_count};
        find_fold_sums(instructions, problem, partition, table, sums);
        for (std::size_t q = 0; q < size; ++q) {
            const std::size_t fold = q / problem.neighbors.size() % fold_count;
            means[q] = table.to_double(sums[q]) / static_cast<double>(rows_left[fold]);
        }
    }
    return as_array<3>(std::move(means), {count, fold_count, problem.neighbors.size()});
}

} // namespace

NB_MODULE(_kernel, module) {
    module.doc() = "Nearest-neighbour counts for the estimators of mutual information of Kraskov et al. (2004), "
                   "and draws of\n"
                   "permutation tests.";
    module.def(
        "digamma_means", &digamma_means, nb::arg("candidates").noconvert(), nb::arg("given").noconvert(),
        nb::arg("target").noconvert(), nb::arg("neighbors").noconvert(), nb::arg("digamma").noconvert(),
        nb::arg("variant"), nb::arg("threads") = 1, nb::arg("algorithm") = "best",
        nb::arg("instructions") = "best",
        "Mean over the rows of digamma(neighbours in given + candidate) + digamma(neighbours in target).\n\n"
        "Arrays hold one column of the table per row. Returns (candidates x neighbors), the same for every\n"
        "algorithm, instruction set and number of threads.");
    module.def("fold_digamma_means", &fold_digamma_means, nb::arg("candidates").noconvert(),
               nb::arg("target").noconvert(), nb::arg("folds").noconvert(), nb::arg("neighbors").noconvert(),
               nb::arg("digamma").noconvert(), nb::arg("instructions") = "best",
               "The same means of variant 1, without given columns, over the rows without each fold.\n\n"
               "`folds` has the number of its fold for each row. Returns (candidates x folds x neighbors).");
    module.attr("CATEGORY_GAP") = category_gap;
    bind_draws(module);
    module.def("has_avx2", &has_avx2, "Whether this machine has the AVX2 instructions.");
}

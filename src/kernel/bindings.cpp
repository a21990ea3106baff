#include "categories.hpp"
#include "ksg.hpp"
#include "lanes.hpp"
#include "paths.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>
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

using ColumnArray = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using CountArray = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using TableArray = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using ScoreArray = nb::ndarray<nb::numpy, double, nb::ndim<2>>;
using FoldScoreArray = nb::ndarray<nb::numpy, double, nb::ndim<3>>;

Columns view(const ColumnArray &array) { return {array.data(), array.shape(0), array.shape(1)}; }

void check(const Problem &problem, std::span<const double> digamma) {
    const auto &[candidates, given, target, neighbors, share] = problem;
    const std::size_t rows = target.rows();
    if (candidates.rows() != rows || given.rows() != rows)
        throw std::invalid_argument("candidates, given and target must have the same number of rows");
    if (target.count() == 0)
        throw std::invalid_argument("target must have at least one column");
    if (digamma.size() != rows + 1)
        throw std::invalid_argument("digamma must have a value for each count from 0 to the number of rows");
    std::int64_t previous = 0;
    for (const std::int64_t k : neighbors) {
        if (k <= previous || k >= static_cast<std::int64_t>(rows))
            throw std::invalid_argument("neighbors must ascend from at least 1 to at most the number of rows - 1");
        previous = k;
    }
    if (previous == 0)
        throw std::invalid_argument("neighbors must not be empty");
}

/// Check the folds, and count the rows that are left without each.
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

template <std::size_t dimensions>
nb::ndarray<nb::numpy, double, nb::ndim<dimensions>> as_array(std::unique_ptr<double[]> values,
                                                              const std::array<std::size_t, dimensions> &shape) {
    double *data = values.release();
    nb::capsule owner(data, [](void *p) noexcept { delete[] static_cast<double *>(p); });
    return nb::ndarray<nb::numpy, double, nb::ndim<dimensions>>(data, dimensions, shape.data(), owner);
}

Path path_named(std::string_view name, const Problem &problem, std::size_t threads) {
    const bool possible_on_lists = problem.target.count() == 1 && problem.target.rows() >= lane_count;
    if (name == "best")
        return best_path(problem, threads);
    if (name == "dense")
        return Path::dense;
    if (name == "strips" && possible_on_lists)
        return Path::strips;
    if (name == "beside" && possible_on_lists && problem.given.count() > 0)
        return Path::beside;
    throw std::invalid_argument("path must be one of best, dense, strips, beside, and able to take the problem");
}

InstructionSet instruction_set_named(std::string_view name) {
    if (name == "best")
        return best_instruction_set();
    if (name == "baseline")
        return InstructionSet::baseline;
    if (name == "avx2" && has_avx2())
        return InstructionSet::avx2;
    throw std::invalid_argument("instructions must be one of best, baseline, avx2, and known to this machine");
}

/// Whether no key was pressed to interrupt; Python asks for that on its main thread only.
bool is_uninterrupted() {
    nb::gil_scoped_acquire acquired;
    return PyErr_CheckSignals() == 0;
}

/// The sums of a problem; beside a subset, threads take a share of the rows each, since all candidates share much.
std::vector<std::int64_t> sums_on_threads(Path path, Way way, const Problem &problem, const DigammaTable &table,
                                          std::size_t threads, Watch &watch) {
    const std::size_t size = problem.candidates.count() * problem.neighbors.size();
    const auto sums_of = [&](std::size_t number, std::size_t count) {
        Problem part = problem;
        part.share = {number, count, &watch};
        std::vector<std::int64_t> sums(size, 0);
        add_digamma_sums(path, way, part, table, sums);
        return sums;
    };
    if (path != Path::beside || threads < 2)
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

ScoreArray digamma_means(const ColumnArray &candidates, const ColumnArray &given, const ColumnArray &target,
                         const CountArray &neighbors, const TableArray &digamma, int variant, std::size_t threads,
                         std::string_view path_name, std::string_view instructions_name) {
    const Problem problem{view(candidates), view(given), view(target), {neighbors.data(), neighbors.size()}};
    const std::span digamma_values(digamma.data(), digamma.size());
    check(problem, digamma_values);
    if (variant != 1 && variant != 2)
        throw std::invalid_argument("variant must be 1 or 2");
    const Path path = path_named(path_name, problem, threads);
    const Way way{static_cast<Variant>(variant), instruction_set_named(instructions_name)};

    const std::size_t size = problem.candidates.count() * problem.neighbors.size();
    auto means = std::make_unique<double[]>(size);
    {
        nb::gil_scoped_release released;
        const DigammaTable table(digamma_values);
        Watch watch(is_uninterrupted);
        const std::vector<std::int64_t> sums = sums_on_threads(path, way, problem, table, threads, watch);
        if (watch.stopped()) {
            nb::gil_scoped_acquire acquired;
            throw nb::python_error();
        }
        for (std::size_t q = 0; q < size; ++q)
            means[q] = table.to_double(sums[q]) / static_cast<double>(problem.target.rows());
    }
    return as_array<2>(std::move(means), {problem.candidates.count(), problem.neighbors.size()});
}

FoldScoreArray fold_digamma_means(const ColumnArray &candidates, const ColumnArray &target,
                                  const CountArray &folds, const CountArray &neighbors, const TableArray &digamma,
                                  std::string_view instructions_name) {
    const Columns nothing(nullptr, 0, target.shape(1));
    const Problem problem{view(candidates), nothing, view(target), {neighbors.data(), neighbors.size()}};
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
    module.doc() = "Nearest-neighbour counts for blocks of candidate columns beside a fixed subset.";
    module.def(
        "digamma_means", &digamma_means, nb::arg("candidates").noconvert(), nb::arg("given").noconvert(),
        nb::arg("target").noconvert(), nb::arg("neighbors").noconvert(), nb::arg("digamma").noconvert(),
        nb::arg("variant"), nb::arg("threads") = 1, nb::arg("path") = "best", nb::arg("instructions") = "best",
        "Mean over the rows of digamma(neighbours in given + candidate) + digamma(neighbours in target).\n\n"
        "Arrays hold one column of the table per row. Returns (candidates x neighbors), the same for every\n"
        "path, instruction set and number of threads.");
    module.def("fold_digamma_means", &fold_digamma_means, nb::arg("candidates").noconvert(),
               nb::arg("target").noconvert(), nb::arg("folds").noconvert(), nb::arg("neighbors").noconvert(),
               nb::arg("digamma").noconvert(), nb::arg("instructions") = "best",
               "The means of variant 1 over the rows without each fold, for single candidates and one target.\n\n"
               "`folds` has the number of its fold for each row. Returns (candidates x folds x neighbors).");
    module.attr("CATEGORY_GAP") = category_gap;
    module.def("has_avx2", &has_avx2, "Whether this machine has the AVX2 instructions.");
}

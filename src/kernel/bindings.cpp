#include "ksg.hpp"

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <memory>
#include <stdexcept>

namespace nb = nanobind;
using namespace infosift;

namespace {

using ColumnArray = nb::ndarray<const double, nb::ndim<2>, nb::c_contig, nb::device::cpu>;
using CountArray = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using TableArray = nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using ScoreArray = nb::ndarray<nb::numpy, double, nb::ndim<2>>;

Columns view(const ColumnArray &array) { return {array.data(), array.shape(0), array.shape(1)}; }

void check(const Columns &candidates, const Columns &given, const Columns &target,
           std::span<const std::int64_t> neighbors, std::span<const double> digamma) {
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

ScoreArray digamma_means(const ColumnArray &candidate_array, const ColumnArray &given_array,
                         const ColumnArray &target_array, const CountArray &neighbor_array,
                         const TableArray &digamma_array, int variant) {
    const Columns candidates = view(candidate_array), given = view(given_array), target = view(target_array);
    const std::span neighbors(neighbor_array.data(), neighbor_array.size());
    const std::span digamma(digamma_array.data(), digamma_array.size());
    check(candidates, given, target, neighbors, digamma);
    if (variant != 1 && variant != 2)
        throw std::invalid_argument("variant must be 1 or 2");

    const std::size_t size = candidates.count() * neighbors.size();
    auto values = std::make_unique<double[]>(size);
    {
        nb::gil_scoped_release released;
        const DigammaTable table(digamma);
        const std::span out(values.get(), size);
        if (variant == 1)
            DigammaMeans<Variant::cube>(given, target, neighbors, table)(candidates, out);
        else
            DigammaMeans<Variant::rectangle>(given, target, neighbors, table)(candidates, out);
    }
    double *data = values.release();
    nb::capsule owner(data, [](void *p) noexcept { delete[] static_cast<double *>(p); });
    return ScoreArray(data, {candidates.count(), neighbors.size()}, owner);
}

} // namespace

NB_MODULE(_kernel, module) {
    module.doc() = "Nearest-neighbour counts for blocks of candidate columns beside a fixed subset.";
    module.def(
        "digamma_means", &digamma_means, nb::arg("candidates").noconvert(), nb::arg("given").noconvert(),
        nb::arg("target").noconvert(), nb::arg("neighbors").noconvert(), nb::arg("digamma").noconvert(),
        nb::arg("variant"),
        "Mean over the rows of digamma(neighbours in given + candidate) + digamma(neighbours in target).\n\n"
        "Arrays hold one column of the table per row. Returns (candidates x neighbors).");
}

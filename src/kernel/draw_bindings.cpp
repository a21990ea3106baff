#include "arrays.hpp"
#include "instructions.hpp"
#include "permutations.hpp"
#include "products.hpp"
#include "series.hpp"
#include "trees.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <tuple>
#include <vector>

namespace nb = nanobind;

namespace infosift {

namespace {

using Draws = ArrayOf<std::uint32_t, 2>;
using Functions = ArrayOf<std::int16_t, 3>;
using FunctionsInDraws = ArrayOf<std::int16_t, 4>;

void require_rows_below(std::span<const std::uint32_t> numbers, std::size_t rows) {
    if (std::any_of(numbers.begin(), numbers.end(), [&](std::uint32_t row) { return row >= rows; }))
        throw std::invalid_argument("rows must be numbered from 0 to the number of rows - 1");
}

NewArray<std::uint32_t, 2> permutations(std::uint64_t key, const ArrayOf<std::uint32_t, 1> &order,
                                        const ArrayOf<std::uint32_t, 1> &starts, std::uint64_t first,
                                        std::size_t count) {
    const std::size_t rows = order.size();
    const auto bounds = span_of<std::uint32_t, 1>(starts);
    require_rows_below(span_of<std::uint32_t, 1>(order), rows);
    std::vector<bool> is_there(rows);
    for (const std::uint32_t row : span_of<std::uint32_t, 1>(order))
        is_there[row] = true;
    if (std::find(is_there.begin(), is_there.end(), false) != is_there.end())
        throw std::invalid_argument("order must have each row once");
    if (rows == 0 || bounds.size() < 2 || bounds.front() != 0 || bounds.back() != rows ||
        std::adjacent_find(bounds.begin(), bounds.end(), std::greater_equal<>()) != bounds.end())
        throw std::invalid_argument("starts must ascend from 0 to the number of rows");
    auto sources = std::make_unique<std::uint32_t[]>(count * rows);
    {
        nb::gil_scoped_release released;
        draw_permutations(key, span_of<std::uint32_t, 1>(order), bounds, first, {sources.get(), count * rows});
    }
    return as_array<2>(std::move(sources), {count, rows});
}

NewArray<std::int16_t, 4> permuted_functions(const Functions &functions, const Draws &sources) {
    const std::size_t components = functions.shape(0), count = functions.shape(1), rows = functions.shape(2);
    const std::size_t draws = sources.shape(0), stride = padded(rows);
    if (rows == 0 || sources.shape(1) != rows)
        throw std::invalid_argument("functions and draws must have the same number of rows");
    require_rows_below(span_of<std::uint32_t, 2>(sources), rows);
    const std::size_t size = components * count * draws * stride;
    auto permuted = std::make_unique<std::int16_t[]>(size);
    {
        nb::gil_scoped_release released;
        permute_functions(span_of<std::int16_t, 3>(functions), rows, span_of<std::uint32_t, 2>(sources), stride,
                          {permuted.get(), size});
    }
    return as_array<4>(std::move(permuted), {components, count, draws, stride});
}

std::pair<CandidateFunctions, TargetFunctions> checked(const Functions &candidates, std::size_t smooth,
                                                       const FunctionsInDraws &target) {
    const std::size_t count = candidates.shape(1), rows = candidates.shape(2);
    if (rows == 0 || rows % rows_of_register != 0 || target.shape(3) != rows)
        throw std::invalid_argument("candidates and target must have the same number of rows, a multiple of 16");
    if (smooth < TargetFunctions::orders || smooth > count || target.shape(1) < TargetFunctions::orders)
        throw std::invalid_argument("candidates and target need two smooth functions each");
    return {{candidates.data(), candidates.shape(0), smooth, count - smooth, rows},
            {target.data(), target.shape(0), target.shape(1), target.shape(2), rows}};
}

NewArray<float, 3> series_scores(const Functions &candidates, std::size_t smooth, const FunctionsInDraws &target,
                                 const ArrayOf<std::int64_t, 1> &sums, double scale,
                                 const std::optional<FunctionsInDraws> &variances, int bits,
                                 std::string_view instructions_name) {
    const auto [own, others] = checked(candidates, smooth, target);
    TargetVariances by_row{std::nullopt, bits};
    if (variances) {
        for (std::size_t axis = 0; axis < 4; ++axis)
            if (variances->shape(axis) != target.shape(axis))
                throw std::invalid_argument("variances must have the shape of the target");
        if (bits < bits_of_squares || bits > most_bits)
            throw std::invalid_argument("functions with variances must have 3 to 11 bits after the point");
        by_row.functions = checked(candidates, smooth, *variances).second;
    }
    const auto sizes = span_of<std::int64_t, 1>(sums);
    if (std::any_of(sizes.begin(), sizes.end(), [](std::int64_t size) { return size < 1; }) ||
        static_cast<std::size_t>(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0})) !=
            others.components)
        throw std::invalid_argument("sums must be positive and add up to the number of components");
    const InstructionSet instructions = instruction_set_named(instructions_name);
    const std::size_t kinds = sizes.size() * others.kinds(), size = own.candidates * kinds * others.draws;
    auto scores = std::make_unique_for_overwrite<float[]>(size);
    {
        nb::gil_scoped_release released;
        find_series_scores(instructions, own, others, sizes, scale, by_row, {scores.get(), size});
    }
    return as_array<3>(std::move(scores), {own.candidates, kinds, others.draws});
}

NewArray<double, 2> series_effects(const Functions &candidates, std::size_t smooth, const FunctionsInDraws &target,
                                   double scale, std::string_view instructions_name) {
    const auto [own, others] = checked(candidates, smooth, target);
    const InstructionSet instructions = instruction_set_named(instructions_name);
    const std::size_t size = own.candidates * others.draws;
    auto effects = std::make_unique_for_overwrite<double[]>(size);
    {
        nb::gil_scoped_release released;
        find_series_effects(instructions, own, others, scale, {effects.get(), size});
    }
    return as_array<2>(std::move(effects), {own.candidates, others.draws});
}

std::tuple<NewArray<double, 1>, NewArray<std::int64_t, 2>>
largest_pairs(const Functions &functions, std::size_t rows, std::size_t start, std::size_t stop,
              std::size_t others, const FunctionsInDraws &target, int bits, double least_spread,
              const ArrayOf<float, 2> &weights, std::string_view instructions_name) {
    const std::size_t features = functions.shape(0), orders = functions.shape(1), stride = functions.shape(2);
    const std::size_t draws = target.shape(2);
    if (bits < 1 || bits > most_bits - bits_of_pairs)
        throw std::invalid_argument("functions must have 1 to 9 bits after the point");
    if (stride % rows_of_register != 0 || rows > stride || target.shape(3) != stride || target.shape(1) != 1)
        throw std::invalid_argument("functions and target must have the same number of rows, a multiple of 16");
    if (features < 2 || orders < 1 || orders > products_in_row || start > stop || stop > features ||
        others > features)
        throw std::invalid_argument("pairs must be of features, with one to 32 functions each");
    if (weights.shape(0) != orders || weights.shape(1) != orders)
        throw std::invalid_argument("there must be a weight for each function of one feature and of the other");
    const PairFunctions pairs{functions.data(),          features, orders, rows, stride, start, stop, others,
                              span_of<float, 2>(weights)};
    const TargetFunctions drawn{target.data(), target.shape(0), 1, draws, stride};
    const InstructionSet instructions = instruction_set_named(instructions_name);
    auto largest = std::make_unique<double[]>(draws);
    auto which = std::make_unique<std::int64_t[]>(2 * draws);
    {
        nb::gil_scoped_release released;
        find_largest_pairs(instructions, pairs, drawn, bits, least_spread, {largest.get(), draws},
                           {which.get(), 2 * draws});
    }
    return {as_array<1>(std::move(largest), {draws}), as_array<2>(std::move(which), {draws, 2})};
}

NewArray<std::int16_t, 3> rank_functions(const ArrayOf<double, 2> &columns, int bits) {
    const std::size_t count = columns.shape(0), rows = columns.shape(1), stride = padded(rows);
    const std::size_t size = count * rank_function_count * stride;
    if (rows == 0 || bits > most_bits)
        throw std::invalid_argument("columns must have rows, and functions at most 11 bits after the point");
    auto functions = std::make_unique<std::int16_t[]>(size);
    {
        nb::gil_scoped_release released;
        find_rank_functions(span_of<double, 2>(columns), rows, bits, {functions.get(), size});
    }
    return as_array<3>(std::move(functions), {count, rank_function_count, stride});
}

template <class Number>
std::tuple<NewArray<double, 1>, NewArray<std::int64_t, 1>, NewArray<double, 1>>
studentised_maxima(const ArrayOf<Number, 3> &scores, const std::optional<ArrayOf<double, 2>> &handicaps) {
    const std::size_t candidates = scores.shape(0), kinds = scores.shape(1), draws = scores.shape(2);
    if (candidates == 0 || kinds == 0 || draws == 0 ||
        (handicaps && (handicaps->shape(0) != candidates || handicaps->shape(1) != kinds)))
        throw std::invalid_argument("there must be scores, and a handicap for each or for none");
    auto observed = std::make_unique<double[]>(candidates), maxima = std::make_unique<double[]>(draws);
    auto exceedances = std::make_unique<std::int64_t[]>(candidates);
    {
        nb::gil_scoped_release released;
        const auto lowered = handicaps ? span_of<double, 2>(*handicaps) : std::span<const double>();
        find_maxima<Number>(span_of<Number, 3>(scores), lowered, {observed.get(), candidates},
                            {exceedances.get(), candidates}, {maxima.get(), draws});
    }
    return {as_array<1>(std::move(observed), {candidates}), as_array<1>(std::move(exceedances), {candidates}),
            as_array<1>(std::move(maxima), {draws})};
}

NewArray<double, 2> predicted_by_trees(const ArrayOf<std::int64_t, 2> &half_ranks,
                                       const ArrayOf<std::uint16_t, 2> &samples, const ArrayOf<double, 2> &targets,
                                       std::size_t least_rows, std::size_t most_depth) {
    const std::size_t rows = half_ranks.shape(1), size = targets.size();
    if (rows == 0 || samples.shape(1) != rows || targets.shape(1) != rows)
        throw std::invalid_argument("columns, samples and targets must have the same number of rows");
    if (least_rows == 0)
        throw std::invalid_argument("a leaf must have a row");
    auto predictions = std::make_unique<double[]>(size);
    {
        nb::gil_scoped_release released;
        predict_left_out({span_of<std::int64_t, 2>(half_ranks), rows}, span_of<std::uint16_t, 2>(samples),
                         span_of<double, 2>(targets), {least_rows, most_depth}, {predictions.get(), size});
    }
    return as_array<2>(std::move(predictions), {targets.shape(0), rows});
}

} // namespace

void bind_draws(nb::module_ &module) {
    module.def("permutations", &permutations, nb::arg("key"), nb::arg("order").noconvert(),
               nb::arg("starts").noconvert(), nb::arg("first"), nb::arg("count"),
               "Random permutations within strata (draws x rows): the row from which each row takes its value.\n\n"
               "`order` has the rows stratum by stratum, `starts` where each begins and where the last one ends.");
    module.def("permuted_functions", &permuted_functions, nb::arg("functions").noconvert(),
               nb::arg("sources").noconvert(),
               "Functions of the target (components x functions x rows) moved by draws (draws x rows).\n\n"
               "Returns (components x functions x draws x rows), the rows padded to a multiple of 16.");
    module.def("rank_functions", &rank_functions, nb::arg("columns").noconvert(), nb::arg("bits"),
               "Four polynomials and five steps of the ranks of columns, in multiples of 2^-bits.\n\n"
               "Returns (columns x 9 x rows), the rows padded to a multiple of 16.");
    module.def(
        "series_scores", &series_scores, nb::arg("candidates").noconvert(), nb::arg("smooth"),
        nb::arg("target").noconvert(), nb::arg("sums").noconvert(), nb::arg("scale"),
        nb::arg("variances").noconvert().none() = nb::none(), nb::arg("bits") = most_bits,
        nb::arg("instructions") = "best",
        "Series scores of candidates (candidates x functions x rows), the first `smooth` functions smooth.\n\n"
        "Returns (candidates x scores x draws), for a target (components x functions x draws x rows). "
        "`variances`\n"
        "of the target by row, in multiples of 2^-(bits - 3), studentise each coefficient.");
    module.def("series_effects", &series_effects, nb::arg("candidates").noconvert(), nb::arg("smooth"),
               nb::arg("target").noconvert(), nb::arg("scale"), nb::arg("instructions") = "best",
               "Raw effects of candidates, sums of squared coefficients (candidates x draws).");
    module.def(
        "largest_pairs", &largest_pairs, nb::arg("functions").noconvert(), nb::arg("rows"), nb::arg("start"),
        nb::arg("stop"), nb::arg("others"), nb::arg("target").noconvert(), nb::arg("bits"),
        nb::arg("least_spread"), nb::arg("weights").noconvert(), nb::arg("instructions") = "best",
        "The largest coefficient of a product of two features' functions and a component of the target, in each\n"
        "draw, and the pair that it is of: one from `start` to `stop`, and a later one from `others` on.\n"
        "Functions are (features x orders x rows), the target (components x 1 x draws x rows); `rows` are those\n"
        "before padding. A coefficient counts by its weight (orders x orders).");
    module.def(
        "studentised_maxima", &studentised_maxima<float>, nb::arg("scores").noconvert(),
        nb::arg("handicaps").none() = nb::none(),
        "Statistics by scores (candidates x scores x draws): those of draw 0, how many others are as large\n"
        "(both by candidate), and the largest of each draw.");
    module.def("studentised_maxima", &studentised_maxima<double>, nb::arg("scores").noconvert(),
               nb::arg("handicaps").none() = nb::none());
    module.def(
        "predicted_by_trees", &predicted_by_trees, nb::arg("half_ranks").noconvert(),
        nb::arg("samples").noconvert(), nb::arg("targets").noconvert(), nb::arg("least_rows"),
        nb::arg("most_depth"),
        "What regression trees on the ranks of columns (columns x rows, in halves) predict for the rows that\n"
        "are not in their samples (trees x rows, how often each row is taken); NaN for a row that is in all.\n\n"
        "Returns (targets x rows): means over trees of a depth, whose leaves have at least so many rows.");
}

} // namespace infosift

#pragma once

#include "instructions.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

// Series scores of candidates in draws, by sums over the rows of products of functions. Functions are whole
// numbers of 16 bits and sums have 32, so that sums are the same in whatever order they are added up.
//
// No sum overflows: with functions of mean square m (candidate) and m' (target), and any part of n rows, the sum
// of products is at most n root(m m') by Cauchy and Schwarz. Python rounds functions of unit variance to multiples
// of 2^-bits such that this is below 2^31 (`fixed_point_bits`, which allows for rounding, and for draws that take
// rows more than once). A test holds it at the bound.

namespace infosift {

/// Rows are padded with zeros to a multiple of this: what the widest registers hold of 16 bits.
inline constexpr std::size_t rows_of_register = 16;

/// Of functions that are clipped at 8 standard deviations, 16 bits hold no more after the point.
inline constexpr int most_bits = 11;
/// Functions of pairs have so many bits less, since three are multiplied.
inline constexpr int bits_of_pairs = 2;
/// Squares and variances, of mean one at most and 64 times as large, have so many bits less.
inline constexpr int bits_of_squares = 3;

/// The nearest whole number, of two the even one: what is added has no digits after the point.
INFOSIFT_INLINE double rounded(double value) {
    constexpr double no_fraction = 6755399441055744.0; // 1.5 * 2^52
    return (value + no_fraction) - no_fraction;
}

constexpr std::size_t padded(std::size_t rows) {
    return (rows + rows_of_register - 1) / rows_of_register * rows_of_register;
}

/// Functions of candidates (candidates x functions x padded rows): smooth ones, then steps.
struct CandidateFunctions {
    const std::int16_t *values;
    std::size_t candidates, smooth, steps, padded_rows;

    std::size_t functions() const { return smooth + steps; }
    const std::int16_t *of(std::size_t candidate) const { return values + candidate * functions() * padded_rows; }
};

/// Functions of the components of the target in draws (components x functions x draws x padded rows).
///
/// The first two are polynomials of the component, the others products of the first with functions of the subset.
struct TargetFunctions {
    static constexpr std::size_t orders = 2;

    const std::int16_t *values;
    std::size_t components, functions, draws, padded_rows;

    const std::int16_t *at(std::size_t component, std::size_t function, std::size_t draw) const {
        return values + ((component * functions + function) * draws + draw) * padded_rows;
    }
    std::size_t products() const { return functions - orders; }
    /// Kinds of scores: of the first functions, of all with the first, of both orders, of higher ones and steps,
    /// and of products if there are any.
    std::size_t kinds() const { return products() > 0 ? 5 : 4; }
};

/// The variance of each function of the target in each row, of mean one at most, in multiples of 2^-(bits - 3);
/// none where all rows have the same.
struct TargetVariances {
    std::optional<TargetFunctions> functions;
    int bits;
};

/// The scores (candidates x groups of components x kinds x draws): cube roots of squared coefficients, see
/// `CandidateSeries` in Python. Squares are summed over as many components, one after the other, as `sums` says,
/// and `scale` brings a sum of products to unit variance under independence. With `variances`, each coefficient is
/// in units of the standard deviation that these give it in its draw.
void find_series_scores(InstructionSet instructions, const CandidateFunctions &candidates,
                        const TargetFunctions &target, std::span<const std::int64_t> sums, double scale,
                        const TargetVariances &variances, std::span<float> scores);

/// The raw effects (candidates x draws): sums of squared coefficients.
void find_series_effects(InstructionSet instructions, const CandidateFunctions &candidates,
                         const TargetFunctions &target, double scale, std::span<double> effects);

/// Pairs of features: those from `start` to `stop` with all later ones, or those of them from `others` on, by
/// functions (features x orders x padded rows) in multiples of 2^-bits. `weights` (orders x orders) are those of
/// coefficients, by the function of the first feature and that of the other.
///
/// No sum overflows: functions of unit mean square, the target and the products of both are at most 8 standard
/// deviations, 8 times and 64 times as large. So a sum of products is below 8 n (2^bits + 1)^2, which Python keeps
/// below 2^31 by two bits less than series have; squares are rounded by two bits more.
struct PairFunctions {
    const std::int16_t *values;
    std::size_t features, orders, rows, padded_rows, start, stop, others;
    std::span<const float> weights;

    const std::int16_t *at(std::size_t feature) const { return values + feature * orders * padded_rows; }
};

/// The largest absolute coefficient, in each draw, of a component of the target and a product of two functions,
/// one of each feature of a pair, and its pair (draws x 2). Products count by their deviations from the mean, in
/// units of their standard deviation, and for nothing where that is at most `least_spread`. Of equal coefficients
/// the one that is found first counts: pairs of the first 32 functions with the first 128 come before others.
void find_largest_pairs(InstructionSet instructions, const PairFunctions &pairs, const TargetFunctions &target,
                        int bits, double least_spread, std::span<double> largest, std::span<std::int64_t> which);

/// Polynomials of orders 1 to 4 and five steps of the ranks of columns (columns x rows), of unit variance, in
/// multiples of 2^-bits (columns x 9 x padded rows, zero at first). Values that are equal up to rounding share a
/// rank.
inline constexpr std::size_t polynomial_count = 4, step_count = 5, rank_function_count = 9;
void find_rank_functions(std::span<const double> columns, std::size_t rows, int bits,
                         std::span<std::int16_t> functions);

/// Statistics of candidates by scores (candidates x scores x draws), each studentised over all draws: the largest
/// of a candidate, less `handicaps` (candidates x scores, or none). `observed` is that of draw 0, `exceedances` in
/// how many others it is as large, and `maxima` has the largest of all candidates in each draw.
template <class Number>
void find_maxima(std::span<const Number> scores, std::span<const double> handicaps, std::span<double> observed,
                 std::span<std::int64_t> exceedances, std::span<double> maxima);

} // namespace infosift

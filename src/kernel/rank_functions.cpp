#include "radix_sort.hpp"
#include "series.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace infosift {

namespace {

constexpr std::array<double, step_count> cuts = {1.0 / 6, 1.0 / 3, 1.0 / 2, 2.0 / 3, 5.0 / 6};
constexpr double digits = 1e9; // values that agree in so many share a rank
constexpr double most = 8;     // standard deviations
constexpr double least_spread = 1e-9;

/// The functions of ranks (functions x places), by points of the unit interval in ascending order.
class OfPoints {
public:
    OfPoints(std::size_t rows, int bits)
        : rows_(rows), unit_(std::ldexp(1.0, bits)), values_(rows), functions_(rank_function_count * rows) {}

    void operator()(std::span<const double> points) {
        const double root3 = std::sqrt(3.0), root5 = std::sqrt(5.0), root7 = std::sqrt(7.0);
        set(0, points, [&](double t) { return root3 * t; });
        set(1, points, [&](double t) { return root5 * (1.5 * t * t - 0.5); });
        set(2, points, [&](double t) { return root7 * (2.5 * t * t * t - 1.5 * t); });
        set(3, points, [&](double t) { return 3 * ((4.375 * t * t - 3.75) * t * t + 0.375); });
        for (std::size_t cut = 0; cut < step_count; ++cut)
            set(polynomial_count + cut, points, [&](double t) { return (t + 1) / 2 > cuts[cut] ? 1.0 : 0.0; });
    }

    std::int16_t at(std::size_t function, std::size_t place) const { return functions_[function * rows_ + place]; }

private:
    template <class Function>
    void set(std::size_t number, std::span<const double> points, const Function &function) {
        double sum = 0, squares = 0;
        for (std::size_t i = 0; i < rows_; ++i)
            sum += values_[i] = function(2 * points[i] - 1);
        const double mean = sum / static_cast<double>(rows_);
        for (double &value : values_) {
            value -= mean;
            squares += value * value;
        }
        const double spread = std::sqrt(squares / static_cast<double>(rows_));
        for (std::size_t i = 0; i < rows_; ++i) {
            const double standardised = spread > least_spread ? std::clamp(values_[i] / spread, -most, most) : 0.0;
            functions_[number * rows_ + i] = static_cast<std::int16_t>(rounded(standardised * unit_));
        }
    }

    std::size_t rows_;
    double unit_;
    std::vector<double> values_;
    std::vector<std::int16_t> functions_;
};

} // namespace

void find_rank_functions(std::span<const double> columns, std::size_t rows, int bits,
                         std::span<std::int16_t> functions) {
    const std::size_t stride = padded(rows);
    const auto n = static_cast<double>(rows);
    std::vector<double> values(rows), points(rows);
    OfPoints of_different(rows, bits), of_tied(rows, bits);
    for (std::size_t i = 0; i < rows; ++i)
        points[i] = (static_cast<double>(i) + 0.5) / n;
    of_different(points);
    RowSorter sort;
    for (std::size_t c = 0; c < columns.size() / rows; ++c) {
        const auto column = columns.subspan(c * rows, rows);
        double scale = 0;
        for (const double value : column)
            scale = std::max(scale, std::abs(value));
        for (std::size_t row = 0; row < rows; ++row)
            values[row] = rounded(column[row] / (scale > 0 ? scale : 1.0) * digits);
        const auto sorted = sort(values);
        bool are_tied = false;
        for (std::size_t begin = 0, end; begin < rows; begin = end) {
            for (end = begin + 1; end < rows && sorted[end].bits == sorted[begin].bits;)
                ++end;
            are_tied = are_tied || end - begin > 1;
            std::fill(&points[begin], &points[begin] + (end - begin), static_cast<double>(begin + end) / 2 / n);
        }
        if (are_tied)
            of_tied(points);
        const OfPoints &own = are_tied ? of_tied : of_different;
        for (std::size_t f = 0; f < rank_function_count; ++f) {
            const auto out = functions.subspan((c * rank_function_count + f) * stride, stride);
            for (std::size_t place = 0; place < rows; ++place)
                out[sorted[place].row] = own.at(f, place);
        }
    }
}

} // namespace infosift

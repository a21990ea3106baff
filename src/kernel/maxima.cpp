#include "series.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace infosift {

namespace {

constexpr std::size_t lanes = 8; // partial sums, which are added up in the same order on every instruction set
constexpr double least_share = 1e-12; // of the mean square: a smaller variance is rounding

template <class Number> struct Moments {
    double mean, spread;

    INFOSIFT_INLINE explicit Moments(std::span<const Number> values) {
        double sums[lanes] = {}, squares[lanes] = {};
        const std::size_t whole = values.size() / lanes * lanes;
        for (std::size_t i = 0; i < whole; i += lanes)
            for (std::size_t l = 0; l < lanes; ++l) {
                const double value = values[i + l];
                sums[l] += value;
                squares[l] += value * value;
            }
        for (std::size_t i = whole; i < values.size(); ++i) {
            const double value = values[i];
            sums[i - whole] += value;
            squares[i - whole] += value * value;
        }
        double sum = 0, square = 0;
        for (std::size_t l = 0; l < lanes; ++l) {
            sum += sums[l];
            square += squares[l];
        }
        const auto count = static_cast<double>(values.size());
        mean = sum / count;
        const double variance = square / count - mean * mean;
        spread = variance > least_share * square / count ? std::sqrt(variance) : 0.0;
    }
};

} // namespace

template <class Number>
void find_maxima(std::span<const Number> scores, std::span<const double> handicaps, std::span<double> observed,
                 std::span<std::int64_t> exceedances, std::span<double> maxima) {
    const std::size_t draws = maxima.size(), candidates = observed.size();
    const std::size_t kinds = candidates == 0 ? 0 : scores.size() / candidates / draws;
    std::fill(maxima.begin(), maxima.end(), -std::numeric_limits<double>::infinity());
    run_for(best_instruction_set(), [&]<std::size_t>() INFOSIFT_INLINE_LAMBDA {
        std::vector<Number> statistics(draws);
        for (std::size_t c = 0; c < candidates; ++c) {
            std::fill(statistics.begin(), statistics.end(), -std::numeric_limits<Number>::infinity());
            for (std::size_t kind = 0; kind < kinds; ++kind) {
                const auto own = scores.subspan((c * kinds + kind) * draws, draws);
                const Moments<Number> moments(own);
                const auto mean = static_cast<Number>(moments.mean);
                const auto factor = static_cast<Number>(moments.spread > 0 ? 1 / moments.spread : 0.0);
                const auto handicap = static_cast<Number>(handicaps.empty() ? 0.0 : handicaps[c * kinds + kind]);
                for (std::size_t draw = 0; draw < draws; ++draw) {
                    const Number statistic = (own[draw] - mean) * factor - handicap;
                    statistics[draw] = statistics[draw] < statistic ? statistic : statistics[draw];
                }
            }
            observed[c] = static_cast<double>(statistics[0]);
            std::int64_t count = 0;
            for (std::size_t draw = 1; draw < draws; ++draw)
                count += statistics[draw] >= statistics[0];
            exceedances[c] = count;
            for (std::size_t draw = 0; draw < draws; ++draw) {
                const auto statistic = static_cast<double>(statistics[draw]);
                maxima[draw] = maxima[draw] < statistic ? statistic : maxima[draw];
            }
        }
    });
}

template void find_maxima(std::span<const float>, std::span<const double>, std::span<double>,
                          std::span<std::int64_t>, std::span<double>);
template void find_maxima(std::span<const double>, std::span<const double>, std::span<double>,
                          std::span<std::int64_t>, std::span<double>);

} // namespace infosift

#include "products.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

namespace infosift {

namespace {

// Functions that are multiplied at once: some, and several times as many others, which stay in the cache.
constexpr std::size_t ours_at_once = 32, rows_of_products = 4, theirs_at_once = rows_of_products * products_in_row;
constexpr int extra_bits = 2; // by which squares are rounded more, so that sums of their products fit 32 bits

/// Products of whole numbers, divided by 2^shift and rounded.
INFOSIFT_INLINE void multiply(const std::int16_t *a, const std::int16_t *b, std::size_t count, int shift,
                              std::int16_t *products) {
    constexpr std::int32_t most = std::numeric_limits<std::int16_t>::max();
    const std::int32_t half = 1 << (shift - 1);
    for (std::size_t i = 0; i < count; ++i) {
        const std::int32_t product = static_cast<std::int32_t>(a[i]) * static_cast<std::int32_t>(b[i]);
        products[i] = static_cast<std::int16_t>(std::clamp((product + half) >> shift, -most, most));
    }
}

/// The coefficients of products of some functions with others, and of the target.
class Coefficients {
public:
    Coefficients(const PairFunctions &pairs, const TargetFunctions &target, int bits, float least_spread)
        : pairs_(pairs), target_(target), bits_(bits), least_spread_(least_spread),
          ours_(ours_at_once * pairs.padded_rows), theirs_(theirs_at_once * pairs.padded_rows) {}

    static std::size_t features_at_once(std::size_t functions, const PairFunctions &pairs) {
        return std::max<std::size_t>(1, functions / pairs.orders);
    }

    /// Take up the functions of features from `first` on, and those of others from `second` on.
    INFOSIFT_INLINE void take(std::size_t first, std::size_t last, std::size_t second) {
        first_ = first, second_ = second;
        n_ours_ = (std::min(last, first + features_at_once(ours_at_once, pairs_)) - first) * pairs_.orders;
        n_theirs_ = (std::min(pairs_.features, second + features_at_once(theirs_at_once, pairs_)) - second) *
                    pairs_.orders;
        set_weights();
    }

    /// Raise the largest coefficient of a draw, and its pair.
    INFOSIFT_INLINE void raise(std::size_t component, std::size_t draw, double &largest, std::int64_t *pair) {
        const std::size_t stride = pairs_.padded_rows;
        const std::int16_t *const target = target_.at(component, 0, draw);
        std::int32_t total = 0;
        for (std::size_t row = 0; row < stride; ++row)
            total += target[row];
        for (std::size_t f = 0; f < n_ours_; ++f)
            multiply(pairs_.at(first_) + f * stride, target, stride, bits_, &ours_[f * stride]);
        find_sums(ours_.data(), pairs_.at(second_));
        std::array<float, products_in_row> maxima{};
        for (std::size_t i = 0; i < n_ours_ * rows_of_products; ++i)
            for (std::size_t j = 0; j < products_in_row; ++j) {
                const float found = coefficient(i * products_in_row + j, static_cast<float>(total));
                maxima[j] = maxima[j] < found ? found : maxima[j];
            }
        const float most = *std::max_element(maxima.begin(), maxima.end());
        if (static_cast<double>(most) <= largest)
            return;
        largest = static_cast<double>(most);
        std::size_t at = 0;
        while (coefficient(at, static_cast<float>(total)) != most)
            ++at;
        pair[0] = static_cast<std::int64_t>(first_ + at / theirs_at_once / pairs_.orders);
        pair[1] = static_cast<std::int64_t>(second_ + at % theirs_at_once / pairs_.orders);
    }

private:
    INFOSIFT_INLINE void find_sums(const std::int16_t *ours, const std::int16_t *theirs) {
        const std::size_t stride = pairs_.padded_rows, registers = stride / rows_of_register;
        for (std::size_t part = 0; part * products_in_row < n_theirs_; ++part) {
            std::array<std::int32_t, ours_at_once * products_in_row> sums{};
            add_products(ours, n_ours_, theirs + part * products_in_row * stride, stride, registers,
                         std::min(products_in_row, n_theirs_ - part * products_in_row), sums.data());
            for (std::size_t i = 0; i < n_ours_; ++i)
                std::copy_n(&sums[i * products_in_row], products_in_row,
                            &sums_[i * theirs_at_once + part * products_in_row]);
        }
    }

    /// Find what brings the products to mean zero and unit variance: no weight where they hardly vary.
    INFOSIFT_INLINE void set_weights() {
        const std::size_t stride = pairs_.padded_rows;
        const auto n = static_cast<float>(pairs_.rows);
        const float scale = std::ldexp(1.0f, -2 * bits_), of_root = scale / std::sqrt(n);
        const float of_mean = scale / n, of_squares = std::ldexp(scale, 2 * extra_bits) / n;
        const float to_means = std::ldexp(1.0f, bits_), least = least_spread_ * least_spread_;
        find_sums(pairs_.at(first_), pairs_.at(second_));
        for (std::size_t at = 0; at < sums_.size(); ++at)
            means_[at] = static_cast<float>(sums_[at]) * of_mean;
        const int shift = bits_ + extra_bits;
        multiply(pairs_.at(first_), pairs_.at(first_), n_ours_ * stride, shift, ours_.data());
        multiply(pairs_.at(second_), pairs_.at(second_), n_theirs_ * stride, shift, theirs_.data());
        find_sums(ours_.data(), theirs_.data());
        for (std::size_t at = 0; at < sums_.size(); ++at) {
            const float variance = static_cast<float>(sums_[at]) * of_squares - means_[at] * means_[at];
            weights_[at] = of_root / std::sqrt(variance > least ? variance : 1.0f);
            weights_[at] = variance > least ? weights_[at] : 0.0f;
            means_[at] *= to_means;
        }
        for (std::size_t i = 0; i < n_ours_; ++i)
            for (std::size_t j = 0; j < theirs_at_once; ++j)
                weights_[i * theirs_at_once + j] *=
                    j >= n_theirs_ || first_ + i / pairs_.orders >= second_ + j / pairs_.orders
                        ? 0.0f
                        : pairs_.weights[i % pairs_.orders * pairs_.orders + j % pairs_.orders];
    }

    INFOSIFT_INLINE float coefficient(std::size_t at, float total) const {
        return std::abs(static_cast<float>(sums_[at]) - means_[at] * total) * weights_[at];
    }

    const PairFunctions &pairs_;
    const TargetFunctions &target_;
    int bits_;
    float least_spread_;
    std::size_t first_ = 0, second_ = 0, n_ours_ = 0, n_theirs_ = 0;
    std::vector<std::int16_t> ours_, theirs_;
    std::array<std::int32_t, ours_at_once * theirs_at_once> sums_{};
    std::array<float, ours_at_once * theirs_at_once> means_{}, weights_{};
};

} // namespace

void find_largest_pairs(InstructionSet instructions, const PairFunctions &pairs, const TargetFunctions &target,
                        int bits, double least_spread, std::span<double> largest, std::span<std::int64_t> which) {
    std::fill(largest.begin(), largest.end(), 0.0);
    for (std::size_t draw = 0; draw < target.draws; ++draw)
        which[2 * draw] = 0, which[2 * draw + 1] = 1;
    run_for(instructions, [&]<std::size_t>() INFOSIFT_INLINE_LAMBDA {
        Coefficients coefficients(pairs, target, bits, static_cast<float>(least_spread));
        const std::size_t ours = Coefficients::features_at_once(ours_at_once, pairs),
                          theirs = Coefficients::features_at_once(theirs_at_once, pairs);
        for (std::size_t first = pairs.start; first < pairs.stop; first += ours)
            for (std::size_t second = std::max(first, pairs.others); second < pairs.features; second += theirs) {
                coefficients.take(first, pairs.stop, second);
                for (std::size_t component = 0; component < target.components; ++component)
                    for (std::size_t draw = 0; draw < target.draws; ++draw)
                        coefficients.raise(component, draw, largest[draw], &which[2 * draw]);
            }
    });
}

} // namespace infosift

#pragma once

#include "instructions.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace infosift {

/// The two estimators of Kraskov, Stögbauer and Grassberger, Phys. Rev. E 69, 066138 (2004): neighbours are
/// counted in a cube around each row (equation 8), or in a rectangle (equation 9).
enum class Variant { cube = 1, rectangle = 2 };

/// Whether a value at exactly the radius is inside a ball.
enum class Ball { open, closed };

/// Equation 8 counts rows strictly within the distance of the k-th neighbour, equation 9 those on the sides too.
constexpr Ball ball_of(Variant variant) { return variant == Variant::cube ? Ball::open : Ball::closed; }

template <Ball ball> INFOSIFT_INLINE bool holds(double radius, double distance) {
    return ball == Ball::open ? distance < radius : distance <= radius;
}

/// Values of the digamma function as whole multiples of a power of two.
///
/// Sums of integers do not depend on their order, so a score has the same bits whichever algorithm and however
/// many threads visit the rows. The step is as small as the sum of four terms per row allows without overflow:
/// about 1e-15 for a thousand rows and 1e-11 for a million.
class DigammaTable {
public:
    /// values[c] = digamma(c); values[0], a pole, is never used.
    explicit DigammaTable(std::span<const double> values) : steps_(values.size()) {
        double largest = 1.0;
        for (std::size_t c = 1; c < values.size(); ++c)
            largest = std::max(largest, std::abs(values[c]));
        const double bound = 4.0 * largest * static_cast<double>(values.size());
        shift_ = 62 - static_cast<int>(std::ceil(std::log2(bound)));
        for (std::size_t c = 1; c < values.size(); ++c)
            steps_[c] = std::llround(std::ldexp(values[c], shift_));
    }

    std::int64_t operator()(std::int64_t count) const { return steps_[static_cast<std::size_t>(count)]; }

    /// Add the terms of a row, given how many other rows are as near in the features and in the target:
    /// digamma(n_x + 1) + digamma(n_y + 1) in equation 8, digamma(n_x) + digamma(n_y) in equation 9.
    INFOSIFT_INLINE void add_terms(Variant variant, std::int64_t in_features, std::int64_t in_target,
                                   std::int64_t &sum) const {
        const std::int64_t more = variant == Variant::cube ? 1 : 0;
        sum += (*this)(in_features + more) + (*this)(in_target + more);
    }

    /// Add what makes up for a row with another number of neighbours than k: its own digamma(neighbours) takes the
    /// place of the digamma(k) that the estimate has for every row (Ross 2014; Gao et al. 2017, algorithm 1).
    INFOSIFT_INLINE void add_correction(std::int64_t k, std::int64_t neighbors, std::int64_t &sum) const {
        sum += (*this)(k) - (*this)(neighbors);
    }

    double to_double(std::int64_t steps) const { return std::ldexp(static_cast<double>(steps), -shift_); }

private:
    std::vector<std::int64_t> steps_;
    int shift_;
};

} // namespace infosift

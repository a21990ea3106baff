#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace infosift {

/// Digamma values as whole multiples of a power of two.
///
/// Sums of integers do not depend on their order, so a score has the same bits whichever way its rows are
/// visited. The step is as fine as the sum of four terms per row allows without overflow: about 1e-15 for a
/// thousand rows and 1e-11 for a million.
class DigammaTable {
public:
    /// values[c] = digamma(c); values[0], a pole, is never looked up.
    explicit DigammaTable(std::span<const double> values) : ticks_(values.size()) {
        double largest = 1.0;
        for (std::size_t c = 1; c < values.size(); ++c)
            largest = std::max(largest, std::abs(values[c]));
        const double bound = 4.0 * largest * static_cast<double>(values.size());
        shift_ = 62 - static_cast<int>(std::ceil(std::log2(bound)));
        for (std::size_t c = 1; c < values.size(); ++c)
            ticks_[c] = std::llround(std::ldexp(values[c], shift_));
    }

    std::int64_t operator()(std::int64_t count) const { return ticks_[static_cast<std::size_t>(count)]; }

    double to_double(std::int64_t ticks) const { return std::ldexp(static_cast<double>(ticks), -shift_); }

private:
    std::vector<std::int64_t> ticks_;
    int shift_;
};

} // namespace infosift

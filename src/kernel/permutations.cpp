#include "permutations.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <utility>
#include <vector>

namespace infosift {

namespace {

constexpr int largest = std::numeric_limits<std::int16_t>::max();
constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

std::uint64_t next_of_splitmix(std::uint64_t &state) {
    std::uint64_t mixed = state += 0x9e3779b97f4a7c15;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    return mixed ^ (mixed >> 31);
}

/// The generator xoshiro256++ of Blackman and Vigna (2021), seeded by splitmix64 as they advise.
class Random {
public:
    Random(std::uint64_t key, std::uint64_t draw) {
        std::uint64_t seed = next_of_splitmix(key) + draw;
        seed = next_of_splitmix(seed);
        for (std::uint64_t &word : state_)
            word = next_of_splitmix(seed);
    }

    /// A number from 0 to `count` - 1, all alike (Lemire 2019, "Fast random integer generation in an interval").
    std::uint32_t below(std::uint32_t count) {
        std::uint64_t product = std::uint64_t{half()} * count;
        if (static_cast<std::uint32_t>(product) < count) {
            const std::uint32_t least = (0 - count) % count;
            while (static_cast<std::uint32_t>(product) < least)
                product = std::uint64_t{half()} * count;
        }
        return static_cast<std::uint32_t>(product >> 32);
    }

private:
    std::uint32_t half() {
        has_half_ = !has_half_;
        if (!has_half_)
            return static_cast<std::uint32_t>(last_ >> 32);
        last_ = next();
        return static_cast<std::uint32_t>(last_);
    }

    std::uint64_t next() {
        const std::uint64_t result = std::rotl(state_[0] + state_[3], 23) + state_[0], shifted = state_[1] << 17;
        state_[2] ^= state_[0];
        state_[3] ^= state_[1];
        state_[1] ^= state_[2];
        state_[0] ^= state_[3];
        state_[2] ^= shifted;
        state_[3] = std::rotl(state_[3], 45);
        return result;
    }

    std::array<std::uint64_t, 4> state_;
    std::uint64_t last_ = 0;
    bool has_half_ = false;
};

} // namespace

void draw_permutations(std::uint64_t key, std::span<const std::uint32_t> order,
                       std::span<const std::uint32_t> starts, std::uint64_t first,
                       std::span<std::uint32_t> sources) {
    const std::size_t rows = order.size();
    std::vector<std::uint32_t> shuffled(rows);
    for (std::size_t draw = 0; draw < sources.size() / rows; ++draw) {
        Random random(key, first + draw);
        shuffled.assign(order.begin(), order.end());
        for (std::size_t stratum = 0; stratum + 1 < starts.size(); ++stratum)
            for (std::uint32_t i = starts[stratum + 1] - 1; i > starts[stratum]; --i) // Fisher and Yates
                std::swap(shuffled[i], shuffled[starts[stratum] + random.below(i - starts[stratum] + 1)]);
        const auto own = sources.subspan(draw * rows, rows);
        for (std::size_t i = 0; i < rows; ++i)
            own[order[i]] = shuffled[i];
    }
}

void permute_functions(std::span<const std::int16_t> functions, std::size_t rows,
                       std::span<const std::uint32_t> sources, std::size_t padded_rows,
                       std::span<std::int16_t> permuted) {
    const std::size_t draws = sources.size() / rows;
    std::vector<std::uint32_t> taker(rows);
    for (std::size_t draw = 0; draw < draws; ++draw) {
        const auto source = sources.subspan(draw * rows, rows);
        // Each row is taken once just if no row is taken by none.
        std::fill(taker.begin(), taker.end(), none);
        for (std::size_t row = 0; row < rows; ++row)
            taker[source[row]] = static_cast<std::uint32_t>(row);
        const bool is_whole = std::find(taker.begin(), taker.end(), none) == taker.end();
        for (std::size_t f = 0; f < functions.size() / rows; ++f) {
            const std::int16_t *const values = &functions[f * rows];
            std::int16_t *const own = &permuted[(f * draws + draw) * padded_rows];
            if (is_whole)
                for (std::size_t row = 0; row < rows; ++row)
                    own[row] = values[taker[row]];
            else
                for (std::size_t row = 0; row < rows; ++row) {
                    std::int16_t &there = own[source[row]];
                    there = static_cast<std::int16_t>(std::clamp(there + values[row], -largest, largest));
                }
        }
    }
}

} // namespace infosift

#pragma once

#include "columns.hpp"
#include "distances.hpp"
#include "lanes.hpp"
#include "spatial_order.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace infosift {

/// Rows near a row, roughly by distance, in chunks; `beyond(c)` bounds from below all distances from chunk c on.
class NearList {
public:
    static constexpr std::size_t chunk = 8;

    struct Item {
        double distance;
        std::uint32_t row;
    };

    std::size_t chunks() const { return beyond_.size() - 1; }
    double beyond(std::size_t chunk_number) const { return beyond_[chunk_number]; }
    std::span<const Item> items_of(std::size_t chunk_number) const {
        const std::size_t first = chunk_number * chunk;
        return {items_.data() + first, std::min(chunk, items_.size() - first)};
    }

    /// Take the items as they are; they may lie at any distance.
    void assign_unordered(std::span<const Item> unordered) {
        items_.assign(unordered.begin(), unordered.end());
        beyond_.assign((items_.size() + chunk - 1) / chunk + 1, 0.0);
    }

    /// Take the items, put them into buckets by distance and note what each chunk and all after it are beyond.
    void assign(std::span<const Item> unordered) {
        double farthest = 0;
        for (const Item &item : unordered)
            farthest = larger(farthest, item.distance);
        const double scale = farthest > smallest_scaled ? (bucket_count - 1) / farthest : 0;
        std::array<std::uint32_t, bucket_count + 1> start{};
        for (const Item &item : unordered)
            ++start[bucket_of(item, scale) + 1];
        for (std::size_t b = 0; b < bucket_count; ++b)
            start[b + 1] += start[b];
        items_.resize(unordered.size());
        for (const Item &item : unordered)
            items_[start[bucket_of(item, scale)]++] = item;

        beyond_.assign((items_.size() + chunk - 1) / chunk + 1, unreachable);
        for (std::size_t c = beyond_.size() - 1; c-- > 0;) {
            beyond_[c] = beyond_[c + 1];
            for (const Item &item : items_of(c))
                beyond_[c] = std::min(beyond_[c], item.distance);
        }
    }

private:
    static constexpr std::size_t bucket_count = 64;
    static constexpr double smallest_scaled = 1e-300; // its reciprocal does not overflow

    static std::size_t bucket_of(const Item &item, double scale) {
        return static_cast<std::size_t>(item.distance * scale);
    }

    std::vector<Item> items_;
    std::vector<double> beyond_{unreachable};
};

/// Finds the rows near a row, in the given columns, and in the given columns and the target together.
///
/// Rows must be in spatial order. Lists hold every row within reach and none beyond it.
class NearFinder {
public:
    NearFinder(const Columns &given, std::span<const double> target, std::span<const SpatialOrder::Leaf> leaves)
        : given_(given), target_(target), leaves_(leaves), low_(leaves.size() * given.count()), high_(low_.size()),
          distances_(target.size()), near_(target.size() + 1) {
        for (std::size_t leaf = 0; leaf < leaves.size(); ++leaf)
            for (std::size_t c = 0; c < given.count(); ++c) {
                const auto values = given[c].subspan(leaves[leaf].begin, leaves[leaf].end - leaves[leaf].begin);
                const auto [low, high] = std::minmax_element(values.begin(), values.end());
                low_[c * leaves.size() + leaf] = *low;
                high_[c * leaves.size() + leaf] = *high;
            }
        const std::size_t samples = std::min(target.size(), sample_size);
        for (std::size_t s = 0; s < samples; ++s)
            sample_.push_back(s * target.size() / samples);
        sampled_.resize(samples);
        gaps_.resize(leaves.size());
    }

    /// The distance from a row within which a sample suggests that there are as many rows as wanted.
    INFOSIFT_INLINE double guess_reach(std::size_t row, std::size_t wanted) {
        if (wanted >= target_.size())
            return unreachable;
        for (std::size_t s = 0; s < sample_.size(); ++s)
            sampled_[s] = std::abs(target_[sample_[s]] - target_[row]);
        for (std::size_t c = 0; c < given_.count(); ++c)
            for (std::size_t s = 0; s < sample_.size(); ++s)
                sampled_[s] = larger(sampled_[s], std::abs(given_[c][sample_[s]] - given_[c][row]));
        const std::size_t rank = std::max<std::size_t>(wanted * sample_.size() / target_.size(), 1);
        const auto at = sampled_.begin() + static_cast<std::ptrdiff_t>(std::min(rank, sampled_.size() - 1));
        std::nth_element(sampled_.begin(), at, sampled_.end());
        return *at;
    }

    /// The rows within reach in the given columns; valid until the next call.
    INFOSIFT_INLINE std::span<const NearList::Item> near_in_given(std::size_t row, double reach) {
        return look<false>(row, reach);
    }

    /// The rows within reach in the given columns and the target together; valid until the next call.
    INFOSIFT_INLINE std::span<const NearList::Item> near_in_both(std::size_t row, double reach) {
        return look<true>(row, reach);
    }

private:
    static constexpr std::size_t sample_size = 512;

    /// How far each leaf is from a row at least. Rounded differences keep their order, so no near row is missed.
    INFOSIFT_INLINE void measure_gaps(std::size_t row) {
        std::fill(gaps_.begin(), gaps_.end(), 0.0);
        for (std::size_t c = 0; c < given_.count(); ++c) {
            const double here = given_[c][row];
            const double *const low = &low_[c * leaves_.size()], *const high = &high_[c * leaves_.size()];
            for (std::size_t leaf = 0; leaf < leaves_.size(); ++leaf)
                gaps_[leaf] = larger(gaps_[leaf], larger(low[leaf] - here, here - high[leaf]));
        }
    }

    template <bool with_target>
    INFOSIFT_INLINE std::span<const NearList::Item> look(std::size_t row, double reach) {
        measure_gaps(row);
        std::size_t count = 0;
        for (std::size_t leaf = 0; leaf < leaves_.size(); ++leaf)
            if (gaps_[leaf] <= reach)
                count = collect<with_target>(row, reach, leaves_[leaf], count);
        items_.clear();
        for (std::size_t m = 0; m < count; ++m)
            if (near_[m] != row)
                items_.push_back({distances_[near_[m]], near_[m]});
        return items_;
    }

    /// Note the rows of a leaf that are within reach, after the first `count` of them.
    template <bool with_target>
    INFOSIFT_INLINE std::size_t collect(std::size_t row, double reach, const SpatialOrder::Leaf &leaf,
                                        std::size_t count) {
        double *const distances = distances_.data();
        std::fill(distances + leaf.begin, distances + leaf.end, 0.0);
        for (std::size_t c = 0; c < given_.count(); ++c)
            widen(row, leaf, given_[c]);
        if constexpr (with_target)
            widen(row, leaf, target_);
        // Without branches: every row is written down, and overwritten by the next unless it is near.
        for (std::size_t j = leaf.begin; j < leaf.end; ++j) {
            near_[count] = static_cast<std::uint32_t>(j);
            count += distances[j] <= reach;
        }
        return count;
    }

    INFOSIFT_INLINE void widen(std::size_t row, const SpatialOrder::Leaf &leaf, std::span<const double> column) {
        double *const distances = distances_.data();
        const double here = column[row];
        for (std::size_t j = leaf.begin; j < leaf.end; ++j)
            distances[j] = larger(distances[j], std::abs(column[j] - here));
    }

    const Columns &given_;
    std::span<const double> target_;
    std::span<const SpatialOrder::Leaf> leaves_;
    std::vector<double> low_, high_; // boxes of the leaves, column by column
    std::vector<double> gaps_, distances_, sampled_;
    std::vector<std::size_t> sample_;
    std::vector<std::uint32_t> near_;
    std::vector<NearList::Item> items_;
};

} // namespace infosift

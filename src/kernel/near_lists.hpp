#pragma once

#include "categories.hpp"
#include "columns.hpp"
#include "distances.hpp"
#include "lanes.hpp"
#include "spatial_order.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace infosift {

/// Rows near a row, roughly by distance, in chunks; `beyond(c)` bounds from below all distances from chunk c on.
/// What is missing in the last chunk is filled up with rows out of reach.
class NearList {
public:
    static constexpr std::size_t chunk = 8;

    struct Item {
        double distance;
        std::uint32_t row;
    };

    std::size_t chunks() const { return beyond_.size() - 1; }
    double beyond(std::size_t chunk_number) const { return beyond_[chunk_number]; }
    std::span<const Item, chunk> items_of(std::size_t chunk_number) const {
        return std::span<const Item, chunk>(items_.data() + chunk_number * chunk, chunk);
    }

    /// Take the items as they are; they may lie at any distance.
    void assign_unordered(std::span<const Item> unordered) {
        resize(unordered.size());
        std::copy(unordered.begin(), unordered.end(), items_.begin());
        std::fill(beyond_.begin(), beyond_.end(), 0.0);
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
        resize(unordered.size());
        for (const Item &item : unordered)
            items_[start[bucket_of(item, scale)]++] = item;

        beyond_.back() = unreachable;
        for (std::size_t c = beyond_.size() - 1; c-- > 0;) {
            beyond_[c] = beyond_[c + 1];
            for (const Item &item : items_of(c))
                beyond_[c] = std::min(beyond_[c], item.distance);
        }
    }

private:
    static constexpr std::size_t bucket_count = 64;
    static constexpr double smallest_scaled = 1e-300; // its reciprocal does not overflow

    void resize(std::size_t count) {
        const std::size_t chunk_count = (count + chunk - 1) / chunk;
        items_.resize(chunk_count * chunk);
        std::fill(items_.begin() + static_cast<std::ptrdiff_t>(count), items_.end(), Item{unreachable, 0});
        beyond_.resize(chunk_count + 1);
    }

    static std::size_t bucket_of(const Item &item, double scale) {
        return static_cast<std::size_t>(item.distance * scale);
    }

    std::vector<Item> items_;
    std::vector<double> beyond_{unreachable};
};

/// Finds the rows near a row, in the given columns, and in the given columns and the target together.
///
/// Rows must be in spatial order. Lists hold every row within reach and none beyond it.
template <std::size_t width> class NearFinder {
public:
    using Items = std::span<const NearList::Item>;
    struct Found {
        Items in_given, in_both;
    };

    NearFinder(const Columns &given, std::span<const double> target, std::span<const SpatialOrder::Leaf> leaves,
               std::size_t wanted)
        : given_(given), target_(target), leaves_(leaves), wanted_(wanted), in_leaf_(given, leaves, 1),
          in_branch_(given, leaves, leaves_per_branch), here_(given.count()), in_given_(target.size() + 1),
          in_both_(target.size() + 1) {
        const std::size_t rows = target.size();
        const std::size_t samples = std::clamp(fewest_sampled * rows / wanted, smallest_sample, largest_sample);
        for (std::size_t s = 0; s < std::min(samples, rows); ++s)
            sample_.push_back(s * rows / std::min(samples, rows));
        sampled_.resize(sample_.size());
    }

    /// The distance from a row within which a sample suggests that there are as many rows as wanted.
    INFOSIFT_INLINE double guess_reach(std::size_t row) {
        if (wanted_ >= target_.size())
            return other_category;
        for (std::size_t s = 0; s < sample_.size(); ++s)
            sampled_[s] = std::abs(target_[sample_[s]] - target_[row]);
        for (std::size_t c = 0; c < given_.count(); ++c)
            for (std::size_t s = 0; s < sample_.size(); ++s)
                sampled_[s] = larger(sampled_[s], std::abs(given_[c][sample_[s]] - given_[c][row]));
        const std::size_t rank = std::max<std::size_t>(wanted_ * sample_.size() / target_.size(), 1);
        const auto at = sampled_.begin() + static_cast<std::ptrdiff_t>(std::min(rank, sampled_.size() - 1));
        std::nth_element(sampled_.begin(), at, sampled_.end());
        return *at < other_category ? *at : guess_reach_in_cell();
    }

    /// The rows within reach, which is never that of another category; valid until the next call.
    INFOSIFT_INLINE Found look(std::size_t row, double reach) {
        return Compiled<width>::run([&]() INFOSIFT_INLINE_LAMBDA { return look_there(row, reach); });
    }

private:
    INFOSIFT_INLINE Found look_there(std::size_t row, double reach) {
        for (std::size_t c = 0; c < given_.count(); ++c)
            here_[c] = given_[c][row];
        std::size_t given_count = 0, both_count = 0;
        in_branch_.measure(here_, 0, in_branch_.count());
        for (std::size_t branch = 0; branch < in_branch_.count(); ++branch) {
            if (!(in_branch_.gap(branch) <= reach))
                continue;
            const std::size_t first = branch * leaves_per_branch;
            const std::size_t last = std::min(first + leaves_per_branch, leaves_.size());
            in_leaf_.measure(here_, first, last);
            for (std::size_t leaf = first; leaf < last; ++leaf)
                if (in_leaf_.gap(leaf) <= reach)
                    look_into(leaf, row, reach, given_count, both_count);
        }
        return {Items(in_given_.data(), given_count), Items(in_both_.data(), both_count)};
    }

    /// Boxes around runs of leaves, and how far each is from a row at least. Rounded differences keep their order,
    /// so that no near row is missed.
    class Boxes {
    public:
        Boxes(const Columns &given, std::span<const SpatialOrder::Leaf> leaves, std::size_t together)
            : low_(given.count()), high_(given.count()), gaps_((leaves.size() + together - 1) / together) {
            for (std::size_t c = 0; c < given.count(); ++c)
                for (std::size_t first = 0; first < leaves.size(); first += together) {
                    const std::size_t begin = leaves[first].begin;
                    const std::size_t end = leaves[std::min(first + together, leaves.size()) - 1].end;
                    const auto values = given[c].subspan(begin, end - begin);
                    const auto [low, high] = std::minmax_element(values.begin(), values.end());
                    low_[c].push_back(*low);
                    high_[c].push_back(*high);
                }
        }

        std::size_t count() const { return gaps_.size(); }
        double gap(std::size_t box) const { return gaps_[box]; }

        INFOSIFT_INLINE void measure(std::span<const double> here, std::size_t first, std::size_t last) {
            std::fill(&gaps_[first], &gaps_[first] + (last - first), 0.0);
            for (std::size_t c = 0; c < here.size(); ++c) {
                const double *const low = low_[c].data(), *const high = high_[c].data();
                for (std::size_t box = first; box < last; ++box)
                    gaps_[box] = larger(gaps_[box], larger(low[box] - here[c], here[c] - high[box]));
            }
        }

    private:
        std::vector<std::vector<double>> low_, high_; // by column
        std::vector<double> gaps_;
    };

    /// Write down the rows of a leaf that are near.
    INFOSIFT_INLINE void look_into(std::size_t leaf, std::size_t row, double reach, std::size_t &given_count,
                                   std::size_t &both_count) {
        const auto [begin, end] = leaves_[leaf];
        const std::size_t rows = end - begin;
        measure_rows(row, begin, rows);
        // Without branches: every row is written down, and overwritten by the next unless it is near.
        for (std::size_t j = 0; j < rows; ++j) {
            const double in_given = given_distances_[j / lane_count][j % lane_count];
            const double in_both = both_distances_[j / lane_count][j % lane_count];
            in_given_[given_count] = {in_given, static_cast<std::uint32_t>(begin + j)};
            in_both_[both_count] = {in_both, static_cast<std::uint32_t>(begin + j)};
            given_count += in_given <= reach;
            both_count += in_both <= reach;
        }
    }

    /// Where fewer rows than wanted are of the row's category: the distance to a part of those in the sample.
    INFOSIFT_INLINE double guess_reach_in_cell() {
        const auto end = std::partition(sampled_.begin(), sampled_.end(),
                                        [](double distance) { return distance < other_category; });
        if (end == sampled_.begin())
            return 0;
        const auto at = sampled_.begin() + (end - sampled_.begin()) / 4;
        std::nth_element(sampled_.begin(), at, end);
        return *at;
    }

    static constexpr std::size_t leaves_per_branch = 16;
    static constexpr std::size_t fewest_sampled = 8; // rows of the sample within reach
    static constexpr std::size_t smallest_sample = 128, largest_sample = 1024;

    /// The distances of the rows of a leaf; that of the row itself is no number, and so never within reach.
    INFOSIFT_INLINE void measure_rows(std::size_t row, std::size_t begin, std::size_t rows) {
        const auto target = Lanes<width>::all(target_[row]);
        for (std::size_t four = 0; four * lane_count < rows; ++four) {
            const std::size_t first = begin + four * lane_count; // reads on into the next leaf
            Lanes<width> distance{};
            for (std::size_t c = 0; c < given_.count(); ++c)
                distance = larger(distance, magnitude(Lanes<width>::load(given_[c].data() + first) -
                                                      Lanes<width>::all(here_[c])));
            given_distances_[four] = distance;
            both_distances_[four] =
                larger(distance, magnitude(Lanes<width>::load(target_.data() + first) - target));
        }
        if (row >= begin && row - begin < rows)
            for (auto *distances : {&given_distances_, &both_distances_})
                (*distances)[(row - begin) / lane_count].set((row - begin) % lane_count,
                                                             std::numeric_limits<double>::quiet_NaN());
    }

    using LeafDistances = std::array<Lanes<width>, SpatialOrder::largest_leaf / lane_count>;

    const Columns &given_;
    std::span<const double> target_;
    std::span<const SpatialOrder::Leaf> leaves_;
    std::size_t wanted_; // rows to be within reach
    Boxes in_leaf_, in_branch_;
    std::vector<double> sampled_;
    std::vector<std::size_t> sample_;
    std::vector<double> here_; // the given columns of the row
    LeafDistances given_distances_, both_distances_;
    std::vector<NearList::Item> in_given_, in_both_;
};

} // namespace infosift

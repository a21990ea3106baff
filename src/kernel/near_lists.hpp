#pragma once

#include "categories.hpp"
#include "lanes.hpp"
#include "problem.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace infosift {

/// An order of the rows that keeps near ones together: the leaves of a k-d tree (Bentley 1975), halves of halves,
/// each cut across its widest column.
class SpatialOrder {
public:
    static constexpr std::size_t largest_leaf = 32;

    /// A run of the order that is not cut any further.
    struct Leaf {
        std::size_t begin, end;
    };

    explicit SpatialOrder(const Columns &columns) : rows_(columns.rows()) {
        std::iota(rows_.begin(), rows_.end(), 0u);
        cut(columns, 0, rows_.size());
    }

    std::span<const std::uint32_t> rows() const { return rows_; }
    std::span<const Leaf> leaves() const { return leaves_; }

    /// The columns with their rows in this order.
    StoredColumns arrange(const Columns &columns) const {
        return {columns.count(), columns.rows(),
                [&](std::size_t c, std::size_t place) { return columns[c][rows_[place]]; }};
    }

private:
    void cut(const Columns &columns, std::size_t begin, std::size_t end) {
        if (end - begin <= largest_leaf) {
            leaves_.push_back({begin, end});
            return;
        }
        const auto column = columns[widest(columns, begin, end)];
        const std::size_t middle = begin + (end - begin) / 2;
        const auto at = [&](std::size_t place) { return rows_.begin() + static_cast<std::ptrdiff_t>(place); };
        std::nth_element(at(begin), at(middle), at(end),
                         [&](std::uint32_t a, std::uint32_t b) { return column[a] < column[b]; });
        cut(columns, begin, middle);
        cut(columns, middle, end);
    }

    std::size_t widest(const Columns &columns, std::size_t begin, std::size_t end) const {
        std::size_t best = 0;
        double best_width = -1;
        for (std::size_t c = 0; c < columns.count(); ++c) {
            double low = columns[c][rows_[begin]], high = low;
            for (std::size_t place = begin; place < end; ++place) {
                low = std::min(low, columns[c][rows_[place]]);
                high = std::max(high, columns[c][rows_[place]]);
            }
            if (high - low > best_width) {
                best = c;
                best_width = high - low;
            }
        }
        return best;
    }

    std::vector<std::uint32_t> rows_;
    std::vector<Leaf> leaves_;
};

/// Rows near a row, roughly by distance, in chunks; `beyond(c)` is a lower bound of all distances from chunk c on,
/// so that a scan may stop there. The last chunk is filled up with unreachable rows.
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

    /// Sort the items into buckets by distance, and note the lower bound of each chunk.
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
    struct Near {
        Items in_given, in_both;
    };

    /// A finder of lists of about `length` rows.
    NearFinder(const Columns &given, std::span<const double> target, std::span<const SpatialOrder::Leaf> leaves,
               std::size_t length)
        : given_(given), target_(target), leaves_(leaves), length_(length), low_(given.count()),
          high_(given.count()), gaps_(leaves.size()), here_(given.count()), in_given_(target.size() + 1),
          in_both_(target.size() + 1) {
        for (std::size_t c = 0; c < given.count(); ++c)
            for (const auto [begin, end] : leaves) {
                const auto values = given[c].subspan(begin, end - begin);
                const auto [low, high] = std::minmax_element(values.begin(), values.end());
                low_[c].push_back(*low);
                high_[c].push_back(*high);
            }
        const std::size_t rows = target.size();
        const std::size_t samples =
            std::min(std::clamp(fewest_sampled * rows / length, smallest_sample, largest_sample), rows);
        for (std::size_t s = 0; s < samples; ++s)
            sample_.push_back(s * rows / samples);
        sampled_.resize(samples);
    }

    /// The distance from a row within which, judged by a sample, there are as many rows as a list should have.
    INFOSIFT_INLINE double guess_reach(std::size_t row) {
        if (length_ >= target_.size())
            return other_category;
        for (std::size_t s = 0; s < sample_.size(); ++s)
            sampled_[s] = std::abs(target_[sample_[s]] - target_[row]);
        for (std::size_t c = 0; c < given_.count(); ++c)
            for (std::size_t s = 0; s < sample_.size(); ++s)
                sampled_[s] = larger(sampled_[s], std::abs(given_[c][sample_[s]] - given_[c][row]));
        const std::size_t rank = std::max<std::size_t>(length_ * sample_.size() / target_.size(), 1);
        const auto at = sampled_.begin() + static_cast<std::ptrdiff_t>(std::min(rank, sampled_.size() - 1));
        std::nth_element(sampled_.begin(), at, sampled_.end());
        return std::min(*at, other_category); // where fewer rows are of the row's category, all of these
    }

    /// The rows within reach, which is never that of another category; valid until the next call.
    INFOSIFT_INLINE Near within(std::size_t row, double reach) {
        return Compiled<width>::run([&]() INFOSIFT_INLINE_LAMBDA { return search(row, reach); });
    }

private:
    static constexpr std::size_t fewest_sampled = 8; // rows of the sample within reach
    static constexpr std::size_t smallest_sample = 128, largest_sample = 1024;

    INFOSIFT_INLINE Near search(std::size_t row, double reach) {
        for (std::size_t c = 0; c < given_.count(); ++c)
            here_[c] = given_[c][row];
        measure_leaves();
        std::size_t given_count = 0, both_count = 0;
        for (std::size_t leaf = 0; leaf < leaves_.size(); ++leaf)
            if (gaps_[leaf] <= reach)
                search_leaf(leaf, row, reach, given_count, both_count);
        return {Items(in_given_.data(), given_count), Items(in_both_.data(), both_count)};
    }

    /// How far the box around each leaf is from the row. Rounded differences are monotone, so that this is a lower
    /// bound of the computed distances of its rows too.
    INFOSIFT_INLINE void measure_leaves() {
        std::fill(gaps_.begin(), gaps_.end(), 0.0);
        for (std::size_t c = 0; c < here_.size(); ++c) {
            const double *const low = low_[c].data(), *const high = high_[c].data();
            for (std::size_t leaf = 0; leaf < gaps_.size(); ++leaf)
                gaps_[leaf] = larger(gaps_[leaf], larger(low[leaf] - here_[c], here_[c] - high[leaf]));
        }
    }

    /// Append the near rows of a leaf to the lists.
    INFOSIFT_INLINE void search_leaf(std::size_t leaf, std::size_t row, double reach, std::size_t &given_count,
                                     std::size_t &both_count) {
        const auto [begin, end] = leaves_[leaf];
        const std::size_t rows = end - begin;
        measure_rows(row, begin, rows);
        // Without branches: every row is written, and overwritten by the next one unless it is near.
        for (std::size_t j = 0; j < rows; ++j) {
            const double in_given = given_distances_[j / lane_count][j % lane_count];
            const double in_both = both_distances_[j / lane_count][j % lane_count];
            in_given_[given_count] = {in_given, static_cast<std::uint32_t>(begin + j)};
            in_both_[both_count] = {in_both, static_cast<std::uint32_t>(begin + j)};
            given_count += in_given <= reach;
            both_count += in_both <= reach;
        }
    }

    /// The distances of the rows of a leaf; that of the row itself is not a number, and so never within reach.
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
    std::size_t length_;                          // of the lists
    std::vector<std::vector<double>> low_, high_; // by column: boxes around the leaves
    std::vector<double> gaps_;                    // between the row and these
    std::vector<std::size_t> sample_;
    std::vector<double> sampled_; // distances of the sample
    std::vector<double> here_;    // the given columns of the row
    LeafDistances given_distances_, both_distances_;
    std::vector<NearList::Item> in_given_, in_both_;
};

} // namespace infosift

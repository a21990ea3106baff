#pragma once

#include "columns.hpp"
#include "distances.hpp"
#include "lanes.hpp"

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
        double distance; // by which the list is ordered
        double given;    // distance in the given columns
        double target;   // distance in the target
        std::uint32_t row;
    };

    std::span<const Item> items() const { return items_; }
    std::size_t chunks() const { return beyond_.size() - 1; }
    double beyond(std::size_t chunk_number) const { return beyond_[chunk_number]; }
    std::span<const Item> items_of(std::size_t chunk_number) const {
        const std::size_t first = chunk_number * chunk;
        return items().subspan(first, std::min(chunk, items_.size() - first));
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
    static constexpr std::size_t bucket_count = 32;
    static constexpr double smallest_scaled = 1e-300; // its reciprocal does not overflow

    static std::size_t bucket_of(const Item &item, double scale) {
        return static_cast<std::size_t>(item.distance * scale);
    }

    std::vector<Item> items_;
    std::vector<double> beyond_;
};

/// For one row after another, the rows near it in the given columns, and those near it in the target as well.
class NearLists {
public:
    /// Rows must be in the order of the first given column. `wanted` is how many rows to aim at in `in_both`.
    NearLists(const Columns &given, std::span<const double> target, std::size_t wanted)
        : given_(given), target_(target), wanted_(wanted), distances_(target.size()), near_(target.size()) {
        const std::size_t rows = target.size();
        const std::size_t samples = std::min(rows, sample_size);
        for (std::size_t s = 0; s < samples; ++s)
            sample_.push_back(s * rows / samples);
        sampled_.resize(samples);
    }

    /// Rows ordered by their distance in the given columns.
    const NearList &in_given() const { return in_given_; }
    /// Rows ordered by their distance in the given columns and the target together.
    const NearList &in_both() const { return in_both_; }
    /// Both lists hold every row that is not farther than this.
    double reach() const { return reach_; }

    INFOSIFT_INLINE void enter(std::size_t row) {
        reach_ = wanted_ >= target_.size() ? unreachable : guess_reach(row);
        collect(row);
    }

private:
    static constexpr std::size_t sample_size = 512;

    /// The distance within which a sample of the rows suggests that there are as many as wanted.
    INFOSIFT_INLINE double guess_reach(std::size_t row) {
        for (std::size_t s = 0; s < sample_.size(); ++s) {
            double distance = std::abs(target_[sample_[s]] - target_[row]);
            for (std::size_t c = 0; c < given_.count(); ++c)
                distance = larger(distance, std::abs(given_[c][sample_[s]] - given_[c][row]));
            sampled_[s] = distance;
        }
        const std::size_t rank = std::max<std::size_t>(wanted_ * sample_.size() / target_.size(), 1);
        const auto at = sampled_.begin() + static_cast<std::ptrdiff_t>(std::min(rank, sampled_.size() - 1));
        std::nth_element(sampled_.begin(), at, sampled_.end());
        return *at;
    }

    INFOSIFT_INLINE void collect(std::size_t row) {
        const auto first_column = given_[0];
        const double here = first_column[row], reach = reach_;
        const auto begin = std::partition_point(first_column.begin(), first_column.begin() + row,
                                                [&](double value) { return here - value > reach; });
        const auto end = std::partition_point(first_column.begin() + row, first_column.end(),
                                              [&](double value) { return value - here <= reach; });
        const auto from = static_cast<std::size_t>(begin - first_column.begin());
        const auto length = static_cast<std::size_t>(end - begin);

        double *const distances = distances_.data();
        for (std::size_t j = 0; j < length; ++j)
            distances[j] = std::abs(first_column[from + j] - here);
        for (std::size_t c = 1; c < given_.count(); ++c) {
            const double *const column = given_[c].data() + from;
            const double origin = given_[c][row];
            for (std::size_t j = 0; j < length; ++j)
                distances[j] = larger(distances[j], std::abs(column[j] - origin));
        }
        distances[row - from] = unreachable;

        // Without branches: every row is written down, and overwritten by the next unless it is near.
        std::size_t count = 0;
        for (std::size_t j = 0; j < length; ++j) {
            near_[count] = static_cast<std::uint32_t>(from + j);
            count += distances[j] <= reach && j != row - from;
        }
        unordered_.clear();
        for (std::size_t m = 0; m < count; ++m) {
            const double in_given = distances[near_[m] - from];
            const double in_target = std::abs(target_[near_[m]] - target_[row]);
            unordered_.push_back({in_given, in_given, in_target, near_[m]});
        }
        in_given_.assign(unordered_);
        const auto in_both_end = std::remove_if(unordered_.begin(), unordered_.end(), [&](NearList::Item &item) {
            item.distance = larger(item.given, item.target);
            return item.distance > reach;
        });
        unordered_.erase(in_both_end, unordered_.end());
        in_both_.assign(unordered_);
    }

    const Columns &given_;
    std::span<const double> target_;
    std::size_t wanted_;
    double reach_ = unreachable;
    std::vector<std::size_t> sample_;
    std::vector<double> sampled_, distances_;
    std::vector<std::uint32_t> near_;
    std::vector<NearList::Item> unordered_;
    NearList in_given_, in_both_;
};

} // namespace infosift

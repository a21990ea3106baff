#pragma once

#include "columns.hpp"
#include "digamma_sum.hpp"
#include "lanes.hpp"
#include "near_lists.hpp"
#include "sorted_values.hpp"
#include "spatial_order.hpp"
#include "variant.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace infosift {

/// The candidates in groups of four; a group has the four values of a row side by side.
template <std::size_t width> class CandidateGroups {
public:
    CandidateGroups(const Columns &candidates, std::span<const std::uint32_t> order)
        : rows_(candidates.rows()), groups_((candidates.count() + lane_count - 1) / lane_count),
          values_(groups_ * rows_) {
        for (std::size_t c = 0; c < groups_ * lane_count; ++c) {
            const auto column = candidates[std::min(c, candidates.count() - 1)]; // the last fills up its group
            for (std::size_t row = 0; row < rows_; ++row)
                values_[c / lane_count * rows_ + row].set(c % lane_count, column[order[row]]);
        }
    }

    std::size_t count() const { return groups_; }
    const Lanes<width> *operator[](std::size_t group) const { return &values_[group * rows_]; }

private:
    std::size_t rows_, groups_;
    std::vector<Lanes<width>> values_;
};

/// Sums over the rows of digamma(given + candidate) + digamma(target), for four candidates at a time.
///
/// A row's neighbours with a candidate added are among those without it, so the rows near in the given columns and
/// the target are listed once for all candidates. Where a list turns out too short for a candidate, the distances
/// found in it bound how far to look.
template <Variant variant, std::size_t width> class BesideScorer {
public:
    BesideScorer(const Columns &candidates, const Columns &given, const Columns &target,
                 std::span<const std::int64_t> neighbors, const DigammaTable &digamma)
        : neighbors_(neighbors), digamma_(digamma), order_(given), given_(given, order_.rows()),
          target_(target, order_.rows()), n_candidates_(candidates.count()), groups_(candidates, order_.rows()),
          finder_(given_.columns(), target_.columns()[0], order_.leaves()),
          sorted_target_(SortedValues::of(RowSorter()(target[0]))),
          nearest_(static_cast<std::size_t>(neighbors.back())) {}

    INFOSIFT_INLINE void operator()(std::span<std::int64_t> sums) {
        // Rows of a leaf have much the same neighbours, whose values then stay in the cache.
        for (const SpatialOrder::Leaf &leaf : order_.leaves()) {
            const std::size_t rows = leaf.end - leaf.begin;
            if (neighborhoods_.size() < rows) {
                neighborhoods_.resize(rows);
                wanting_.resize(rows);
            }
            for (std::size_t r = 0; r < rows; ++r) {
                const double reach = finder_.guess_reach(leaf.begin + r, wanted());
                finder_.find(leaf.begin + r, reach, neighborhoods_[r]);
                wanting_[r].clear();
            }
            for (std::size_t group = 0; group < groups_.count(); ++group)
                for (std::size_t r = 0; r < rows; ++r) {
                    const double missing = score_group(leaf.begin + r, group, neighborhoods_[r], -1, sums);
                    if (missing > 0)
                        wanting_[r].push_back({group, missing});
                }
            for (std::size_t r = 0; r < rows; ++r)
                score_wanting(leaf.begin + r, neighborhoods_[r].reach, wanting_[r], sums);
        }
    }

private:
    /// Rows to list for k neighbours: enough that few candidates need more, few enough to list quickly.
    std::size_t wanted() const { return 32 * nearest_.size() + 64; }

    /// A group with a candidate that has to look farther, and how far.
    struct Wanting {
        std::size_t group;
        double reach;
    };

    /// Look farther around a row, for the candidates that did not find their neighbours within a distance.
    INFOSIFT_INLINE void score_wanting(std::size_t row, double looked_at, std::span<const Wanting> wanting,
                                       std::span<std::int64_t> sums) {
        double reach = 0;
        for (const Wanting &w : wanting)
            reach = larger(reach, w.reach);
        if (reach > 0)
            finder_.find(row, reach, wider_);
        for (const Wanting &w : wanting)
            score_group(row, w.group, wider_, looked_at, sums);
    }

    /// Add what a row contributes for the candidates of a group whose neighbours are between two distances.
    ///
    /// Returns how far one must look for those that are not within the neighbourhood's reach; zero if all are.
    INFOSIFT_INLINE double score_group(std::size_t row, std::size_t group, const Neighborhood &around,
                                       double already, std::span<std::int64_t> sums) {
        const Lanes<width> *const values = groups_[group];
        const NearestLanes<width> nearest = find_nearest(values, row, around.in_both);
        const Lanes<width> farthest = nearest.farthest();
        const auto here = Lanes<width>::all(target_.columns()[0][row]);
        const std::size_t first = group * lane_count, lanes = std::min(lane_count, n_candidates_ - first);
        for (std::size_t q = 0; q < neighbors_.size(); ++q) {
            Lanes<width> feature_radius = nearest[static_cast<std::size_t>(neighbors_[q] - 1)];
            Lanes<width> target_radius = feature_radius;
            if constexpr (variant == Variant::rectangle)
                find_widths(values, row, around.in_both, feature_radius, target_radius);
            constexpr Ball ball = ball_of(variant);
            const auto in_features = count_near<ball>(values, row, around.in_given, feature_radius);
            const auto in_target = sorted_target_.window().template count_others<ball>(here, target_radius);
            for (std::size_t l = 0; l < lanes; ++l)
                if (farthest[l] <= around.reach && !(farthest[l] <= already))
                    sums[(first + l) * neighbors_.size() + q] +=
                        digamma_(in_features[l] + rim_of(variant)) + digamma_(in_target[l] + rim_of(variant));
        }
        double missing = 0;
        for (std::size_t l = 0; l < lanes; ++l)
            if (!(farthest[l] <= around.reach))
                missing = larger(missing, farthest[l]);
        return missing;
    }

    INFOSIFT_INLINE NearestLanes<width> find_nearest(const Lanes<width> *values, std::size_t row,
                                                     const NearList &list) {
        NearestLanes<width> nearest(nearest_);
        for (std::size_t c = 0; c < list.chunks(); ++c) {
            if (nearest.farthest().largest() <= list.beyond(c))
                break;
            for (const auto &item : list.items_of(c))
                nearest.offer(larger(Lanes<width>::all(item.distance), magnitude(values[item.row] - values[row])));
        }
        return nearest;
    }

    /// In place of the radius of a closed cube, the half-widths of the rectangle around the rows in it.
    INFOSIFT_INLINE void find_widths(const Lanes<width> *values, std::size_t row, const NearList &list,
                                     Lanes<width> &feature_radius, Lanes<width> &target_radius) {
        const auto target = target_.columns()[0];
        const Lanes<width> radius = feature_radius;
        const double reach = radius.largest();
        Lanes<width> feature_width{}, target_width{};
        for (std::size_t c = 0; c < list.chunks() && list.beyond(c) <= reach; ++c)
            for (const auto &item : list.items_of(c)) {
                const Lanes<width> candidate = magnitude(values[item.row] - values[row]);
                const Lanes<width> joint = larger(Lanes<width>::all(item.distance), candidate);
                const Lanes<width> features = larger(Lanes<width>::all(item.given), candidate);
                const auto in_target = Lanes<width>::all(std::abs(target[item.row] - target[row]));
                feature_width = larger(feature_width, where_within(features, joint, radius));
                target_width = larger(target_width, where_within(in_target, joint, radius));
            }
        feature_radius = feature_width;
        target_radius = target_width;
    }

    template <Ball ball>
    INFOSIFT_INLINE LaneCounts<width> count_near(const Lanes<width> *values, std::size_t row, const NearList &list,
                                                 const Lanes<width> &radius) const {
        LaneCounts<width> counts{};
        const double reach = radius.largest();
        for (std::size_t c = 0; c < list.chunks() && holds<ball>(reach, list.beyond(c)); ++c)
            for (const auto &item : list.items_of(c)) {
                const Lanes<width> distance =
                    larger(Lanes<width>::all(item.distance), magnitude(values[item.row] - values[row]));
                if constexpr (ball == Ball::open)
                    count_below(counts, distance, radius);
                else
                    count_at_most(counts, distance, radius);
            }
        return counts;
    }

    std::span<const std::int64_t> neighbors_;
    const DigammaTable &digamma_;
    SpatialOrder order_;
    Reordered given_, target_;
    std::size_t n_candidates_;
    CandidateGroups<width> groups_;
    NeighborhoodFinder finder_;
    SortedValues sorted_target_;
    std::vector<Lanes<width>> nearest_;
    std::vector<Neighborhood> neighborhoods_; // of the rows of a leaf
    std::vector<std::vector<Wanting>> wanting_;
    Neighborhood wider_;
};

} // namespace infosift

#pragma once

#include "candidate_groups.hpp"
#include "categories.hpp"
#include "columns.hpp"
#include "digamma_sum.hpp"
#include "distances.hpp"
#include "lanes.hpp"
#include "near_lists.hpp"
#include "problem.hpp"
#include "sorted_values.hpp"
#include "spatial_order.hpp"
#include "tails.hpp"
#include "variant.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace infosift {

/// Sums over the rows of digamma(given + candidate) + digamma(target), for four candidates at a time.
///
/// A row's neighbours with a candidate added are among those without it, so the rows near in the given columns and
/// the target are listed once for all candidates. Where a list turns out too short for a candidate, the distances
/// found in it bound how far to look: first in the candidate, and if that leaves many rows, in all else. Rows
/// whose neighbours are of another category are left out.
template <Variant variant, std::size_t width> class BesideScorer {
public:
    BesideScorer(const Columns &candidates, const Columns &given, const Columns &target,
                 std::span<const std::int64_t> neighbors, const DigammaTable &digamma)
        : neighbors_(neighbors), digamma_(digamma), order_(given), given_(given, order_.rows()),
          target_(target, order_.rows()), n_candidates_(candidates.count()), groups_(candidates, order_.rows()),
          most_(static_cast<std::size_t>(neighbors.back())), numbers_(count_numbers(given, target)),
          wanted_(to_list(most_, target.rows(), numbers_)),
          finder_(given_.columns(), target_.columns()[0], order_.leaves(), wanted_),
          sorted_target_(RowSorter()(target[0])),
          tails_(candidates, given, target[0], sorted_target_, neighbors, digamma),
          nearest_(NearestLanes<width>::places(most_)) {}

    INFOSIFT_INLINE void operator()(const Share &share, std::span<std::int64_t> sums) {
        // Rows of a leaf have much the same neighbours, whose values then stay in the cache.
        for (std::size_t number = share.number; number < order_.leaves().size() && !share.stops();
             number += share.count) {
            const SpatialOrder::Leaf &leaf = order_.leaves()[number];
            const std::size_t rows = leaf.end - leaf.begin;
            around_.resize(std::max(around_.size(), rows));
            for (std::size_t r = 0; r < rows; ++r)
                look_around(leaf.begin + r, around_[r]);
            for (std::size_t group = 0; group < groups_.count(); ++group)
                for (std::size_t r = 0; r < rows; ++r)
                    score_group(leaf.begin + r, group, around_[r], sums);
            for (std::size_t r = 0; r < rows; ++r)
                if (!around_[r].wanting.empty())
                    score_wanting(leaf.begin + r, around_[r], sums);
        }
    }

private:
    /// The radii of four candidates around a row, by number of neighbours, and the one that holds all neighbours
    /// of the row's category.
    struct Radii {
        std::vector<Lanes<width>> features, target;
        Lanes<width> farthest;

        /// The largest radius that is not of another category.
        double widest() const {
            double widest = 0;
            for (const auto &four : features)
                for (std::size_t l = 0; l < lane_count; ++l)
                    widest = larger(widest, four[l] < other_category ? four[l] : 0.0);
            return widest;
        }
    };

    /// A group with a candidate that has to look farther, but not farther than this.
    struct Wanting {
        std::size_t group;
        Lanes<width> farthest;
    };

    static constexpr std::size_t few_rows = 8;         // one in as many of all rows
    static constexpr std::size_t most_corrections = 2; // of a guess how far to look

    struct Surroundings {
        NearList in_both, in_given;
        double reach;
        std::vector<Wanting> wanting;
    };

    /// How many of the given columns and the target have numbers.
    static double count_numbers(const Columns &given, const Columns &target) {
        double numbers = is_discrete(target[0]) ? 0 : 1;
        for (std::size_t c = 0; c < given.count(); ++c)
            numbers += is_discrete(given[c]) ? 0 : 1;
        return numbers;
    }

    /// Rows to list for k neighbours: enough that few candidates need more, few enough to list quickly.
    ///
    /// With d columns of numbers in the list, the k nearest with a candidate added are about as far away as the
    /// n^(1/(d+1)) k^(d/(d+1)) nearest without it. That is many where the columns are few.
    static std::size_t to_list(std::size_t k, std::size_t rows, double numbers) {
        const double as_far = std::pow(static_cast<double>(rows), 1 / (numbers + 1)) *
                              std::pow(static_cast<double>(k), numbers / (numbers + 1));
        return std::max(32 * k + 64, static_cast<std::size_t>(4 * as_far));
    }

    INFOSIFT_INLINE void look_around(std::size_t row, Surroundings &around) {
        around.wanting.clear();
        around.reach = finder_.guess_reach(row);
        auto found = finder_.look(row, around.reach);
        for (std::size_t again = 0; again < most_corrections; ++again) {
            const double share = static_cast<double>(found.in_both.size()) / static_cast<double>(wanted_);
            if ((share > 0.35 && share < 3) || around.reach >= other_category || found.in_both.empty())
                break;
            const double factor = std::clamp(std::pow(share, -1 / std::max(numbers_, 1.0)), 0.25, 4.0);
            around.reach = std::min(around.reach * factor, other_category);
            found = finder_.look(row, around.reach);
        }
        around.in_given.assign(found.in_given);
        around.in_both.assign(found.in_both);
    }

    /// Add what a row contributes for the candidates of a group; note the group if it has to look farther.
    INFOSIFT_INLINE void score_group(std::size_t row, std::size_t group, Surroundings &around,
                                     std::span<std::int64_t> sums) {
        find_radii(row, group, around.in_both, radii_);
        count_within(row, group, around.in_given, radii_, -1.0, around.reach, sums);
        if (radii_.farthest.largest() > around.reach)
            around.wanting.push_back({group, radii_.farthest});
    }

    INFOSIFT_INLINE void score_wanting(std::size_t row, Surroundings &around, std::span<std::int64_t> sums) {
        auto &wanting = around.wanting;
        const auto scored = [&](const Wanting &group) {
            return Compiled<width>::run(
                [&]() INFOSIFT_INLINE_LAMBDA { return score_in_tails(row, group, around.reach, sums); });
        };
        wanting.erase(std::remove_if(wanting.begin(), wanting.end(), scored), wanting.end());
        if (!wanting.empty())
            score_farther(row, around, sums);
    }

    /// Add what a row contributes for candidates with few rows as near as their neighbours are; false if there
    /// are many.
    INFOSIFT_INLINE bool score_in_tails(std::size_t row, const Wanting &wanting, double beyond,
                                        std::span<std::int64_t> sums) {
        const std::size_t row_of_table = order_.rows()[row], first = wanting.group * lane_count;
        for (std::size_t l = 0; l < lanes_of(wanting.group); ++l)
            if (wanting.farthest[l] > beyond &&
                tails_.count_near(first + l, row_of_table, wanting.farthest[l]) > order_.rows().size() / few_rows)
                return false;
        for (std::size_t l = 0; l < lanes_of(wanting.group); ++l)
            if (wanting.farthest[l] > beyond)
                tails_(first + l, row_of_table, beyond, wanting.farthest[l],
                       sums.subspan((first + l) * neighbors_.size(), neighbors_.size()));
        return true;
    }

    /// Look farther around a row, first for the radii of the wanting groups, then only as far as these.
    INFOSIFT_INLINE void score_farther(std::size_t row, const Surroundings &around, std::span<std::int64_t> sums) {
        double reach = 0;
        for (const Wanting &wanting : around.wanting)
            reach = larger(reach, wanting.farthest.largest());
        wider_.assign(finder_.look(row, reach).in_both);
        wider_radii_.resize(std::max(wider_radii_.size(), around.wanting.size()));
        double farthest = 0;
        for (std::size_t w = 0; w < around.wanting.size(); ++w) {
            find_radii(row, around.wanting[w].group, wider_, wider_radii_[w]);
            farthest = larger(farthest, wider_radii_[w].widest());
        }
        wider_.assign_unordered(finder_.look(row, farthest).in_given);
        for (std::size_t w = 0; w < around.wanting.size(); ++w)
            count_within(row, around.wanting[w].group, wider_, wider_radii_[w], around.reach, reach, sums);
    }

    INFOSIFT_INLINE void find_radii(std::size_t row, std::size_t group, const NearList &in_both, Radii &radii) {
        const Lanes<width> *const values = groups_[group];
        const NearestLanes<width> nearest = find_nearest(values, row, in_both);
        radii.features.resize(neighbors_.size());
        radii.target.resize(neighbors_.size());
        radii.farthest = smaller(nearest.farthest(), Lanes<width>::all(other_category));
        for (std::size_t q = 0; q < neighbors_.size(); ++q) {
            radii.features[q] = radii.target[q] = nearest[static_cast<std::size_t>(neighbors_[q] - 1)];
            if constexpr (variant == Variant::rectangle)
                find_widths(values, row, in_both, radii.features[q], radii.target[q]);
        }
    }

    /// Add the digammas of the candidates whose neighbours are farther than one distance, but not than another.
    INFOSIFT_INLINE void count_within(std::size_t row, std::size_t group, const NearList &in_given,
                                      const Radii &radii, double farther_than, double at_most,
                                      std::span<std::int64_t> sums) {
        constexpr Ball ball = ball_of(variant);
        const auto here = Lanes<width>::all(target_.columns()[0][row]);
        for (std::size_t q = 0; q < neighbors_.size(); ++q) {
            const auto in_features = count_near<ball>(groups_[group], row, in_given, radii.features[q]);
            const auto in_target = sorted_target_.template count_others<ball>(here, radii.target[q]);
            for (std::size_t l = 0; l < lanes_of(group); ++l)
                if (radii.farthest[l] > farther_than && radii.farthest[l] <= at_most &&
                    radii.features[q][l] < other_category)
                    sums[(group * lane_count + l) * neighbors_.size() + q] +=
                        digamma_(in_features[l] + rim_of(variant)) + digamma_(in_target[l] + rim_of(variant));
        }
    }

    std::size_t lanes_of(std::size_t group) const {
        return std::min(lane_count, n_candidates_ - group * lane_count);
    }

    INFOSIFT_INLINE NearestLanes<width> find_nearest(const Lanes<width> *values, std::size_t row,
                                                     const NearList &list) {
        NearestLanes<width> nearest(nearest_, most_);
        for (std::size_t c = 0; c < list.chunks(); ++c) {
            if (nearest.farthest().largest() <= list.beyond(c))
                break;
            const auto items = list.items_of(c);
            for (std::size_t first = 0; first < items.size(); first += NearestLanes<width>::block) {
                typename NearestLanes<width>::Block distances;
                for (std::size_t i = 0; i < distances.size(); ++i) {
                    const NearList::Item &item = items[first + i];
                    distances[i] =
                        larger(Lanes<width>::all(item.distance), magnitude(values[item.row] - values[row]));
                }
                nearest.offer(distances);
            }
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
                const Lanes<width> features = larger(Lanes<width>::all(given_distance(row, item.row)), candidate);
                const auto in_target = Lanes<width>::all(std::abs(target[item.row] - target[row]));
                feature_width = larger(feature_width, where_within(features, joint, radius));
                target_width = larger(target_width, where_within(in_target, joint, radius));
            }
        feature_radius = feature_width;
        target_radius = target_width;
    }

    INFOSIFT_INLINE double given_distance(std::size_t row, std::size_t other) const {
        double distance = 0;
        for (std::size_t c = 0; c < given_.columns().count(); ++c)
            distance = larger(distance, std::abs(given_.columns()[c][other] - given_.columns()[c][row]));
        return distance;
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
                count_held<ball>(counts, distance, radius);
            }
        return counts;
    }

    std::span<const std::int64_t> neighbors_;
    const DigammaTable &digamma_;
    SpatialOrder order_;
    Reordered given_, target_;
    std::size_t n_candidates_;
    CandidateGroups<width> groups_;
    std::size_t most_;   // neighbours
    double numbers_;     // columns that have them
    std::size_t wanted_; // rows in a list
    NearFinder<width> finder_;
    SortedValues sorted_target_;
    TailScorer<variant, width> tails_;
    std::vector<Lanes<width>> nearest_;
    Radii radii_;
    std::vector<Surroundings> around_; // the rows of a leaf
    NearList wider_;
    std::vector<Radii> wider_radii_;
};

} // namespace infosift

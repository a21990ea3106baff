#pragma once

#include "columns.hpp"
#include "dense.hpp"
#include "digamma_sum.hpp"
#include "lanes.hpp"
#include "near_lists.hpp"
#include "sorted_values.hpp"
#include "variant.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace infosift {

/// Columns with their rows in another order.
class Reordered {
public:
    Reordered(const Columns &columns, std::span<const std::uint32_t> order)
        : values_(columns.count() * columns.rows()), count_(columns.count()), rows_(columns.rows()) {
        for (std::size_t c = 0; c < count_; ++c)
            for (std::size_t row = 0; row < rows_; ++row)
                values_[c * rows_ + row] = columns[c][order[row]];
    }

    Columns view() const { return {values_.data(), count_, rows_}; }

private:
    std::vector<double> values_;
    std::size_t count_, rows_;
};

/// The candidates in groups of four; a group has the four values of a row side by side.
template <std::size_t width> class CandidateGroups {
public:
    explicit CandidateGroups(const Columns &candidates)
        : rows_(candidates.rows()), groups_((candidates.count() + lane_count - 1) / lane_count),
          values_(groups_ * rows_) {
        for (std::size_t c = 0; c < groups_ * lane_count; ++c) {
            const auto column = candidates[std::min(c, candidates.count() - 1)]; // the last fills up its group
            for (std::size_t row = 0; row < rows_; ++row)
                values_[c / lane_count * rows_ + row].set(c % lane_count, column[row]);
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
/// the target are listed once for all candidates. Where a list turns out too short, all rows are looked at.
template <Variant variant, std::size_t width> class BesideScorer {
public:
    BesideScorer(const Columns &candidates, const Columns &given, const Columns &target,
                 std::span<const std::int64_t> neighbors, const DigammaTable &digamma)
        : neighbors_(neighbors), digamma_(digamma), order_(by_first_column(given)),
          candidates_(candidates, order_), given_(given, order_), target_(target, order_),
          candidate_view_(candidates_.view()), given_view_(given_.view()), target_view_(target_.view()),
          groups_(candidate_view_), lists_(given_view_, target_view_[0], wanted(neighbors.back())),
          sorted_target_(SortedValues::of(target[0])), dense_(given_view_, target_view_, neighbors, digamma),
          nearest_(static_cast<std::size_t>(neighbors.back())) {}

    INFOSIFT_INLINE void operator()(std::span<std::int64_t> sums) {
        for (std::size_t row = 0; row < order_.size(); ++row) {
            lists_.enter(row);
            entered_dense_ = false;
            for (std::size_t group = 0; group < groups_.count(); ++group)
                score_group(row, group, sums);
        }
    }

private:
    /// Neighbours to list for k: enough that four candidates seldom need more, few enough to list quickly.
    static std::size_t wanted(std::int64_t k) { return static_cast<std::size_t>(24 * k + 64); }

    static std::vector<std::uint32_t> by_first_column(const Columns &given) {
        std::vector<std::uint32_t> order(given.rows());
        std::iota(order.begin(), order.end(), 0u);
        std::sort(order.begin(), order.end(), [&](auto a, auto b) { return given[0][a] < given[0][b]; });
        return order;
    }

    INFOSIFT_INLINE void score_group(std::size_t row, std::size_t group, std::span<std::int64_t> sums) {
        const Lanes<width> *const values = groups_[group];
        const NearestLanes<width> nearest = find_nearest(values, row);
        const auto here = Lanes<width>::all(target_view_[0][row]);
        const std::size_t first = group * lane_count;
        const std::size_t lanes = std::min(lane_count, candidate_view_.count() - first);
        const Lanes<width> farthest = nearest.farthest();
        for (std::size_t q = 0; q < neighbors_.size(); ++q) {
            Lanes<width> feature_radius = nearest[static_cast<std::size_t>(neighbors_[q] - 1)],
                         target_radius = feature_radius;
            if constexpr (variant == Variant::rectangle)
                find_widths(values, row, feature_radius, target_radius);
            constexpr Ball ball = ball_of(variant);
            const auto in_features = count_near<ball>(values, row, feature_radius);
            const auto in_target = sorted_target_.template count_others<ball>(here, target_radius);
            for (std::size_t l = 0; l < lanes; ++l)
                if (farthest[l] <= lists_.reach())
                    sums[(first + l) * neighbors_.size() + q] +=
                        digamma_(in_features[l] + rim_of(variant)) + digamma_(in_target[l] + rim_of(variant));
        }
        for (std::size_t l = 0; l < lanes; ++l)
            if (!(farthest[l] <= lists_.reach()))
                score_densely(row, first + l, sums);
    }

    INFOSIFT_INLINE NearestLanes<width> find_nearest(const Lanes<width> *values, std::size_t row) {
        NearestLanes<width> nearest(nearest_);
        const NearList &list = lists_.in_both();
        for (std::size_t c = 0; c < list.chunks(); ++c) {
            if (nearest.farthest().largest() <= list.beyond(c))
                break;
            for (const auto &item : list.items_of(c))
                nearest.offer(larger(Lanes<width>::all(item.distance), magnitude(values[item.row] - values[row])));
        }
        return nearest;
    }

    /// In place of the radius of a closed cube, the half-widths of the rectangle around the rows in it.
    INFOSIFT_INLINE void find_widths(const Lanes<width> *values, std::size_t row, Lanes<width> &feature_radius,
                                     Lanes<width> &target_radius) {
        const Lanes<width> radius = feature_radius;
        const double reach = radius.largest();
        Lanes<width> feature_width{}, target_width{};
        const NearList &list = lists_.in_both();
        for (std::size_t c = 0; c < list.chunks() && list.beyond(c) <= reach; ++c)
            for (const auto &item : list.items_of(c)) {
                const Lanes<width> candidate = magnitude(values[item.row] - values[row]);
                const Lanes<width> joint = larger(Lanes<width>::all(item.distance), candidate);
                const Lanes<width> features = larger(Lanes<width>::all(item.given), candidate);
                feature_width = larger(feature_width, where_within(features, joint, radius));
                target_width = larger(target_width, where_within(Lanes<width>::all(item.target), joint, radius));
            }
        feature_radius = feature_width;
        target_radius = target_width;
    }

    template <Ball ball>
    INFOSIFT_INLINE LaneCounts<width> count_near(const Lanes<width> *values, std::size_t row,
                                                 const Lanes<width> &radius) const {
        LaneCounts<width> counts{};
        const double reach = radius.largest();
        const NearList &list = lists_.in_given();
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

    INFOSIFT_INLINE void score_densely(std::size_t row, std::size_t candidate, std::span<std::int64_t> sums) {
        if (!entered_dense_)
            dense_.enter(row);
        entered_dense_ = true;
        dense_(candidate_view_[candidate], sums.subspan(candidate * neighbors_.size(), neighbors_.size()));
    }

    std::span<const std::int64_t> neighbors_;
    const DigammaTable &digamma_;
    std::vector<std::uint32_t> order_;
    Reordered candidates_, given_, target_;
    Columns candidate_view_, given_view_, target_view_;
    CandidateGroups<width> groups_;
    NearLists lists_;
    SortedValues sorted_target_;
    DenseScorer<variant> dense_;
    bool entered_dense_ = false;
    std::vector<Lanes<width>> nearest_;
};

} // namespace infosift

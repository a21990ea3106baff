#include "algorithms.hpp"
#include "categories.hpp"
#include "near_lists.hpp"
#include "outlier_rows.hpp"
#include "radii.hpp"
#include "radix_sort.hpp"
#include "sorted_columns.hpp"

#include <algorithm>
#include <cmath>
#include <vector>

namespace infosift {

namespace {

/// The candidates in groups of four; a group has the four values of each row together.
template <std::size_t width> class CandidateGroups {
public:
    CandidateGroups(const Columns &candidates, std::span<const std::uint32_t> order)
        : rows_(candidates.rows()), candidates_(candidates.count()),
          values_((candidates_ + lane_count - 1) / lane_count * rows_) {
        for (std::size_t c = 0; c < count() * lane_count; ++c) {
            const auto column = candidates[std::min(c, candidates_ - 1)]; // the last one fills up its group
            for (std::size_t row = 0; row < rows_; ++row)
                values_[c / lane_count * rows_ + row].set(c % lane_count, column[order[row]]);
        }
    }

    std::size_t count() const { return values_.size() / rows_; }
    std::size_t size(std::size_t group) const { return std::min(lane_count, candidates_ - group * lane_count); }
    const Lanes<width> *operator[](std::size_t group) const { return &values_[group * rows_]; }

private:
    std::size_t rows_, candidates_;
    std::vector<Lanes<width>> values_;
};

/// The terms of rows for four candidates at a time, with at least one given column.
///
/// The distance of a row's k-th neighbour only grows when a candidate is added, and so does every other distance.
/// So the rows near in the given columns and the target are listed once for all candidates. Where a list turns out
/// too short for a candidate, the distances in it bound how far its neighbours can be: the row is scored among the
/// rows as near in the candidate if these are few (an outlier), else from longer lists.
template <Variant variant, std::size_t width> class BatchedScorer {
public:
    BatchedScorer(const Problem &problem, const DigammaTable &digamma)
        : problem_(problem), neighbors_(problem.neighbors), digamma_(digamma), order_(problem.given),
          given_(order_.arrange(problem.given)), target_(order_.arrange(problem.target)),
          groups_(problem.candidates, order_.rows()), most_(static_cast<std::size_t>(neighbors_.back())),
          finder_(given_.columns(), target_.columns()[0], order_.leaves(), list_length(problem)),
          sorted_target_(RowSorter()(problem.target[0])), score_outlier_(problem, sorted_target_, digamma),
          nearest_(NearestLanes<width>::places(most_)) {}

    INFOSIFT_INLINE void operator()(std::span<std::int64_t> sums) {
        const Share &share = problem_.share;
        // Rows of a leaf have much the same neighbours, whose values then stay in the cache.
        for (std::size_t number = share.number; number < order_.leaves().size() && !share.stops();
             number += share.count) {
            const auto [begin, end] = order_.leaves()[number];
            near_.resize(std::max(near_.size(), end - begin));
            for (std::size_t row = begin; row < end; ++row)
                list_near_rows(row, near_[row - begin]);
            for (std::size_t group = 0; group < groups_.count(); ++group)
                for (std::size_t row = begin; row < end; ++row)
                    score_group(row, group, near_[row - begin], sums);
            for (std::size_t row = begin; row < end; ++row)
                if (!near_[row - begin].unfinished.empty())
                    finish(row, near_[row - begin], sums);
        }
    }

private:
    /// The radii of four candidates around a row, by number of neighbours, and one that holds all its neighbours
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

    /// A group with a candidate whose neighbours may be beyond the lists, but no farther than this.
    struct Unfinished {
        std::size_t group;
        Lanes<width> farthest;
    };

    /// The rows within reach of a row.
    struct NearRows {
        NearList in_both, in_given;
        double reach;
        std::vector<Unfinished> unfinished;
    };

    // An outlier of a candidate has at most one in so many rows as near in it as its neighbours are.
    static constexpr std::size_t outlier_share = 8;

    /// Rows to list: enough that few candidates need more, few enough to list quickly.
    ///
    /// With d columns of numbers, the k nearest with a candidate added are about as far away as the
    /// n^(1/(d+1)) k^(d/(d+1)) nearest without it: a cube that holds k of n rows in d+1 columns has sides
    /// (k/n)^(1/(d+1)), and so n (k/n)^(d/(d+1)) rows in d columns. That is many where the columns are few.
    static std::size_t list_length(const Problem &problem) {
        double numbers = is_discrete(problem.target[0]) ? 0 : 1;
        for (std::size_t c = 0; c < problem.given.count(); ++c)
            numbers += is_discrete(problem.given[c]) ? 0 : 1;
        const auto k = static_cast<std::size_t>(problem.neighbors.back());
        const double as_far = std::pow(static_cast<double>(problem.target.rows()), 1 / (numbers + 1)) *
                              std::pow(static_cast<double>(k), numbers / (numbers + 1));
        return std::max(32 * k + 64, static_cast<std::size_t>(4 * as_far));
    }

    INFOSIFT_INLINE void list_near_rows(std::size_t row, NearRows &near) {
        near.unfinished.clear();
        near.reach = finder_.guess_reach(row);
        const auto rows = finder_.within(row, near.reach);
        near.in_given.assign(rows.in_given);
        near.in_both.assign(rows.in_both);
    }

    /// Add the terms of a row for the candidates of a group; note the group if the lists are too short for one.
    INFOSIFT_INLINE void score_group(std::size_t row, std::size_t group, NearRows &near,
                                     std::span<std::int64_t> sums) {
        find_radii(row, group, near.in_both, radii_);
        add_terms(row, group, near.in_given, radii_, -1.0, near.reach, sums);
        if (radii_.farthest.largest() > near.reach)
            near.unfinished.push_back({group, radii_.farthest});
    }

    INFOSIFT_INLINE void finish(std::size_t row, NearRows &near, std::span<std::int64_t> sums) {
        std::erase_if(near.unfinished, [&](const Unfinished &group) {
            return Compiled<width>::run(
                [&]() INFOSIFT_INLINE_LAMBDA { return score_outliers(row, group, near.reach, sums); });
        });
        if (!near.unfinished.empty())
            score_farther(row, near, sums);
    }

    /// Add the terms of a row for the unfinished candidates of a group if it is an outlier of all of them; else
    /// return false.
    INFOSIFT_INLINE bool score_outliers(std::size_t row, const Unfinished &unfinished, double reach,
                                        std::span<std::int64_t> sums) {
        const std::size_t row_of_table = order_.rows()[row], first = unfinished.group * lane_count;
        const std::size_t few = order_.rows().size() / outlier_share;
        for (std::size_t l = 0; l < groups_.size(unfinished.group); ++l)
            if (unfinished.farthest[l] > reach &&
                score_outlier_.count_near(first + l, row_of_table, unfinished.farthest[l]) > few)
                return false;
        for (std::size_t l = 0; l < groups_.size(unfinished.group); ++l)
            if (unfinished.farthest[l] > reach)
                score_outlier_(first + l, row_of_table, reach, unfinished.farthest[l],
                               problem_.sums_of(first + l, sums));
        return true;
    }

    /// List more rows around a row, first for the radii of the unfinished groups, then only as far as these.
    INFOSIFT_INLINE void score_farther(std::size_t row, const NearRows &near, std::span<std::int64_t> sums) {
        double reach = 0;
        for (const Unfinished &unfinished : near.unfinished)
            reach = larger(reach, unfinished.farthest.largest());
        longer_.assign(finder_.within(row, reach).in_both);
        longer_radii_.resize(std::max(longer_radii_.size(), near.unfinished.size()));
        double widest = 0;
        for (std::size_t u = 0; u < near.unfinished.size(); ++u) {
            find_radii(row, near.unfinished[u].group, longer_, longer_radii_[u]);
            widest = larger(widest, longer_radii_[u].widest());
        }
        longer_.assign(finder_.within(row, widest).in_given);
        for (std::size_t u = 0; u < near.unfinished.size(); ++u)
            add_terms(row, near.unfinished[u].group, longer_, longer_radii_[u], near.reach, reach, sums);
    }

    INFOSIFT_INLINE void find_radii(std::size_t row, std::size_t group, const NearList &in_both, Radii &radii) {
        const Lanes<width> *const values = groups_[group];
        const NearestLanes<width> nearest = find_nearest(values, row, in_both);
        radii.features.resize(neighbors_.size());
        radii.target.resize(neighbors_.size());
        radii.farthest = smaller(nearest.farthest(), Lanes<width>::all(other_category));
        for (std::size_t q = 0; q < neighbors_.size(); ++q) {
            radii.features[q] = radii.target[q] = nearest[static_cast<std::size_t>(neighbors_[q] - 1)];
            if constexpr (variant == Variant::rectangle) {
                const auto widths = find_widths(values, row, in_both, radii.features[q]);
                radii.features[q] = widths.features();
                radii.target[q] = widths.target();
            }
        }
    }

    /// Add the terms of the candidates whose neighbours are farther than one distance, but not than another.
    INFOSIFT_INLINE void add_terms(std::size_t row, std::size_t group, const NearList &in_given,
                                   const Radii &radii, double farther_than, double at_most,
                                   std::span<std::int64_t> sums) {
        constexpr Ball ball = ball_of(variant);
        const auto here = Lanes<width>::all(target_.columns()[0][row]);
        for (std::size_t q = 0; q < neighbors_.size(); ++q) {
            const auto in_features = count_near<ball>(groups_[group], row, in_given, radii.features[q]);
            const auto in_target = sorted_target_.template count_others<ball>(here, radii.target[q]);
            for (std::size_t l = 0; l < groups_.size(group); ++l)
                if (radii.farthest[l] > farther_than && radii.farthest[l] <= at_most &&
                    radii.features[q][l] < other_category)
                    digamma_.add_terms(variant, in_features[l], in_target[l],
                                       sums[(group * lane_count + l) * neighbors_.size() + q]);
        }
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
                for (std::size_t i = 0; i < distances.size(); ++i)
                    distances[i] = distance_to(items[first + i], values, row);
                nearest.insert(distances);
            }
        }
        return nearest;
    }

    /// In place of the radius of a closed cube, the half-widths of the rectangle around the rows in it.
    INFOSIFT_INLINE HalfWidths<Lanes<width>> find_widths(const Lanes<width> *values, std::size_t row,
                                                         const NearList &list, const Lanes<width> &radius) {
        const auto target = target_.columns()[0];
        HalfWidths<Lanes<width>> widths(radius);
        const double reach = radius.largest();
        for (std::size_t c = 0; c < list.chunks() && list.beyond(c) <= reach; ++c)
            for (const auto &item : list.items_of(c)) {
                const auto in_given = Lanes<width>::all(max_norm(given_.columns(), row, item.row));
                widths.include(larger(in_given, magnitude(values[item.row] - values[row])),
                               Lanes<width>::all(std::abs(target[item.row] - target[row])),
                               distance_to(item, values, row));
            }
        return widths;
    }

    template <Ball ball>
    INFOSIFT_INLINE LaneCounts<width> count_near(const Lanes<width> *values, std::size_t row, const NearList &list,
                                                 const Lanes<width> &radius) const {
        LaneCounts<width> counts{};
        const double reach = radius.largest();
        for (std::size_t c = 0; c < list.chunks() && holds<ball>(reach, list.beyond(c)); ++c)
            for (const auto &item : list.items_of(c))
                count_held<ball>(counts, distance_to(item, values, row), radius);
        return counts;
    }

    /// Per candidate, the distance of a listed row with the candidate added.
    static INFOSIFT_INLINE Lanes<width> distance_to(const NearList::Item &item, const Lanes<width> *values,
                                                    std::size_t row) {
        return larger(Lanes<width>::all(item.distance), magnitude(values[item.row] - values[row]));
    }

    const Problem &problem_;
    std::span<const std::int64_t> neighbors_;
    const DigammaTable &digamma_;
    SpatialOrder order_;
    StoredColumns given_, target_; // in spatial order
    CandidateGroups<width> groups_;
    std::size_t most_; // neighbours
    NearFinder<width> finder_;
    SortedValues sorted_target_;
    OutlierScorer<variant, width> score_outlier_;
    std::vector<Lanes<width>> nearest_;
    Radii radii_;
    std::vector<NearRows> near_; // of the rows of a leaf
    NearList longer_;
    std::vector<Radii> longer_radii_;
};

} // namespace

void add_batched_sums(InstructionSet instructions, const Problem &problem, const DigammaTable &digamma,
                      std::span<std::int64_t> sums) {
    run_for(instructions, problem.variant, [&]<Variant variant, std::size_t width>() INFOSIFT_INLINE_LAMBDA {
        BatchedScorer<variant, width> score(problem, digamma);
        score(sums);
    });
}

} // namespace infosift

#include "algorithms.hpp"
#include "balls.hpp"
#include "radix_sort.hpp"
#include "sorted_columns.hpp"
#include "strips.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

namespace infosift {

namespace {

/// How many rows of each fold are among the first ones of a column in ascending order.
class FoldPrefixes {
public:
    FoldPrefixes(std::span<const RowSorter::Key> ascending, const Folds &folds)
        : folds_(folds.count), counts_((ascending.size() + 1) * folds.count, 0) {
        for (std::size_t rank = 0; rank < ascending.size(); ++rank) {
            const std::uint32_t *const before = first(rank);
            std::uint32_t *const after = &counts_[(rank + 1) * folds_];
            std::copy(before, before + folds_, after);
            ++after[folds.of_row[ascending[rank].row]];
        }
    }

    const std::uint32_t *first(std::size_t rank) const { return &counts_[rank * folds_]; }

private:
    std::size_t folds_;
    std::vector<std::uint32_t> counts_;
};

/// A column in ascending order, with what it takes to count in it without a fold.
struct FoldedColumn {
    FoldedColumn(std::span<const RowSorter::Key> ascending, const Folds &folds)
        : values(ascending), prefixes(ascending, folds) {}

    /// The values in a ball, the row's own included, and the prefixes up to the first and through the last of
    /// them.
    struct Range {
        std::int64_t count;
        const std::uint32_t *before, *after;

        /// How many other values there are in the ball without a fold. For the row's own fold this may be -1.
        INFOSIFT_INLINE std::int64_t others_without(std::size_t fold) const {
            return count - (after[fold] - before[fold]) - 1;
        }
    };

    template <std::size_t width>
    INFOSIFT_INLINE Range in_ball(std::size_t row, const Balls<width> &balls, std::size_t ball) const {
        const auto rank = static_cast<std::int64_t>(values.rank(row));
        return {balls.others(ball) + 1, prefixes.first(static_cast<std::size_t>(rank - balls.lower(ball))),
                prefixes.first(static_cast<std::size_t>(rank + balls.higher(ball) + 1))};
    }

    SortedValues values;
    FoldPrefixes prefixes;
};

/// Collects, per lane, the rows of a closed cube and their distances.
template <std::size_t width> class RowsVisitor {
public:
    struct Row {
        double distance;
        std::uint32_t row;
    };
    using Rows = std::array<std::vector<Row>, lane_count>;

    INFOSIFT_INLINE RowsVisitor(const Lanes<width> &radius, const Strips<width> &strips, Rows &rows)
        : radius_(radius), reach_(std::nextafter(radius.largest(), unreachable)), strips_(strips), rows_(rows) {
        for (auto &of_lane : rows_)
            of_lane.clear();
    }
    INFOSIFT_INLINE void visit(const Lanes<width> &x, const Lanes<width> &y, std::size_t place, std::size_t) {
        const Lanes<width> distance = larger(x, y);
        for (std::size_t l = 0; l < lane_count; ++l)
            if (distance[l] <= radius_[l])
                rows_[l].push_back({distance[l], strips_.row(place)});
    }
    INFOSIFT_INLINE void update() {}
    INFOSIFT_INLINE double reach() const { return reach_; }

private:
    Lanes<width> radius_;
    double reach_;
    const Strips<width> &strips_;
    Rows &rows_;
};

/// The terms of variant 1, summed over the rows without each fold, for one candidate at a time.
///
/// Leaving out a fold removes a few rows from the sorted neighbours of a row and from the counts around it, and
/// changes nothing else. So the neighbours, a few more than needed, are searched once for all folds.
template <std::size_t width> class FoldScorer {
public:
    FoldScorer(std::span<const double> target, const Folds &folds, std::size_t most_neighbors,
               const DigammaTable &digamma)
        : target_(target), folds_(folds), most_(most_neighbors),
          listed_(std::min(list_length(most_neighbors, folds.count), target.size() - 1)), digamma_(digamma),
          strips_(sort_(target), listed_), sorted_target_(sort_(target), folds),
          nearest_(NearestLanes<width>::places(listed_ + 1)), x_balls_(lane_count, Balls<width>(listed_)),
          y_balls_(x_balls_), passed_(folds.count), step_(folds.count), sums_(folds.count * (listed_ + 1)) {}

    /// Score a candidate; `sum(fold, k)` then gives its sums.
    INFOSIFT_INLINE void operator()(std::span<const double> candidate) {
        candidate_ = candidate;
        std::fill(sums_.begin(), sums_.end(), 0);
        const auto order = sort_(candidate);
        const FoldedColumn sorted_candidate(order, folds_);
        strips_.arrange(order, target_);
        strips_.for_each_four([&](std::size_t strip, std::size_t place, std::size_t skipped)
                                  INFOSIFT_INLINE_LAMBDA { score_four(strip, place, skipped, sorted_candidate); });
    }

    std::int64_t sum(std::size_t fold, std::size_t k) const { return sums_[fold * (listed_ + 1) + k]; }

private:
    /// Neighbours to list so that hardly ever too many of them are in one fold. About k / (folds - 1) of the
    /// listed ones are; to these come four standard deviations of a Poisson variable.
    static std::size_t list_length(std::size_t most, std::size_t folds) {
        const double others = static_cast<double>(folds - 1), k = static_cast<double>(most);
        return most + static_cast<std::size_t>(k / others + 4 * std::sqrt(k / others)) + 4;
    }

    using Row = typename RowsVisitor<width>::Row;

    INFOSIFT_INLINE void score_four(std::size_t strip, std::size_t place, std::size_t skipped,
                                    const FoldedColumn &sorted_candidate) {
        const NearestLanes<width> nearest(nearest_, listed_ + 1);
        NearestVisitor<width> nearest_visitor(nearest);
        strips_.visit_around(strip, place, nearest_visitor);
        RowsVisitor<width> rows_visitor(nearest.farthest(), strips_, rows_);
        strips_.visit_around(strip, place, rows_visitor);

        for (std::size_t rank = 1; rank <= listed_; ++rank)
            for (std::size_t l = 0; l < lane_count; ++l)
                for (auto *balls : {&x_balls_, &y_balls_})
                    (*balls)[l].set(rank - 1, nearest[rank][l]);
        for (std::size_t l = skipped; l < lane_count; ++l)
            add_row(strips_.row(strip, place + l), l, sorted_candidate);
    }

    /// Walk along the sorted neighbours of a row; each is the next one for all folds but its own.
    INFOSIFT_INLINE void add_row(std::uint32_t row, std::size_t lane, const FoldedColumn &sorted_candidate) {
        x_balls_[lane].template count<Ball::open>(sorted_candidate.values, row);
        y_balls_[lane].template count<Ball::open>(sorted_target_.values, row);
        auto &rows = rows_[lane];
        std::sort(rows.begin(), rows.end(), [](const Row &a, const Row &b) { return a.distance < b.distance; });
        std::fill(passed_.begin(), passed_.end(), 0);
        std::fill(step_.begin(), step_.end(), 1);
        const auto own = static_cast<std::size_t>(folds_.of_row[row]);
        step_[own] = 0;
        std::size_t ball = 0;
        for (const Row &neighbor : rows) {
            if (neighbor.row == row)
                continue;
            if (ball == listed_)
                break;
            const auto fold = static_cast<std::size_t>(folds_.of_row[neighbor.row]);
            const std::int64_t step = step_[fold];
            step_[fold] = 0;
            add_neighbor(sorted_candidate.in_ball(row, x_balls_[lane], ball),
                         sorted_target_.in_ball(row, y_balls_[lane], ball));
            step_[fold] = step;
            ++ball;
        }
        for (std::size_t fold = 0; fold < folds_.count; ++fold)
            if (fold != own && passed_[fold] < static_cast<std::int64_t>(most_))
                add_missing_neighbors(row, fold);
    }

    INFOSIFT_INLINE void add_neighbor(const FoldedColumn::Range &x, const FoldedColumn::Range &y) {
        for (std::size_t fold = 0; fold < folds_.count; ++fold) {
            const std::int64_t step = step_[fold];
            passed_[fold] += step;
            std::int64_t terms = 0;
            digamma_.add_terms(Variant::cube, x.others_without(fold), y.others_without(fold), terms);
            // Without branches: all bits of -step are set where the neighbour counts, and none where it does not.
            sums_[fold * (listed_ + 1) + static_cast<std::size_t>(passed_[fold])] += -step & terms;
        }
    }

    /// For a row with too many near rows in one fold: sort the distances of all rows.
    void add_missing_neighbors(std::uint32_t row, std::size_t fold) {
        std::vector<double> x, y, joint;
        for (std::size_t j = 0; j < target_.size(); ++j)
            if (j != row && static_cast<std::size_t>(folds_.of_row[j]) != fold) {
                x.push_back(std::abs(candidate_[j] - candidate_[row]));
                y.push_back(std::abs(target_[j] - target_[row]));
                joint.push_back(larger(x.back(), y.back()));
            }
        std::sort(x.begin(), x.end());
        std::sort(y.begin(), y.end());
        std::sort(joint.begin(), joint.end());
        for (auto k = static_cast<std::size_t>(passed_[fold]) + 1; k <= most_; ++k) {
            const auto in_x = std::lower_bound(x.begin(), x.end(), joint[k - 1]) - x.begin();
            const auto in_y = std::lower_bound(y.begin(), y.end(), joint[k - 1]) - y.begin();
            digamma_.add_terms(Variant::cube, in_x, in_y, sums_[fold * (listed_ + 1) + k]);
        }
    }

    std::span<const double> target_, candidate_;
    Folds folds_;
    std::size_t most_, listed_; // neighbours needed, and neighbours listed for each row
    const DigammaTable &digamma_;
    RowSorter sort_;
    Strips<width> strips_;
    FoldedColumn sorted_target_;
    std::vector<Lanes<width>> nearest_;
    std::vector<Balls<width>> x_balls_, y_balls_; // of four rows, by rank of the neighbour
    typename RowsVisitor<width>::Rows rows_;
    std::vector<std::int64_t> passed_, step_; // by fold: neighbours so far; one where the next counts, else zero
    std::vector<std::int64_t> sums_;          // by fold and number of neighbours
};

} // namespace

void find_fold_sums(InstructionSet instructions, const Problem &problem, const Folds &folds,
                    const DigammaTable &digamma, std::span<std::int64_t> sums) {
    const auto most = static_cast<std::size_t>(problem.neighbors.back());
    run_for(instructions, [&]<std::size_t width>() INFOSIFT_INLINE_LAMBDA {
        FoldScorer<width> score(problem.target[0], folds, most, digamma);
        auto sum = sums.begin();
        for (std::size_t c = 0; c < problem.candidates.count(); ++c) {
            score(problem.candidates[c]);
            for (std::size_t fold = 0; fold < folds.count; ++fold)
                for (const std::int64_t k : problem.neighbors)
                    *sum++ = score.sum(fold, static_cast<std::size_t>(k));
        }
    });
}

} // namespace infosift

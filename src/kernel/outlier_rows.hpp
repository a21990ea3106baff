#pragma once

#include "categories.hpp"
#include "estimator.hpp"
#include "lanes.hpp"
#include "problem.hpp"
#include "radii.hpp"
#include "radix_sort.hpp"
#include "sorted_columns.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace infosift {

/// The terms of single rows for single candidates, from the rows near in the candidate.
///
/// The neighbours of an outlier of a candidate are far away, and not among the rows that are near in the given
/// columns and the target; but few rows are as near to it in the candidate. On columns with long tails this halves
/// the time.
template <Variant variant, std::size_t width> class OutlierScorer {
public:
    OutlierScorer(const Problem &problem, const SortedValues &sorted_target, const DigammaTable &digamma)
        : candidates_(problem.candidates), n_given_(problem.given.count()),
          shared_(problem.target.rows() * (n_given_ + 1)), sorted_target_(sorted_target),
          neighbors_(problem.neighbors), digamma_(digamma), order_(candidates_.count()),
          nearest_(static_cast<std::size_t>(neighbors_.back())), feature_radii_(neighbors_.size()),
          target_radii_(neighbors_.size()), counts_(neighbors_.size()) {
        for (std::size_t row = 0; row < problem.target.rows(); ++row) {
            for (std::size_t c = 0; c < n_given_; ++c)
                shared_[row * (n_given_ + 1) + c] = problem.given[c][row];
            shared_[row * (n_given_ + 1) + n_given_] = problem.target[0][row];
        }
    }

    /// How many rows there are whose candidate is within reach of a row's.
    std::size_t count_near(std::size_t candidate, std::size_t row, double reach) {
        return near(candidate, row, reach).size();
    }

    /// Add the terms of a row for a candidate, given bounds of the distance of its farthest neighbour: it is
    /// larger than the lower one, and at most the upper one.
    INFOSIFT_INLINE void operator()(std::size_t candidate, std::size_t row, double lower, double upper,
                                    std::span<std::int64_t> sums) {
        const double halfway = lower + (upper - lower) / 2;
        find_nearest(candidate, row, halfway);
        if (!(nearest_.back() <= halfway))
            find_nearest(candidate, row, std::min(nearest_.back(), upper));
        find_radii();
        constexpr Ball ball = ball_of(variant);
        count_within<ball>(features_, feature_radii_, counts_);
        const auto here = Lanes<width>::all(shared_of(row)[n_given_]);
        for (std::size_t q = 0; q < neighbors_.size() && feature_radii_[q] < other_category; ++q) {
            const auto radius = Lanes<width>::all(target_radii_[q]);
            const std::int64_t in_target = sorted_target_.template count_others<ball>(here, radius)[0];
            digamma_.add_terms(variant, counts_[q], in_target, sums[q]);
        }
    }

private:
    /// The rows whose candidate is within reach of a row's, the row itself included.
    std::span<const std::uint32_t> near(std::size_t candidate, std::size_t row, double reach) {
        const auto values = candidates_[candidate];
        auto &order = order_[candidate];
        if (order.empty())
            for (const auto &key : sort_(values))
                order.push_back(key.row);
        const double here = values[row];
        const auto begin = std::partition_point(order.begin(), order.end(),
                                                [&](std::uint32_t j) { return here - values[j] > reach; });
        const auto end =
            std::partition_point(begin, order.end(), [&](std::uint32_t j) { return values[j] - here <= reach; });
        return {begin, end};
    }

    /// The distances of the rows within reach, and the smallest of them.
    ///
    /// Few of the rows near in the candidate are near in the given columns, so the candidate itself, which is not
    /// in the cache, is read last.
    INFOSIFT_INLINE void find_nearest(std::size_t candidate, std::size_t row, double reach) {
        const auto values = candidates_[candidate];
        const double *const here = shared_of(row);
        const auto others = near(candidate, row, reach);
        within_.resize(std::max(within_.size(), others.size() + 1));
        std::size_t count = 0;
        for (const std::uint32_t j : others) {
            const double *const there = shared_of(j);
            double given = 0;
            for (std::size_t c = 0; c < n_given_; ++c)
                given = larger(given, std::abs(there[c] - here[c]));
            within_[count] = {given, j};
            count += given <= reach && j != row;
        }
        features_.resize(count);
        in_target_.resize(count);
        joint_.resize(count);
        for (std::size_t m = 0; m < count; ++m) {
            const auto [given, j] = within_[m];
            features_[m] = larger(given, std::abs(values[j] - values[row]));
            in_target_[m] = std::abs(shared_of(j)[n_given_] - here[n_given_]);
            joint_[m] = larger(features_[m], in_target_[m]);
        }
        smallest(joint_, nearest_);
    }

    INFOSIFT_INLINE void find_radii() {
        for (std::size_t q = 0; q < neighbors_.size(); ++q) {
            feature_radii_[q] = target_radii_[q] = nearest_[static_cast<std::size_t>(neighbors_[q] - 1)];
            if constexpr (variant == Variant::rectangle) {
                HalfWidths<double> widths(feature_radii_[q]);
                for (std::size_t m = 0; m < features_.size(); ++m)
                    widths.include(features_[m], in_target_[m], joint_[m]);
                feature_radii_[q] = widths.features();
                target_radii_[q] = widths.target();
            }
        }
    }

    const double *shared_of(std::size_t row) const { return &shared_[row * (n_given_ + 1)]; }

    const Columns &candidates_;
    std::size_t n_given_;
    std::vector<double> shared_; // the given columns and the target, row by row
    const SortedValues &sorted_target_;
    std::span<const std::int64_t> neighbors_;
    const DigammaTable &digamma_;
    RowSorter sort_;
    std::vector<std::vector<std::uint32_t>> order_; // rows by candidate, ascending; sorted when first needed
    struct Near {
        double distance; // in the given columns
        std::uint32_t row;
    };
    std::vector<Near> within_;
    std::vector<double> features_, in_target_, joint_; // distances of the rows within reach
    std::vector<double> nearest_, feature_radii_, target_radii_;
    std::vector<std::int64_t> counts_;
};

} // namespace infosift

#pragma once

#include "categories.hpp"
#include "columns.hpp"
#include "digamma_sum.hpp"
#include "radii.hpp"
#include "radix_sort.hpp"
#include "sorted_values.hpp"
#include "variant.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace infosift {

/// What single rows contribute to the sums of single candidates, from the rows near in the candidate alone.
///
/// In the tail of a candidate a row's neighbours are far away and not among those that are near in all else; but
/// few rows are as near to it in the candidate.
template <Variant variant, std::size_t width> class TailScorer {
public:
    TailScorer(const Columns &candidates, const Columns &given, std::span<const double> target,
               const SortedValues &sorted_target, std::span<const std::int64_t> neighbors,
               const DigammaTable &digamma)
        : candidates_(candidates), n_given_(given.count()), shared_(target.size() * (given.count() + 1)),
          sorted_target_(sorted_target), neighbors_(neighbors), digamma_(digamma), order_(candidates.count()),
          nearest_(static_cast<std::size_t>(neighbors.back())), feature_radii_(neighbors.size()),
          target_radii_(neighbors.size()), counts_(neighbors.size()) {
        for (std::size_t row = 0; row < target.size(); ++row) {
            for (std::size_t c = 0; c < n_given_; ++c)
                shared_[row * (n_given_ + 1) + c] = given[c][row];
            shared_[row * (n_given_ + 1) + n_given_] = target[row];
        }
    }

    /// How many rows there are whose candidate is within reach of a row's.
    std::size_t count_near(std::size_t candidate, std::size_t row, double reach) {
        return near(candidate, row, reach).size();
    }

    /// Add what a row contributes for a candidate whose farthest neighbour is beyond one distance, but not
    /// another.
    INFOSIFT_INLINE void operator()(std::size_t candidate, std::size_t row, double beyond, double at_most,
                                    std::span<std::int64_t> sums) {
        const double halfway = beyond + (at_most - beyond) / 2;
        find_nearest(candidate, row, halfway);
        if (!(nearest_.back() <= halfway))
            find_nearest(candidate, row, std::min(nearest_.back(), at_most));
        for (std::size_t q = 0; q < neighbors_.size(); ++q)
            feature_radii_[q] = target_radii_[q] = nearest_[static_cast<std::size_t>(neighbors_[q] - 1)];
        if constexpr (variant == Variant::rectangle) {
            const std::vector<double> radii = feature_radii_;
            widths_within(joint_, radii, features_, feature_radii_);
            widths_within(joint_, radii, in_target_, target_radii_);
        }
        constexpr Ball ball = ball_of(variant);
        count_within<ball>(features_, feature_radii_, counts_);
        const auto here = Lanes<width>::all(shared_of(row)[n_given_]);
        for (std::size_t q = 0; q < neighbors_.size() && feature_radii_[q] < other_category; ++q) {
            const auto radius = Lanes<width>::all(target_radii_[q]);
            const std::int64_t in_target = sorted_target_.template count_others<ball>(here, radius)[0];
            sums[q] += digamma_(counts_[q] + rim_of(variant)) + digamma_(in_target + rim_of(variant));
        }
    }

private:
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
    /// Few of the rows near in the candidate are near in all else, so the candidate itself, which is not in the
    /// cache, is looked at last.
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

    const double *shared_of(std::size_t row) const { return &shared_[row * (n_given_ + 1)]; }

    const Columns &candidates_;
    std::size_t n_given_;
    std::vector<double> shared_; // the given columns and the target, row by row
    const SortedValues &sorted_target_;
    std::span<const std::int64_t> neighbors_;
    const DigammaTable &digamma_;
    RowSorter sort_;
    std::vector<std::vector<std::uint32_t>> order_; // rows by candidate, ascending; sorted when first asked for
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

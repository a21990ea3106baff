#pragma once

#include "cells.hpp"
#include "columns.hpp"
#include "digamma_sum.hpp"
#include "distances.hpp"
#include "radix_sort.hpp"
#include "sorted_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace infosift {

/// How many neighbours count for a row that has only so many others in its cell, fewer than asked for.
INFOSIFT_INLINE std::int64_t neighbors_in_cell(std::int64_t others) { return std::max<std::int64_t>(others, 1); }

/// What the rows of small cells contribute (variant 1): those with fewer others in their cell than neighbours are
/// asked for. All others in the cell are then their neighbours; a row alone in its cell takes in all numbers.
class SmallCellScorer {
public:
    SmallCellScorer(const Columns &given, const Columns &target, const SharedCells &shared,
                    std::span<const std::int64_t> neighbors, const DigammaTable &digamma)
        : given_(given), target_(target[0]), shared_(shared), neighbors_(neighbors), digamma_(digamma),
          sorted_target_(RowSorter()(target_)) {}

    void operator()(std::span<const double> candidate, std::span<std::int64_t> sums) const {
        if (!has_categories(candidate))
            return add(candidate, shared_.in_given, shared_.in_both, sums);
        Cells in_features = shared_.in_given, in_both = shared_.in_both;
        in_features.split(candidate);
        in_both.split(candidate);
        add(candidate, in_features, in_both, sums);
    }

private:
    void add(std::span<const double> candidate, const Cells &in_features, const Cells &in_both,
             std::span<std::int64_t> sums) const {
        for (std::size_t cell = 0; cell < in_both.count(); ++cell) {
            const auto members = in_both.members(cell);
            const auto others = static_cast<std::int64_t>(members.size()) - 1;
            if (others < neighbors_.back())
                for (const std::uint32_t row : members)
                    add_row(row, candidate, members, in_features.members(in_features.of_row(row)), sums);
        }
    }

    void add_row(std::uint32_t row, std::span<const double> candidate, std::span<const std::uint32_t> cell,
                 std::span<const std::uint32_t> alike_in_features, std::span<std::int64_t> sums) const {
        const auto others = static_cast<std::int64_t>(cell.size()) - 1;
        double radius = others > 0 ? 0 : other_category;
        for (const std::uint32_t other : cell)
            radius = larger(
                radius, larger(feature_distance(candidate, row, other), std::abs(target_[other] - target_[row])));
        std::int64_t in_features = 1;
        for (const std::uint32_t other : alike_in_features)
            in_features += other != row && feature_distance(candidate, row, other) < radius;
        const std::int64_t around =
            digamma_(in_features) + digamma_(count_in_target(row, radius)) - digamma_(neighbors_in_cell(others));
        for (std::size_t q = 0; q < neighbors_.size(); ++q)
            if (others < neighbors_[q])
                sums[q] += around + digamma_(neighbors_[q]);
    }

    std::int64_t count_in_target(std::uint32_t row, double radius) const {
        const auto here = Lanes<2>::all(target_[row]), within = Lanes<2>::all(radius);
        return sorted_target_.count_others<Ball::open>(here, within)[0] + 1;
    }

    double feature_distance(std::span<const double> candidate, std::uint32_t row, std::uint32_t other) const {
        double distance = std::abs(candidate[other] - candidate[row]);
        for (std::size_t c = 0; c < given_.count(); ++c)
            distance = larger(distance, std::abs(given_[c][other] - given_[c][row]));
        return distance;
    }

    const Columns &given_;
    std::span<const double> target_;
    const SharedCells &shared_;
    std::span<const std::int64_t> neighbors_;
    const DigammaTable &digamma_;
    SortedValues sorted_target_;
};

} // namespace infosift

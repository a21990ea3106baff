#pragma once

#include "categories.hpp"
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

/// What rows contribute whose neighbours are not found by distance (variant 1).
///
/// Where a cell has no numbers, the neighbours of its rows are all rows of the cell, however many are asked for.
/// Where it has fewer others than neighbours are asked for, these are the neighbours; a row alone in its cell
/// takes in all numbers.
class CellScorer {
public:
    CellScorer(const Columns &given, const Columns &target, std::span<const std::int64_t> neighbors,
               const DigammaTable &digamma)
        : given_(given), target_(target[0]), numbers_in_given_(given), numbers_in_target_(target),
          neighbors_(neighbors), digamma_(digamma), alike_in_given_(target.rows()),
          alike_in_target_(target.rows()), alike_in_both_(target.rows()), sorted_target_(RowSorter()(target_)) {
        alike_in_given_.split(given);
        alike_in_target_.split(target);
        alike_in_both_ = alike_in_given_;
        alike_in_both_.split(target);
    }

    /// Whether no row has numbers, so that all of them are scored here.
    bool scores_all(std::span<const double> candidate) const {
        if (!is_discrete(candidate))
            return false;
        for (std::size_t row = 0; row < target_.size(); ++row)
            if (numbers_in_given_.in_row(row) || numbers_in_target_.in_row(row))
                return false;
        return true;
    }

    /// Add what these rows contribute to what all others do; where a path was taken along the distances, take
    /// back what it found for them.
    void operator()(std::span<const double> candidate, bool took_a_path, std::span<std::int64_t> sums) const {
        Cells in_features = alike_in_given_, in_both = alike_in_both_;
        in_features.split(candidate);
        in_both.split(candidate);
        const Numbers numbers_in_candidate({candidate.data(), 1, candidate.size()});
        for (std::size_t cell = 0; cell < in_both.count(); ++cell) {
            const auto members = in_both.members(cell);
            const std::size_t first = members[0];
            const auto alike = in_features.members(in_features.of_row(first));
            if (!numbers_in_given_.in_row(first) && !numbers_in_target_.in_row(first) &&
                !numbers_in_candidate.in_row(first))
                add_cell_without_numbers(members, static_cast<std::int64_t>(alike.size()), took_a_path, sums);
            else if (static_cast<std::int64_t>(members.size()) <= neighbors_.back())
                for (const std::uint32_t row : members)
                    add_row_of_small_cell(row, candidate, members, alike, sums);
        }
    }

private:
    void add_cell_without_numbers(std::span<const std::uint32_t> members, std::int64_t in_features,
                                  bool took_a_path, std::span<std::int64_t> sums) const {
        const auto size = static_cast<std::int64_t>(members.size());
        const std::int64_t alike =
            digamma_(in_features) + digamma_(alike_in_target_.size_around(members[0])) - digamma_(size);
        for (std::size_t q = 0; q < sums.size(); ++q) {
            // No row is strictly within a radius of zero.
            const bool was_counted = took_a_path && size > neighbors_[q];
            sums[q] += size * (alike + digamma_(neighbors_[q]) - (was_counted ? 2 * digamma_(1) : 0));
        }
    }

    void add_row_of_small_cell(std::uint32_t row, std::span<const double> candidate,
                               std::span<const std::uint32_t> cell, std::span<const std::uint32_t> alike,
                               std::span<std::int64_t> sums) const {
        const auto others = static_cast<std::int64_t>(cell.size()) - 1;
        double radius = others > 0 ? 0 : other_category;
        for (const std::uint32_t other : cell)
            radius = larger(
                radius, larger(feature_distance(candidate, row, other), std::abs(target_[other] - target_[row])));
        std::int64_t in_features = 1;
        for (const std::uint32_t other : alike)
            in_features += other != row && feature_distance(candidate, row, other) < radius;
        const auto here = Lanes<2>::all(target_[row]), within = Lanes<2>::all(radius);
        const std::int64_t in_target = sorted_target_.count_others<Ball::open>(here, within)[0] + 1;
        const std::int64_t around =
            digamma_(in_features) + digamma_(in_target) - digamma_(neighbors_in_cell(others));
        for (std::size_t q = 0; q < neighbors_.size(); ++q)
            if (others < neighbors_[q])
                sums[q] += around + digamma_(neighbors_[q]);
    }

    double feature_distance(std::span<const double> candidate, std::uint32_t row, std::uint32_t other) const {
        double distance = std::abs(candidate[other] - candidate[row]);
        for (std::size_t c = 0; c < given_.count(); ++c)
            distance = larger(distance, std::abs(given_[c][other] - given_[c][row]));
        return distance;
    }

    const Columns &given_;
    std::span<const double> target_;
    Numbers numbers_in_given_, numbers_in_target_;
    std::span<const std::int64_t> neighbors_;
    const DigammaTable &digamma_;
    Cells alike_in_given_, alike_in_target_, alike_in_both_;
    SortedValues sorted_target_;
};

} // namespace infosift

#pragma once

#include "categories.hpp"
#include "estimator.hpp"
#include "lanes.hpp"
#include "problem.hpp"
#include "radix_sort.hpp"
#include "sorted_columns.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace infosift {

/// A partition of the rows into cells: rows of a cell are of the same category in every discrete column so far.
class Cells {
public:
    explicit Cells(std::size_t rows) : of_row_(rows, 0), rows_(rows), first_{0, rows} {
        std::iota(rows_.begin(), rows_.end(), 0u);
    }

    std::size_t count() const { return first_.size() - 1; }
    std::span<const std::uint32_t> members(std::size_t cell) const {
        return std::span(rows_).subspan(first_[cell], first_[cell + 1] - first_[cell]);
    }
    /// The rows in the cell of a row, itself included.
    std::span<const std::uint32_t> around(std::size_t row) const { return members(of_row_[row]); }

    /// Split the cells by the categories of a column; all numbers are of one.
    void split(std::span<const double> column) {
        if (!has_categories(column))
            return;
        constexpr auto none = std::numeric_limits<std::uint32_t>::max();
        std::size_t categories = 0;
        for (const double value : column)
            categories = std::max(categories, category(value) + 1);
        std::vector<std::uint32_t> seen_in(categories, none), part(categories);
        std::uint32_t parts = 0;
        for (std::uint32_t cell = 0; cell < count(); ++cell)
            for (const std::uint32_t row : members(cell)) {
                const std::size_t own = category(column[row]);
                if (seen_in[own] != cell) {
                    seen_in[own] = cell;
                    part[own] = parts++;
                }
                of_row_[row] = part[own];
            }
        gather(parts);
    }

    void split(const Columns &columns) {
        for (std::size_t c = 0; c < columns.count(); ++c)
            split(columns[c]);
    }

private:
    /// Sort the rows by their cells (counting sort).
    void gather(std::size_t cells) {
        first_.assign(cells + 1, 0);
        for (const std::uint32_t cell : of_row_)
            ++first_[cell + 1];
        std::partial_sum(first_.begin(), first_.end(), first_.begin());
        std::vector<std::size_t> next(first_.begin(), first_.end() - 1);
        for (std::uint32_t row = 0; row < of_row_.size(); ++row)
            rows_[next[of_row_[row]]++] = row;
    }

    std::vector<std::uint32_t> of_row_;
    std::vector<std::uint32_t> rows_; // cell by cell
    std::vector<std::size_t> first_;  // of a cell, among them
};

/// The number of neighbours of a row that has fewer than k others in its cell.
INFOSIFT_INLINE std::int64_t neighbors_in_cell(std::int64_t others) { return std::max<std::int64_t>(others, 1); }

/// The terms of rows whose neighbours no distance decides (variant 1).
///
/// Where a cell has no numbers, the neighbours of its rows are all rows of the cell, whatever k is (Gao et al.
/// 2017). Where it has fewer than k others, these are the neighbours (Ross 2014); a row alone in its cell takes in
/// all numbers.
class CellScorer {
public:
    CellScorer(const Columns &given, const Columns &target, std::span<const std::int64_t> neighbors,
               const DigammaTable &digamma)
        : given_(given), target_(target[0]), numeric_given_(given), numeric_target_(target), neighbors_(neighbors),
          digamma_(digamma), cells_of_given_(target.rows()), cells_of_target_(target.rows()),
          cells_of_both_(target.rows()), sorted_target_(RowSorter()(target_)) {
        cells_of_given_.split(given);
        cells_of_target_.split(target);
        cells_of_both_ = cells_of_given_;
        cells_of_both_.split(target);
    }

    /// Whether no row has numbers, so that all of them are scored here.
    bool scores_all(std::span<const double> candidate) const {
        if (!is_discrete(candidate))
            return false;
        for (std::size_t row = 0; row < target_.size(); ++row)
            if (numeric_given_.contain(row) || numeric_target_.contain(row))
                return false;
        return true;
    }

    /// Add the terms of these rows; where all rows are scored by distance too, subtract what that adds for them.
    void operator()(std::span<const double> candidate, bool by_distance, std::span<std::int64_t> sums) const {
        Cells cells_of_features = cells_of_given_, cells = cells_of_both_;
        cells_of_features.split(candidate);
        cells.split(candidate);
        const NumericRows numeric_candidate({candidate.data(), 1, candidate.size()});
        for (std::size_t c = 0; c < cells.count(); ++c) {
            const auto cell = cells.members(c);
            const std::size_t first = cell[0];
            const auto alike = cells_of_features.around(first);
            if (!numeric_given_.contain(first) && !numeric_target_.contain(first) &&
                !numeric_candidate.contain(first))
                add_cell_without_numbers(cell, alike.size(), by_distance, sums);
            else if (static_cast<std::int64_t>(cell.size()) <= neighbors_.back())
                for (const std::uint32_t row : cell)
                    add_row_of_small_cell(row, candidate, cell, alike, sums);
        }
    }

private:
    void add_cell_without_numbers(std::span<const std::uint32_t> cell, std::size_t in_features, bool by_distance,
                                  std::span<std::int64_t> sums) const {
        const auto size = static_cast<std::int64_t>(cell.size());
        const std::size_t in_target = cells_of_target_.around(cell[0]).size();
        std::int64_t terms = 0, of_distance = 0;
        digamma_.add_terms(Variant::cube, static_cast<std::int64_t>(in_features) - 1,
                           static_cast<std::int64_t>(in_target) - 1, terms);
        // By distance, each row has k neighbours at radius zero, and none strictly within it.
        digamma_.add_terms(Variant::cube, 0, 0, of_distance);
        for (std::size_t q = 0; q < sums.size(); ++q) {
            std::int64_t of_row = by_distance && size > neighbors_[q] ? terms - of_distance : terms;
            digamma_.add_correction(neighbors_[q], size, of_row);
            sums[q] += size * of_row;
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
        std::int64_t in_features = 0;
        for (const std::uint32_t other : alike)
            in_features += other != row && feature_distance(candidate, row, other) < radius;
        const auto here = Lanes<2>::all(target_[row]), within = Lanes<2>::all(radius);
        const std::int64_t in_target = sorted_target_.count_others<Ball::open>(here, within)[0];
        for (std::size_t q = 0; q < neighbors_.size(); ++q)
            if (others < neighbors_[q]) {
                digamma_.add_terms(Variant::cube, in_features, in_target, sums[q]);
                digamma_.add_correction(neighbors_[q], neighbors_in_cell(others), sums[q]);
            }
    }

    double feature_distance(std::span<const double> candidate, std::uint32_t row, std::uint32_t other) const {
        return larger(max_norm(given_, row, other), std::abs(candidate[other] - candidate[row]));
    }

    const Columns &given_;
    std::span<const double> target_;
    NumericRows numeric_given_, numeric_target_;
    std::span<const std::int64_t> neighbors_;
    const DigammaTable &digamma_;
    Cells cells_of_given_, cells_of_target_, cells_of_both_;
    SortedValues sorted_target_;
};

} // namespace infosift

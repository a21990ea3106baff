#pragma once

#include "categories.hpp"
#include "columns.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <span>
#include <vector>

namespace infosift {

/// Rows in cells: those of a cell are of the same category in every discrete column so far.
class Cells {
public:
    explicit Cells(std::size_t rows) : of_row_(rows, 0), rows_(rows), first_{0, rows} {
        std::iota(rows_.begin(), rows_.end(), 0u);
    }

    std::size_t count() const { return first_.size() - 1; }
    std::size_t of_row(std::size_t row) const { return of_row_[row]; }
    std::span<const std::uint32_t> members(std::size_t cell) const {
        return std::span(rows_).subspan(first_[cell], first_[cell + 1] - first_[cell]);
    }
    std::int64_t size_around(std::size_t row) const {
        return static_cast<std::int64_t>(members(of_row_[row]).size());
    }

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
    /// Lay the rows of each cell side by side.
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

} // namespace infosift

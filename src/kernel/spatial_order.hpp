#pragma once

#include "columns.hpp"
#include "lanes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace infosift {

/// An order of the rows that keeps near ones together: halves of halves, each cut across its widest column.
class SpatialOrder {
public:
    static constexpr std::size_t largest_leaf = 32;

    /// A run of the order that is not cut any further.
    struct Leaf {
        std::size_t begin, end;
    };

    explicit SpatialOrder(const Columns &columns) : rows_(columns.rows()) {
        std::iota(rows_.begin(), rows_.end(), 0u);
        cut(columns, 0, rows_.size());
    }

    std::span<const std::uint32_t> rows() const { return rows_; }
    std::span<const Leaf> leaves() const { return leaves_; }

private:
    void cut(const Columns &columns, std::size_t begin, std::size_t end) {
        if (end - begin <= largest_leaf) {
            leaves_.push_back({begin, end});
            return;
        }
        const auto column = columns[widest(columns, begin, end)];
        const std::size_t middle = begin + (end - begin) / 2;
        const auto at = [&](std::size_t place) { return rows_.begin() + static_cast<std::ptrdiff_t>(place); };
        std::nth_element(at(begin), at(middle), at(end),
                         [&](std::uint32_t a, std::uint32_t b) { return column[a] < column[b]; });
        cut(columns, begin, middle);
        cut(columns, middle, end);
    }

    std::size_t widest(const Columns &columns, std::size_t begin, std::size_t end) const {
        std::size_t best = 0;
        double best_width = -1;
        for (std::size_t c = 0; c < columns.count(); ++c) {
            double low = columns[c][rows_[begin]], high = low;
            for (std::size_t place = begin; place < end; ++place) {
                low = std::min(low, columns[c][rows_[place]]);
                high = std::max(high, columns[c][rows_[place]]);
            }
            if (high - low > best_width) {
                best = c;
                best_width = high - low;
            }
        }
        return best;
    }

    std::vector<std::uint32_t> rows_;
    std::vector<Leaf> leaves_;
};

/// Columns with their rows in another order. Four numbers can be read from any row on.
class Reordered {
public:
    Reordered(const Columns &columns, std::span<const std::uint32_t> order)
        : values_(columns.count() * columns.rows() + lane_count),
          view_(values_.data(), columns.count(), columns.rows()) {
        for (std::size_t c = 0; c < columns.count(); ++c)
            for (std::size_t row = 0; row < order.size(); ++row)
                values_[c * order.size() + row] = columns[c][order[row]];
    }
    Reordered(const Reordered &) = delete;

    const Columns &columns() const { return view_; }

private:
    std::vector<double> values_;
    Columns view_;
};

} // namespace infosift

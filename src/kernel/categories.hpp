#pragma once

#include "columns.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace infosift {

/// A category is a whole multiple of this, from one on, so that categories are farther apart from each other, and
/// from numbers, than any two numbers are. A column may have numbers and categories.
inline constexpr double category_gap = 0x1p60;

/// No distance between numbers reaches as far, every other distance reaches farther.
inline constexpr double other_category = category_gap / 2;

/// The category of a value; that of all numbers is 0.
inline std::size_t category(double value) {
    return value < other_category ? 0 : static_cast<std::size_t>(value / category_gap);
}

inline bool has_categories(std::span<const double> column) {
    return std::any_of(column.begin(), column.end(), [](double value) { return value >= other_category; });
}

/// Whether a column has no numbers that differ.
inline bool is_discrete(std::span<const double> column) {
    const auto is_number = [](double value) { return value < other_category; }; // a missing value is none
    const auto first = std::find_if(column.begin(), column.end(), is_number);
    return std::none_of(first, column.end(), [&](double value) { return is_number(value) && value != *first; });
}

inline bool has_categories(const Columns &columns) {
    for (std::size_t c = 0; c < columns.count(); ++c)
        if (has_categories(columns[c]))
            return true;
    return false;
}

/// Tells in which rows some columns have numbers, those left out that are the same in all rows.
class Numbers {
public:
    explicit Numbers(const Columns &columns) : columns_(columns) {
        for (std::size_t c = 0; c < columns.count(); ++c)
            differ_.push_back(!is_discrete(columns[c]));
    }

    bool in_row(std::size_t row) const {
        for (std::size_t c = 0; c < columns_.count(); ++c)
            if (differ_[c] && columns_[c][row] < other_category)
                return true;
        return false;
    }

private:
    Columns columns_;
    std::vector<bool> differ_; // by column
};

/// Whether values are missing.
inline bool has_gaps(std::span<const double> column) {
    return std::any_of(column.begin(), column.end(), [](double value) { return std::isnan(value); });
}

inline bool has_gaps(const Columns &columns) {
    for (std::size_t c = 0; c < columns.count(); ++c)
        if (has_gaps(columns[c]))
            return true;
    return false;
}

} // namespace infosift

#pragma once

#include "problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>
#include <vector>

namespace infosift {

/// Category c = 1, 2, ... is the value c * category_gap, so that categories are farther apart from each other, and
/// from numbers, than any two numbers are. A column may have numbers and categories. Multiples of a power of two
/// are exact, so that rows of one category are at distance zero.
inline constexpr double category_gap = 0x1p60;

/// Distances between numbers are smaller, all others larger.
inline constexpr double other_category = category_gap / 2;

/// The category of a value; that of all numbers is 0.
inline std::size_t category(double value) {
    return value < other_category ? 0 : static_cast<std::size_t>(value / category_gap);
}

inline bool has_categories(std::span<const double> values) {
    return std::any_of(values.begin(), values.end(), [](double value) { return value >= other_category; });
}

/// Whether a column has at most one distinct number, besides categories and missing values.
inline bool is_discrete(std::span<const double> column) {
    const auto is_number = [](double value) { return value < other_category; }; // false for a missing value
    const auto first = std::find_if(column.begin(), column.end(), is_number);
    return std::none_of(first, column.end(), [&](double value) { return is_number(value) && value != *first; });
}

/// Whether values are missing.
inline bool has_gaps(std::span<const double> values) {
    return std::any_of(values.begin(), values.end(), [](double value) { return std::isnan(value); });
}

/// The rows that have a number in at least one of several columns. Columns whose numbers are all equal do not
/// count.
class NumericRows {
public:
    explicit NumericRows(const Columns &columns) : columns_(columns) {
        for (std::size_t c = 0; c < columns.count(); ++c)
            varies_.push_back(!is_discrete(columns[c]));
    }

    bool contain(std::size_t row) const {
        for (std::size_t c = 0; c < columns_.count(); ++c)
            if (varies_[c] && columns_[c][row] < other_category)
                return true;
        return false;
    }

private:
    Columns columns_;
    std::vector<bool> varies_; // by column
};

} // namespace infosift

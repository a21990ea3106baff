#pragma once

#include "columns.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <span>

namespace infosift {

/// A column of categories has whole multiples of this, from one on, so that different categories are farther apart
/// than any two numbers of a column of numbers.
inline constexpr double category_gap = 0x1p60;

/// No distance between numbers reaches as far, every distance between categories reaches farther.
inline constexpr double other_category = category_gap / 2;

inline std::size_t category(double value) { return static_cast<std::size_t>(value / category_gap) - 1; }

/// Whether a column has no numbers in it that differ: categories, or always the same number.
inline bool is_discrete(std::span<const double> column) {
    const auto first = std::find_if(column.begin(), column.end(), [](double value) { return !std::isnan(value); });
    return first == column.end() || *first >= other_category ||
           std::all_of(first, column.end(), [&](double value) { return value == *first || std::isnan(value); });
}

/// Whether there is a column of categories.
inline bool has_categories(const Columns &columns) {
    for (std::size_t c = 0; c < columns.count(); ++c)
        for (const double value : columns[c])
            if (!std::isnan(value)) {
                if (value >= other_category)
                    return true;
                break;
            }
    return false;
}

inline bool all_discrete(const Columns &columns) {
    for (std::size_t c = 0; c < columns.count(); ++c)
        if (!is_discrete(columns[c]))
            return false;
    return true;
}

/// Whether values are missing.
inline bool has_gaps(const Columns &columns) {
    for (std::size_t c = 0; c < columns.count(); ++c)
        for (const double value : columns[c])
            if (std::isnan(value))
                return true;
    return false;
}

} // namespace infosift

#pragma once

#include <cstddef>
#include <span>

namespace infosift {

/// Columns of equal length that lie one after another in memory.
class Columns {
public:
    Columns(const double *values, std::size_t count, std::size_t rows)
        : values_(values), count_(count), rows_(rows) {}

    std::size_t count() const { return count_; }
    std::size_t rows() const { return rows_; }
    std::span<const double> operator[](std::size_t column) const { return {values_ + column * rows_, rows_}; }

private:
    const double *values_;
    std::size_t count_;
    std::size_t rows_;
};

} // namespace infosift

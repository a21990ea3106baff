#pragma once

#include "estimator.hpp"
#include "lanes.hpp"

#include <atomic>
#include <chrono>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <utility>
#include <vector>

namespace infosift {

/// A view of columns of equal length that lie one after another in memory.
class Columns {
public:
    Columns(const double *values, std::size_t count, std::size_t rows)
        : values_(values), count_(count), rows_(rows) {}

    std::size_t count() const { return count_; }
    std::size_t rows() const { return rows_; }
    std::span<const double> operator[](std::size_t column) const { return {values_ + column * rows_, rows_}; }
    std::span<const double> values() const { return {values_, count_ * rows_}; }

private:
    const double *values_;
    std::size_t count_, rows_;
};

/// The distance between two rows in the max norm; zero without columns.
INFOSIFT_INLINE double max_norm(const Columns &columns, std::size_t row, std::size_t other) {
    double distance = 0;
    for (std::size_t c = 0; c < columns.count(); ++c)
        distance = larger(distance, std::abs(columns[c][other] - columns[c][row]));
    return distance;
}

/// Columns with memory of their own. Four numbers can be read from any row on.
class StoredColumns {
public:
    template <class Value>
    StoredColumns(std::size_t count, std::size_t rows, const Value &value)
        : values_(count * rows + lane_count), view_(values_.data(), count, rows) {
        for (std::size_t c = 0; c < count; ++c)
            for (std::size_t row = 0; row < rows; ++row)
                values_[c * rows + row] = value(c, row);
    }
    StoredColumns(const StoredColumns &) = delete;

    const Columns &columns() const { return view_; }

private:
    std::vector<double> values_;
    Columns view_;
};

/// Checks from time to time whether the user has interrupted, and lets all threads know.
class InterruptCheck {
public:
    explicit InterruptCheck(std::function<bool()> is_interrupted) : is_interrupted_(std::move(is_interrupted)) {}

    /// Whether to stop; to be called often, by the one thread that may call Python.
    bool poll() {
        const auto now = std::chrono::steady_clock::now();
        if (!interrupted_ && now - checked_ > interval) {
            checked_ = now;
            interrupted_ = is_interrupted_();
        }
        return interrupted_;
    }

    /// The result of the last poll; for all other threads.
    bool interrupted() const { return interrupted_; }

private:
    // Short enough not to be noticed, long enough for checks to cost nothing.
    static constexpr auto interval = std::chrono::milliseconds(100);

    std::function<bool()> is_interrupted_;
    std::chrono::steady_clock::time_point checked_ = std::chrono::steady_clock::now();
    std::atomic<bool> interrupted_ = false;
};

/// The rows that one of several threads sums over. The first thread is the one that polls for interrupts.
struct Share {
    std::size_t number = 0, count = 1;
    InterruptCheck *interrupts = nullptr;

    bool stops() const { return interrupts && (number == 0 ? interrupts->poll() : interrupts->interrupted()); }
};

/// What is estimated: MI(given + candidate; target) for each candidate and each k of an ascending list.
struct Problem {
    Columns candidates, given, target;
    std::span<const std::int64_t> neighbors;
    Variant variant = Variant::cube;
    Share share{}; // only the batched algorithm can leave rows to other threads

    std::span<std::int64_t> sums_of(std::size_t candidate, std::span<std::int64_t> sums) const {
        return sums.subspan(candidate * neighbors.size(), neighbors.size());
    }
};

/// A partition of the rows.
struct Folds {
    std::span<const std::int64_t> of_row;
    std::size_t count;
};

} // namespace infosift

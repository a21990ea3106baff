#pragma once

#include "columns.hpp"
#include "watch.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace infosift {

/// One of several shares of the rows. The first is that of the thread that may ask whether to go on.
struct Share {
    std::size_t number = 0, count = 1;
    Watch *watch = nullptr;

    bool stops() const { return watch && (number == 0 ? watch->stops() : watch->stopped()); }
};

/// What is scored: each candidate together with the given columns, for ascending numbers of neighbours.
struct Problem {
    Columns candidates, given, target;
    std::span<const std::int64_t> neighbors;
    Share share{}; // of the rows to sum over; only the path beside a subset can leave rows to others
};

/// A partition of the rows.
struct Folds {
    std::span<const std::int64_t> of_row;
    std::size_t count;
};

} // namespace infosift

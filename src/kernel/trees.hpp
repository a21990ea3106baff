#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

// Regression trees on samples of the rows (Breiman's bagging), by what they predict for the rows left out.

namespace infosift {

/// What the trees divide: the ranks of columns (columns x rows) in halves, since tied values share their mean.
struct RankedColumns {
    std::span<const std::int64_t> half_ranks;
    std::size_t rows;

    std::size_t count() const { return half_ranks.size() / rows; }
    std::int64_t at(std::size_t column, std::size_t row) const { return half_ranks[column * rows + row]; }
};

/// How many different rows both sides of a split have at least, and how many splits are above a leaf at most.
struct TreeSize {
    std::size_t least_rows, most_depth;
};

/// The means over trees of what they predict for rows that are not in their sample, or NaN for a row in all.
///
/// `samples` (trees x rows) says how often each row is in the sample of a tree. A tree splits where the squared
/// error falls most, half-way between two ranks; of equal splits the first column's lowest one counts. `targets`
/// and `predictions` are (targets x rows).
void predict_left_out(const RankedColumns &columns, std::span<const std::uint16_t> samples,
                      std::span<const double> targets, TreeSize size, std::span<double> predictions);

} // namespace infosift

#pragma once

#include "estimator.hpp"
#include "lanes.hpp"
#include "problem.hpp"
#include "radix_sort.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace infosift {

/// The values of a column in ascending order.
class SortedValues {
public:
    static constexpr std::size_t padding = 64; // values at infinity that can be read on both ends

    explicit SortedValues(std::span<const RowSorter::Key> ascending)
        : count_(ascending.size()), values_(count_ + 2 * padding, unreachable), rank_(count_) {
        std::fill_n(values_.begin(), padding, -unreachable);
        for (std::size_t rank = 0; rank < count_; ++rank) {
            values_[padding + rank] = ascending[rank].value();
            rank_[ascending[rank].row] = static_cast<std::uint32_t>(rank);
        }
    }

    std::size_t count() const { return count_; }
    std::size_t rank(std::size_t row) const { return rank_[row]; }
    /// Pointer to a row's value, among its neighbours in the order.
    const double *at(std::size_t row) const { return first() + rank_[row]; }

    /// Per lane, how many other values lie within a radius of a value of the column.
    ///
    /// Four binary searches at a time, without branches. They compare differences as they are computed elsewhere,
    /// which is valid since rounded differences are monotone in the value just as exact ones are.
    template <Ball ball, std::size_t width>
    INFOSIFT_INLINE LaneCounts<width> count_others(const Lanes<width> &center, const Lanes<width> &radius) const {
        const double *low[lane_count], *high[lane_count];
        for (std::size_t l = 0; l < lane_count; ++l)
            low[l] = high[l] = first();
        for (std::size_t length = count_; length > 1;) {
            const std::size_t half = length / 2;
            for (std::size_t l = 0; l < lane_count; ++l) {
                low[l] += half & -std::size_t{!holds<ball>(radius[l], center[l] - low[l][half - 1])};
                high[l] += half & -std::size_t{holds<ball>(radius[l], high[l][half - 1] - center[l])};
            }
            length -= half;
        }
        LaneCounts<width> counts;
        for (std::size_t l = 0; l < lane_count; ++l) {
            low[l] += !holds<ball>(radius[l], center[l] - *low[l]);
            high[l] += holds<ball>(radius[l], *high[l] - center[l]);
            // An open ball of radius zero is empty: it does not even hold its centre.
            counts.set(l, std::max<std::int64_t>(high[l] - low[l] - 1, 0));
        }
        return counts;
    }

private:
    const double *first() const { return values_.data() + padding; }

    std::size_t count_;
    std::vector<double> values_;
    std::vector<std::uint32_t> rank_; // of a row
};

/// A candidate and the given columns, with the rows in ascending order of the candidate.
template <std::size_t width> class SortedRows {
public:
    explicit SortedRows(const Columns &given)
        : given_(given), length_(given.rows() + 2 * padding), values_((1 + given.count()) * length_),
          rank_(given.rows()) {
        std::fill_n(values_.begin(), padding, -unreachable);
        std::fill_n(values_.begin() + static_cast<std::ptrdiff_t>(length_ - padding), padding, unreachable);
    }

    /// Lay out the rows for a candidate.
    void arrange(std::span<const RowSorter::Key> ascending) {
        for (std::size_t rank = 0; rank < ascending.size(); ++rank) {
            const std::uint32_t row = ascending[rank].row;
            rank_[row] = static_cast<std::uint32_t>(rank);
            values_[padding + rank] = ascending[rank].value();
            for (std::size_t c = 0; c < given_.count(); ++c)
                values_[(1 + c) * length_ + padding + rank] = given_[c][row];
        }
    }

    /// How many other rows lie within a radius of a row in all columns: a scan of those within it in the
    /// candidate.
    template <Ball ball> INFOSIFT_INLINE std::int64_t count_others(std::size_t row, double radius) const {
        const double *const candidate = values_.data();
        const std::size_t own = padding + rank_[row];
        const auto within = Lanes<width>::all(radius);
        LaneCounts<width> counts{};
        for (std::size_t place = own; holds<ball>(radius, candidate[place] - candidate[own]); place += lane_count)
            count_held<ball>(counts, distances(own, place), within);
        for (std::size_t place = own; holds<ball>(radius, candidate[own] - candidate[place - 1]);) {
            place -= lane_count;
            count_held<ball>(counts, distances(own, place), within);
        }
        std::int64_t total = 0;
        for (std::size_t l = 0; l < lane_count; ++l)
            total += counts[l];
        return total - holds<ball>(radius, 0.0); // the row itself
    }

private:
    static constexpr std::size_t padding = lane_count; // rows at infinity on both ends

    /// Distances of four successive rows from a row.
    INFOSIFT_INLINE Lanes<width> distances(std::size_t own, std::size_t place) const {
        Lanes<width> distance{};
        for (std::size_t first = 0; first < values_.size(); first += length_)
            distance = larger(distance, magnitude(Lanes<width>::load(&values_[first + place]) -
                                                  Lanes<width>::all(values_[first + own])));
        return distance;
    }

    Columns given_;
    std::size_t length_;
    std::vector<double> values_;      // the candidate, then the given columns
    std::vector<std::uint32_t> rank_; // of a row
};

} // namespace infosift

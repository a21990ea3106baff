#pragma once

#include "columns.hpp"
#include "lanes.hpp"
#include "radix_sort.hpp"
#include "sorted_values.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace infosift {

/// A candidate and the given columns, with the rows in the order of the candidate.
template <std::size_t width> class SortedRows {
public:
    explicit SortedRows(const Columns &given)
        : given_(given), length_(given.rows() + 2 * padding), values_((1 + given.count()) * length_),
          rank_(given.rows()) {
        std::fill_n(values_.begin(), padding, -unreachable);
        std::fill_n(values_.begin() + static_cast<std::ptrdiff_t>(length_ - padding), padding, unreachable);
    }

    /// Lay the rows out, given them in the order of the candidate.
    void arrange(std::span<const RowSorter::Key> ascending) {
        for (std::size_t rank = 0; rank < ascending.size(); ++rank) {
            const std::uint32_t row = ascending[rank].row;
            rank_[row] = static_cast<std::uint32_t>(rank);
            values_[padding + rank] = ascending[rank].value();
            for (std::size_t c = 0; c < given_.count(); ++c)
                values_[(1 + c) * length_ + padding + rank] = given_[c][row];
        }
    }

    /// How many other rows lie within a radius of a row in all columns.
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

    /// How far a row is from four rows in a line.
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

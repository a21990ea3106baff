#pragma once

#include "columns.hpp"
#include "lanes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace infosift {

/// The candidates in groups of four; a group has the four values of a row side by side.
template <std::size_t width> class CandidateGroups {
public:
    CandidateGroups(const Columns &candidates, std::span<const std::uint32_t> order)
        : rows_(candidates.rows()), groups_((candidates.count() + lane_count - 1) / lane_count),
          values_(groups_ * rows_) {
        for (std::size_t c = 0; c < groups_ * lane_count; ++c) {
            const auto column = candidates[std::min(c, candidates.count() - 1)]; // the last fills up its group
            for (std::size_t row = 0; row < rows_; ++row)
                values_[c / lane_count * rows_ + row].set(c % lane_count, column[order[row]]);
        }
    }

    std::size_t count() const { return groups_; }
    const Lanes<width> *operator[](std::size_t group) const { return &values_[group * rows_]; }

private:
    std::size_t rows_, groups_;
    std::vector<Lanes<width>> values_;
};

} // namespace infosift

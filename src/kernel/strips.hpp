#pragma once

#include "lanes.hpp"
#include "problem.hpp"
#include "radix_sort.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace infosift {

/// Strips of rows of near-equal target; within a strip, rows lie in the order of the candidate.
///
/// A strip is about as wide as a cube with k rows in it: with d columns in all, n (k/n)^(1/d) rows, which is
/// sqrt(n k) for a candidate and the target alone. Then the cube extends over one or two strips, and the
/// neighbours of a row are a few places to the left and right of it in a few strips. Given columns are measured
/// for the rows met there.
template <std::size_t width, bool with_given = false> class Strips {
public:
    /// Cut the rows, in ascending order of the target, into strips.
    Strips(std::span<const RowSorter::Key> ascending, std::size_t neighbors,
           const Columns &given = Columns(nullptr, 0, 0))
        : given_(given), strip_of_(ascending.size()), here_given_(given.count()) {
        const std::size_t rows = ascending.size();
        const double share = static_cast<double>(neighbors) / static_cast<double>(rows);
        const auto ideal = static_cast<std::size_t>(static_cast<double>(rows) *
                                                    std::pow(share, 1 / static_cast<double>(2 + given.count())));
        const std::size_t strips = std::max<std::size_t>(rows / std::max(ideal, fewest_rows), 1);
        std::size_t rank = 0;
        for (std::size_t strip = 0; strip < strips; ++strip) {
            const std::size_t end = rows * (strip + 1) / strips;
            low_.push_back(ascending[rank].value());
            first_.push_back(rank + (2 * strip + 1) * padding);
            length_.push_back(end - rank);
            for (; rank < end; ++rank)
                strip_of_[ascending[rank].row] = static_cast<std::uint32_t>(strip);
            high_.push_back(ascending[rank - 1].value());
        }
        x_.resize(rows + 2 * strips * padding);
        y_.resize(x_.size());
        z_.resize(x_.size() * given.count());
        row_.resize(x_.size());
        cursor_.resize(strips);
    }

    /// Lay out the rows for a candidate, in ascending order of it.
    void arrange(std::span<const RowSorter::Key> order, std::span<const double> target) {
        std::fill(x_.begin(), x_.end(), unreachable);
        for (std::size_t strip = 0; strip < count(); ++strip) {
            std::fill_n(x_.begin() + static_cast<std::ptrdiff_t>(first_[strip] - padding), padding, -unreachable);
            cursor_[strip] = first_[strip];
        }
        for (const auto &key : order) {
            const std::size_t place = cursor_[strip_of_[key.row]]++;
            x_[place] = key.value();
            y_[place] = target[key.row];
            row_[place] = key.row;
            for (std::size_t c = 0; c < given_.count(); ++c)
                z_[place * given_.count() + c] = given_[c][key.row];
        }
    }

    std::size_t count() const { return first_.size(); }
    const double *x(std::size_t strip) const { return &x_[first_[strip]]; }
    const double *y(std::size_t strip) const { return &y_[first_[strip]]; }

    std::uint32_t row(std::size_t place) const { return row_[place]; }
    std::uint32_t row(std::size_t strip, std::size_t place) const { return row_[first_[strip] + place]; }

    /// Call a function for each four successive rows: with their strip, the place of the first, and how many of
    /// them were in the previous four already, since the last four of a strip end where it does.
    template <class Function> INFOSIFT_INLINE void for_each_four(const Function &function) {
        for (std::size_t strip = 0; strip < count(); ++strip) {
            std::copy(first_.begin(), first_.end(), cursor_.begin());
            for (std::size_t start = 0; start < length_[strip]; start += lane_count) {
                const std::size_t place = std::min(start, length_[strip] - lane_count);
                function(strip, place, start - place);
            }
        }
    }

    /// Pass the distances in the features and in the target of all rows closer than `visitor.reach()` to any of
    /// four successive rows to `visitor.visit`, and call `visitor.update` after each chunk of rows.
    template <class Visitor>
    INFOSIFT_INLINE void visit_around(std::size_t strip, std::size_t place, Visitor &visitor) {
        const std::size_t own = first_[strip] + place;
        const Around here{Lanes<width>::load(&x_[own]), Lanes<width>::load(&y_[own])};
        if constexpr (with_given)
            for (std::size_t c = 0; c < given_.count(); ++c)
                for (std::size_t l = 0; l < lane_count; ++l)
                    here_given_[c].set(l, z_[(own + l) * given_.count() + c]);
        const double top = here.y.largest(), bottom = -(Lanes<width>{} - here.y).largest();
        // The rows' own strip, then the next above, the next below, and so on; one loop, so that the visitor is
        // inlined only once.
        bool upwards = true, downwards = true;
        for (std::size_t turn = 1; upwards || downwards; ++turn) {
            std::size_t start = own;
            if (const std::size_t step = turn / 2; step > 0) {
                const bool up = turn % 2 == 0;
                // What is below the lowest strip has a number that is past the highest.
                const std::size_t next = up ? strip + step : strip - step;
                bool &onwards = up ? upwards : downwards;
                onwards =
                    onwards && next < count() && (up ? low_[next] - top : bottom - high_[next]) < visitor.reach();
                if (!onwards)
                    continue;
                start = move_cursor(next, here);
            }
            visit_both_ways(start, here, visitor);
        }
    }

private:
    static constexpr std::size_t chunk = NearestLanes<width>::block;
    static constexpr std::size_t padding = chunk; // rows at infinity on both ends of a strip
    static constexpr std::size_t fewest_rows = 16;

    struct Around {
        Lanes<width> x, y;
    };

    INFOSIFT_INLINE std::size_t move_cursor(std::size_t strip, const Around &here) {
        std::size_t &cursor = cursor_[strip];
        while (x_[cursor] < here.x[0])
            ++cursor;
        return cursor;
    }

    /// The four rows ascend in x, so the last is the closest one to rows on the right, and the first to those on
    /// the left.
    template <class Visitor>
    INFOSIFT_INLINE void visit_both_ways(std::size_t start, const Around &here, Visitor &visitor) {
        for (std::size_t place = start; x_[place] - here.x[lane_count - 1] < visitor.reach(); place += chunk)
            visit_chunk(place, here, visitor);
        for (std::size_t place = start; here.x[0] - x_[place - 1] < visitor.reach();) {
            place -= chunk;
            visit_chunk(place, here, visitor);
        }
    }

    template <class Visitor>
    INFOSIFT_INLINE void visit_chunk(std::size_t place, const Around &here, Visitor &visitor) {
        for (std::size_t offset = 0; offset < chunk; ++offset) {
            const std::size_t other = place + offset;
            Lanes<width> features = magnitude(Lanes<width>::all(x_[other]) - here.x);
            if constexpr (with_given)
                for (std::size_t c = 0; c < given_.count(); ++c)
                    features = larger(
                        features, magnitude(Lanes<width>::all(z_[other * given_.count() + c]) - here_given_[c]));
            visitor.visit(features, magnitude(Lanes<width>::all(y_[other]) - here.y), other, offset);
        }
        visitor.update();
    }

    Columns given_;
    std::vector<std::uint32_t> strip_of_; // of a row of the table
    std::vector<double> low_, high_;      // target at the ends of a strip
    std::vector<std::size_t> first_, length_, cursor_;
    std::vector<double> x_, y_;
    std::vector<double> z_;          // the given columns, row by row
    std::vector<std::uint32_t> row_; // of the table
    std::vector<Lanes<width>> here_given_;
};

/// Keeps the distances of the nearest rows, which bound how far to go on.
template <std::size_t width> class NearestVisitor {
public:
    INFOSIFT_INLINE explicit NearestVisitor(NearestLanes<width> nearest) : nearest_(nearest) {}
    INFOSIFT_INLINE void visit(const Lanes<width> &x, const Lanes<width> &y, std::size_t, std::size_t offset) {
        distances_[offset] = larger(x, y);
    }
    INFOSIFT_INLINE void update() {
        nearest_.insert(distances_);
        reach_ = nearest_.farthest().largest();
    }
    INFOSIFT_INLINE double reach() const { return reach_; }

private:
    NearestLanes<width> nearest_;
    typename NearestLanes<width>::Block distances_;
    double reach_ = unreachable;
};

} // namespace infosift

#include "trees.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <vector>

namespace infosift {

namespace {

constexpr double least_gain = 1e-9; // of the sum of squares: a smaller one is rounding

/// A node that sends rows with `2 * half_rank <= cut` of a column to the next node, others to `right`; or a leaf.
struct Node {
    static constexpr std::size_t no_column = std::numeric_limits<std::size_t>::max();

    std::size_t column = no_column, right = 0;
    std::int64_t cut = 0;
    double mean = 0;
};

struct Split {
    std::size_t column = Node::no_column, size = 0; // how many of the rows in the order of the column go left
    double gain = 0;
};

/// Trees on samples of the rows, one after the other; memory is shared by all.
class TreeBuilder {
public:
    TreeBuilder(const RankedColumns &columns, TreeSize size)
        : columns_(columns), size_(size), goes_left_(columns.rows) {
        for (std::size_t column = 0; column < columns.count(); ++column) {
            std::vector<std::size_t> order(columns.rows);
            std::iota(order.begin(), order.end(), std::size_t{0});
            std::stable_sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) {
                return columns.at(column, one) < columns.at(column, other);
            });
            sorted_.push_back(std::move(order));
        }
    }

    void build(std::span<const std::uint16_t> weights, std::span<const double> target) {
        weights_ = weights, target_ = target;
        nodes_.clear();
        in_order_.assign(sorted_.size(), {});
        for (std::size_t column = 0; column < sorted_.size(); ++column)
            std::copy_if(sorted_[column].begin(), sorted_[column].end(), std::back_inserter(in_order_[column]),
                         [&](std::size_t row) { return weights[row] > 0; });
        if (!in_order_.empty() && !in_order_[0].empty())
            grow(0, in_order_[0].size(), 0);
    }

    double predict(std::size_t row) const {
        std::size_t at = 0;
        while (nodes_[at].column != Node::no_column)
            at = 2 * columns_.at(nodes_[at].column, row) <= nodes_[at].cut ? at + 1 : nodes_[at].right;
        return nodes_[at].mean;
    }

    bool is_empty() const { return nodes_.empty(); }

private:
    /// Add the node of the rows from `begin` to `end` in the order of each column, and those below it.
    void grow(std::size_t begin, std::size_t end, std::size_t depth) {
        double weight = 0, sum = 0, squares = 0;
        for (std::size_t i = begin; i < end; ++i) {
            const std::size_t row = in_order_[0][i];
            weight += weights_[row];
            sum += weights_[row] * target_[row];
            squares += weights_[row] * target_[row] * target_[row];
        }
        const std::size_t at = nodes_.size();
        nodes_.push_back({});
        nodes_[at].mean = sum / weight;
        if (depth == size_.most_depth)
            return;
        const Split split = best_split(begin, end, weight, sum, least_gain * squares);
        if (split.column == Node::no_column)
            return;
        nodes_[at].column = split.column;
        nodes_[at].cut = divide(split, begin, end);
        grow(begin, begin + split.size, depth + 1);
        nodes_[at].right = nodes_.size();
        grow(begin + split.size, end, depth + 1);
    }

    Split best_split(std::size_t begin, std::size_t end, double weight, double sum, double least) const {
        Split best{.column = Node::no_column, .size = 0, .gain = sum * sum / weight + least};
        if (end - begin < 2 * size_.least_rows)
            return best;
        for (std::size_t column = 0; column < in_order_.size(); ++column) {
            const auto &order = in_order_[column];
            double left_weight = 0, left_sum = 0;
            for (std::size_t i = begin; i + size_.least_rows < end; ++i) {
                const std::size_t row = order[i];
                left_weight += weights_[row];
                left_sum += weights_[row] * target_[row];
                if (i + 1 - begin < size_.least_rows ||
                    columns_.at(column, row) == columns_.at(column, order[i + 1]))
                    continue;
                const double right_sum = sum - left_sum;
                const double gain =
                    left_sum * left_sum / left_weight + right_sum * right_sum / (weight - left_weight);
                if (gain > best.gain)
                    best = {column, i + 1 - begin, gain};
            }
        }
        return best;
    }

    /// Bring the rows of the left side before those of the right in the order of every column; return the cut.
    std::int64_t divide(const Split &split, std::size_t begin, std::size_t end) {
        const auto &order = in_order_[split.column];
        for (std::size_t i = begin; i < end; ++i)
            goes_left_[order[i]] = i < begin + split.size;
        const std::size_t last = order[begin + split.size - 1], next = order[begin + split.size];
        const std::int64_t cut = columns_.at(split.column, last) + columns_.at(split.column, next);
        for (auto &own : in_order_) {
            const auto first = own.begin() + static_cast<std::ptrdiff_t>(begin);
            std::stable_partition(first, own.begin() + static_cast<std::ptrdiff_t>(end),
                                  [&](std::size_t row) { return goes_left_[row]; });
        }
        return cut;
    }

    const RankedColumns &columns_;
    TreeSize size_;
    std::vector<bool> goes_left_;
    std::vector<std::vector<std::size_t>> sorted_, in_order_;
    std::vector<Node> nodes_;
    std::span<const std::uint16_t> weights_;
    std::span<const double> target_;
};

} // namespace

void predict_left_out(const RankedColumns &columns, std::span<const std::uint16_t> samples,
                      std::span<const double> targets, TreeSize size, std::span<double> predictions) {
    const std::size_t rows = columns.rows, trees = samples.size() / rows;
    TreeBuilder tree(columns, size);
    std::vector<std::size_t> counts(rows);
    for (std::size_t target = 0; target < targets.size() / rows; ++target) {
        const auto predicted = predictions.subspan(target * rows, rows);
        std::fill(predicted.begin(), predicted.end(), 0.0);
        std::fill(counts.begin(), counts.end(), std::size_t{0});
        for (std::size_t number = 0; number < trees; ++number) {
            const auto weights = samples.subspan(number * rows, rows);
            tree.build(weights, targets.subspan(target * rows, rows));
            if (tree.is_empty())
                continue;
            for (std::size_t row = 0; row < rows; ++row) {
                if (weights[row] == 0) {
                    predicted[row] += tree.predict(row);
                    ++counts[row];
                }
            }
        }
        for (std::size_t row = 0; row < rows; ++row)
            predicted[row] = counts[row] > 0 ? predicted[row] / static_cast<double>(counts[row])
                                             : std::numeric_limits<double>::quiet_NaN();
    }
}

} // namespace infosift

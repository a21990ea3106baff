#include "series.hpp"
#include "products.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <optional>
#include <vector>

namespace infosift {

namespace {

// Draws and candidates whose sums are worked on at once, and rows whose functions then stay in the cache.
constexpr std::size_t draws_at_once = products_in_row, candidates_at_once = 64, rows_at_once = 512;

/// The sums of products of candidates and a component of the target, in some draws.
///
/// For each candidate: of all its functions with the first of the target, of two with the second, and of one with
/// each of the others.
class Sums {
public:
    static constexpr std::size_t with_second = 2;

    Sums(const CandidateFunctions &candidates, const TargetFunctions &target)
        : candidates_(candidates), target_(target), functions_(candidates.functions()),
          size_((functions_ + with_second + target.products()) * draws_at_once),
          sums_(std::min(candidates_at_once, candidates.candidates) * size_) {}

    INFOSIFT_INLINE void find(std::size_t first_candidate, std::size_t count, std::size_t component,
                              std::size_t first_draw, std::size_t draws) {
        std::fill(sums_.begin(), sums_.end(), 0);
        const std::size_t stride = target_.padded_rows;
        for (std::size_t row = 0; row < stride; row += rows_at_once) {
            const std::size_t registers = std::min(rows_at_once, stride - row) / rows_of_register;
            for (std::size_t c = 0; c < count; ++c) {
                const std::int16_t *const own = candidates_.of(first_candidate + c) + row;
                std::int32_t *sums = &sums_[c * size_];
                for (std::size_t f = 0; f < target_.functions; ++f) {
                    const std::size_t multiplied = f == 0 ? functions_ : f == 1 ? with_second : 1;
                    add_products(own, multiplied, target_.at(component, f, first_draw) + row, stride, registers,
                                 draws, sums);
                    sums += multiplied * draws_at_once;
                }
            }
        }
    }

    /// The sums of a function of the candidate and one of the target, by draw.
    INFOSIFT_INLINE const std::int32_t *of(std::size_t candidate, std::size_t ours, std::size_t theirs) const {
        const std::size_t place = theirs == 0   ? ours
                                  : theirs == 1 ? functions_ + ours
                                                : functions_ + with_second + theirs - TargetFunctions::orders;
        return &sums_[candidate * size_ + place * draws_at_once];
    }

    /// The squared coefficients of a function of the candidate and one of the target, by draw.
    template <class Number>
    INFOSIFT_INLINE std::array<Number, draws_at_once> squares(std::size_t candidate, std::size_t ours,
                                                              std::size_t theirs, Number scale) const {
        const std::int32_t *const sums = of(candidate, ours, theirs);
        std::array<Number, draws_at_once> squares;
        for (std::size_t draw = 0; draw < draws_at_once; ++draw) {
            const Number coefficient = static_cast<Number>(sums[draw]) * scale;
            squares[draw] = coefficient * coefficient;
        }
        return squares;
    }

private:
    const CandidateFunctions &candidates_;
    const TargetFunctions &target_;
    std::size_t functions_, size_;
    std::vector<std::int32_t> sums_;
};

template <class Number> using Draws = std::array<Number, draws_at_once>;

/// The functions of candidates, squared: in multiples of 2^-(bits - 3), so that sums of products still fit.
class SquaredFunctions {
public:
    SquaredFunctions(const CandidateFunctions &candidates, int bits)
        : values_(candidates.candidates * candidates.functions() * candidates.padded_rows),
          functions_{values_.data(), candidates.candidates, candidates.smooth, candidates.steps,
                     candidates.padded_rows} {
        std::transform(candidates.values, candidates.values + values_.size(), values_.begin(), [&](int value) {
            return static_cast<std::int16_t>((value * value) >> (bits + bits_of_squares));
        });
    }

    const CandidateFunctions &functions() const { return functions_; }

private:
    std::vector<std::int16_t> values_;
    CandidateFunctions functions_;
};

/// Squared coefficients of candidates by draw, each in units of its variance where there is one.
class Coefficients {
public:
    Coefficients(const Sums &sums, const Sums *variances, double scale, int bits)
        : sums_(sums), variances_(variances), scale_(static_cast<float>(scale)),
          of_ratio_(std::ldexp(1.0f, -2 * (bits + bits_of_squares))) {}

    INFOSIFT_INLINE Draws<float> squares(std::size_t candidate, std::size_t ours, std::size_t theirs) const {
        if (variances_ == nullptr)
            return sums_.squares(candidate, ours, theirs, scale_);
        const std::int32_t *const sums = sums_.of(candidate, ours, theirs);
        const std::int32_t *const variances = variances_->of(candidate, ours, theirs);
        Draws<float> squares;
        for (std::size_t draw = 0; draw < draws_at_once; ++draw) {
            const float sum = static_cast<float>(sums[draw]), variance = static_cast<float>(variances[draw]);
            squares[draw] = variance > 0 ? sum * sum / variance * of_ratio_ : 0.0f;
        }
        return squares;
    }

private:
    const Sums &sums_;
    const Sums *variances_;
    float scale_, of_ratio_;
};

template <class Number> INFOSIFT_INLINE void add(Draws<Number> &total, const Draws<Number> &more) {
    for (std::size_t draw = 0; draw < draws_at_once; ++draw)
        total[draw] += more[draw];
}

template <class Number> INFOSIFT_INLINE void raise(Draws<Number> &largest, const Draws<Number> &other) {
    for (std::size_t draw = 0; draw < draws_at_once; ++draw)
        largest[draw] = largest[draw] < other[draw] ? other[draw] : largest[draw];
}

/// Cube roots, by an estimate from the exponent and two steps of Halley: only operations that IEEE 754 defines to
/// the bit, unlike those of a mathematical library.
INFOSIFT_INLINE void take_roots(Draws<float> &values) {
    for (float &value : values) {
        float root = std::bit_cast<float>(std::bit_cast<std::int32_t>(value) / 3 + 709921077);
        for (int step = 0; step < 2; ++step) {
            const float cube = root * root * root;
            root = root * (cube + 2 * value) / (2 * cube + value);
        }
        value = value > 0 ? root : 0.0f;
    }
}

/// Add the squared scores of a candidate about a component to those of components before it.
INFOSIFT_INLINE void add_scores(const Coefficients &coefficients, const CandidateFunctions &candidates,
                                const TargetFunctions &target, std::size_t candidate,
                                std::span<Draws<float>> totals) {
    const auto of_first = coefficients.squares(candidate, 0, 0);
    Draws<float> of_all = of_first, of_orders{}, of_others{}, of_products{};
    for (std::size_t f = 1; f < candidates.smooth; ++f) {
        const auto squares = coefficients.squares(candidate, f, 0);
        add(of_all, squares);
        raise(f < Sums::with_second ? of_orders : of_others, squares);
    }
    for (std::size_t f = 0; f < Sums::with_second; ++f)
        raise(of_orders, coefficients.squares(candidate, f, 1));
    for (std::size_t f = 0; f < candidates.steps; ++f)
        raise(of_others, coefficients.squares(candidate, candidates.smooth + f, 0));
    for (std::size_t f = TargetFunctions::orders; f < target.functions; ++f)
        raise(of_products, coefficients.squares(candidate, 0, f));
    if (target.products() > 0)
        add(of_products, of_first);
    const Draws<float> *const own[] = {&of_first, &of_all, &of_orders, &of_others, &of_products};
    for (std::size_t kind = 0; kind < totals.size(); ++kind)
        add(totals[kind], *own[kind]);
}

/// Add the effects of a candidate on a component to those on components before it.
INFOSIFT_INLINE void add_effects(const Sums &sums, const CandidateFunctions &candidates, std::size_t candidate,
                                 double scale, Draws<double> &total) {
    for (std::size_t f = 0; f < candidates.smooth; ++f)
        add(total, sums.squares(candidate, f, 0, scale));
    for (std::size_t order = 0; order < TargetFunctions::orders; ++order)
        for (std::size_t f = 0; f < Sums::with_second; ++f)
            add(total, sums.squares(candidate, f, order, scale));
}

/// Run code for each batch of draws and of candidates: `code(first draw, draws, first candidate, candidates)`.
template <class Code>
INFOSIFT_INLINE void in_batches(std::size_t draws, std::size_t candidates, const Code &code) {
    for (std::size_t draw = 0; draw < draws; draw += draws_at_once)
        for (std::size_t candidate = 0; candidate < candidates; candidate += candidates_at_once)
            code(draw, std::min(draws_at_once, draws - draw), candidate,
                 std::min(candidates_at_once, candidates - candidate));
}

} // namespace

void find_series_scores(InstructionSet instructions, const CandidateFunctions &candidates,
                        const TargetFunctions &target, std::span<const std::int64_t> sums_over, double scale,
                        const TargetVariances &variances, std::span<float> scores) {
    const std::size_t kinds = target.kinds(), groups = sums_over.size();
    run_for(instructions, [&]<std::size_t>() INFOSIFT_INLINE_LAMBDA {
        Sums sums(candidates, target);
        std::optional<SquaredFunctions> squared;
        std::optional<Sums> of_variances;
        if (variances.functions) {
            squared.emplace(candidates, variances.bits);
            of_variances.emplace(squared->functions(), *variances.functions);
        }
        const Coefficients coefficients(sums, of_variances ? &*of_variances : nullptr, scale, variances.bits);
        std::vector<Draws<float>> totals(candidates_at_once * kinds);
        in_batches(
            target.draws, candidates.candidates,
            [&](std::size_t draw, std::size_t draws, std::size_t first, std::size_t count) INFOSIFT_INLINE_LAMBDA {
                std::size_t component = 0;
                for (std::size_t group = 0; group < groups; ++group) {
                    std::fill(totals.begin(), totals.end(), Draws<float>{});
                    for (std::int64_t i = 0; i < sums_over[group]; ++i, ++component) {
                        sums.find(first, count, component, draw, draws);
                        if (of_variances)
                            of_variances->find(first, count, component, draw, draws);
                        for (std::size_t c = 0; c < count; ++c)
                            add_scores(coefficients, candidates, target, c, {&totals[c * kinds], kinds});
                    }
                    for (std::size_t c = 0; c < count; ++c)
                        for (std::size_t kind = 0; kind < kinds; ++kind) {
                            auto &own = totals[c * kinds + kind];
                            take_roots(own);
                            const std::size_t place = ((first + c) * groups + group) * kinds + kind;
                            std::copy_n(own.begin(), draws, &scores[place * target.draws + draw]);
                        }
                }
            });
    });
}

void find_series_effects(InstructionSet instructions, const CandidateFunctions &candidates,
                         const TargetFunctions &target, double scale, std::span<double> effects) {
    run_for(instructions, [&]<std::size_t>() INFOSIFT_INLINE_LAMBDA {
        Sums sums(candidates, target);
        std::vector<Draws<double>> totals(candidates_at_once);
        in_batches(target.draws, candidates.candidates,
                   [&](std::size_t draw, std::size_t draws, std::size_t first, std::size_t count)
                       INFOSIFT_INLINE_LAMBDA {
                           std::fill(totals.begin(), totals.end(), Draws<double>{});
                           for (std::size_t component = 0; component < target.components; ++component) {
                               sums.find(first, count, component, draw, draws);
                               for (std::size_t c = 0; c < count; ++c)
                                   add_effects(sums, candidates, c, scale, totals[c]);
                           }
                           for (std::size_t c = 0; c < count; ++c)
                               std::copy_n(totals[c].begin(), draws, &effects[(first + c) * target.draws + draw]);
                       });
    });
}

} // namespace infosift

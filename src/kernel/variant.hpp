#pragma once

#include <cstdint>

namespace infosift {

/// The two estimators of Kraskov, Stögbauer and Grassberger (2004): one cube around a row, or one rectangle.
enum class Variant { cube = 1, rectangle = 2 };

/// Whether a value on the rim of a ball is inside it.
enum class Ball { open, closed };

/// The rim of a cube is not counted, that of a rectangle is.
constexpr Ball ball_of(Variant variant) { return variant == Variant::cube ? Ball::open : Ball::closed; }

/// What the digamma function is asked for beyond the count: one more where the rim is not counted.
constexpr std::int64_t rim_of(Variant variant) { return variant == Variant::cube ? 1 : 0; }

} // namespace infosift

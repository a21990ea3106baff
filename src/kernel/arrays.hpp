#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

// Arrays of Python as the kernel takes and returns them.

namespace infosift {

template <class Number, std::size_t dimensions>
using ArrayOf =
    nanobind::ndarray<const Number, nanobind::ndim<dimensions>, nanobind::c_contig, nanobind::device::cpu>;
template <class Number, std::size_t dimensions>
using NewArray = nanobind::ndarray<nanobind::numpy, Number, nanobind::ndim<dimensions>>;

template <class Number, std::size_t dimensions>
std::span<const Number> span_of(const ArrayOf<Number, dimensions> &array) {
    return {array.data(), array.size()};
}

/// An array that Python owns from now on.
template <std::size_t dimensions, class Number>
NewArray<Number, dimensions> as_array(std::unique_ptr<Number[]> values,
                                      const std::array<std::size_t, dimensions> &shape) {
    Number *data = values.release();
    nanobind::capsule owner(data, [](void *p) noexcept { delete[] static_cast<Number *>(p); });
    return NewArray<Number, dimensions>(data, dimensions, shape.data(), owner);
}

/// Add the functions of draws, series and trees to the module.
void bind_draws(nanobind::module_ &module);

} // namespace infosift

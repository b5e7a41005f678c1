// SPDX-License-Identifier: Apache-2.0
// Layouts: a shape and a stride for each dimension, which may be tuples themselves, and the index of a
// coordinate.
#pragma once

#include "kernel_macros.h"
#include "kernel_std.h"
#include "sim/local_tensor_base.h"

namespace AscendC {

template <typename... Shapes>
using Shape = Std::tuple<Shapes...>;
template <typename... Strides>
using Stride = Std::tuple<Strides...>;
template <typename... Coords>
using Coord = Std::tuple<Coords...>;

template <typename... Ts>
__aicore__ constexpr Shape<Ts...> MakeShape(const Ts &...t) {
  return {t...};
}
template <typename... Ts>
__aicore__ constexpr Stride<Ts...> MakeStride(const Ts &...t) {
  return {t...};
}
template <typename... Ts>
__aicore__ constexpr Coord<Ts...> MakeCoord(const Ts &...t) {
  return {t...};
}

}  // namespace AscendC

namespace sim {

template <typename T>
constexpr bool kIsTuple = false;
template <typename... T>
constexpr bool kIsTuple<std::tuple<T...>> = true;

// The place of a coordinate in the dimensions from `i` on. One number for several dimensions is split: the
// first dimension comes first, and the last one takes the rest.
//
//   coordinate 11, shape (2, 4):  (11 % 2, 11 / 2) = (1, 5)
template <size_t i = 0, typename C, typename S, typename D>
constexpr auto PlaceOf(const C &coordinate, const S &shape, const D &stride) {
  if constexpr (!kIsTuple<S>) {
    return coordinate * stride;
  } else {
    constexpr bool kLast = i + 1 == std::tuple_size_v<S>;
    if constexpr (kIsTuple<C>) {
      static_assert(std::tuple_size_v<C> == std::tuple_size_v<S>,
                    "Crd2Idx: coord and shape must have as many dimensions");
      const auto place = PlaceOf(std::get<i>(coordinate), std::get<i>(shape), std::get<i>(stride));
      if constexpr (kLast) {
        return place;
      } else {
        return place + PlaceOf<i + 1>(coordinate, shape, stride);
      }
    } else if constexpr (kLast) {
      return PlaceOf(coordinate, std::get<i>(shape), std::get<i>(stride));
    } else {
      const auto size = std::get<i>(shape);
      return PlaceOf(coordinate % size, size, std::get<i>(stride)) +
             PlaceOf<i + 1>(coordinate / size, shape, stride);
    }
  }
}

}  // namespace sim

namespace AscendC {

template <typename ShapeType, typename StrideType>
struct Layout : private Std::tuple<ShapeType, StrideType> {
  constexpr Layout(const ShapeType &shape = {}, const StrideType &stride = {})
      : Std::tuple<ShapeType, StrideType>(shape, stride) {}

  constexpr decltype(auto) layout() { return *this; }
  constexpr decltype(auto) layout() const { return *this; }
  constexpr decltype(auto) GetShape() const { return std::get<0>(Both()); }
  constexpr decltype(auto) GetStride() const { return std::get<1>(Both()); }

  template <typename CoordType>
  constexpr auto operator()(const CoordType &coord) const {
    return sim::PlaceOf(coord, GetShape(), GetStride());
  }

 private:
  constexpr const Std::tuple<ShapeType, StrideType> &Both() const { return *this; }
};

template <typename ShapeType, typename StrideType>
__aicore__ constexpr auto MakeLayout(const ShapeType &shape, const StrideType &stride) {
  static_assert(sim::kIsTuple<ShapeType> && sim::kIsTuple<StrideType>,
                "MakeLayout: shape and stride must be tuples");
  return Layout<ShapeType, StrideType>(shape, stride);
}

template <typename T>
struct is_layout : Std::false_type {};
template <typename ShapeType, typename StrideType>
struct is_layout<Layout<ShapeType, StrideType>> : Std::true_type {};
template <typename T>
constexpr bool is_layout_v = is_layout<T>::value;

// An element type with the position and the layout of a tensor.
template <typename T, TPosition pos = TPosition::MAX, typename LayoutType = Layout<Shape<>, Stride<>>>
struct TensorTrait {
  using LiteType = T;
  using LiteLayoutType = LayoutType;
  static constexpr TPosition tPos = pos;

  constexpr TensorTrait(const LayoutType &t = {}) : layout_(t) {}

  constexpr LayoutType &GetLayout() { return layout_; }
  constexpr const LayoutType &GetLayout() const { return layout_; }
  constexpr void SetLayout(const LayoutType &t) { layout_ = t; }
  constexpr decltype(auto) GetShape() const { return layout_.GetShape(); }
  constexpr decltype(auto) GetStride() const { return layout_.GetStride(); }

 private:
  LayoutType layout_;
};

template <typename T, TPosition pos = TPosition::MAX, typename LayoutType>
__aicore__ constexpr auto MakeTensorTrait(const LayoutType &t) {
  static_assert(is_layout_v<LayoutType>, "MakeTensorTrait: t must be a Layout");
  return TensorTrait<T, pos, LayoutType>(t);
}

template <typename T>
struct is_tensorTrait : Std::false_type {};
template <typename T, TPosition pos, typename LayoutType>
struct is_tensorTrait<TensorTrait<T, pos, LayoutType>> : Std::true_type {};
template <typename T>
constexpr bool is_tensorTrait_v = is_tensorTrait<T>::value;

// The index of a coordinate: the sum of its parts, each times its stride.
template <typename CoordType, typename ShapeType, typename StrideType>
__aicore__ constexpr auto Crd2Idx(const CoordType &coord, const Layout<ShapeType, StrideType> &layout) {
  return layout(coord);
}
template <typename CoordType, typename ShapeType, typename StrideType>
__aicore__ constexpr auto Crd2Idx(const CoordType &coord, const ShapeType &shape, const StrideType &stride) {
  return sim::PlaceOf(coord, shape, stride);
}

}  // namespace AscendC

// SPDX-License-Identifier: Apache-2.0
// Tiling data whose type is a class of BEGIN_TILING_DATA_DEF (register/tilingdata_base.h), as a program has
// it whose host code and kernels are one source. Such a class holds more than its data, so that a kernel
// fills it field by field; any other struct is its bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

namespace sim {

template <typename T, typename = void>
struct IsTilingClass : std::false_type {};
template <typename T>
struct IsTilingClass<T, std::void_t<decltype(std::declval<T &>().GetTilingClassName())>> : std::true_type {};

// Fills tiling data with what load(into, bytes) copies from memory.
template <typename T, typename Load>
void FillTiling(T *into, Load load) {
  if constexpr (IsTilingClass<T>::value) {
    std::vector<uint8_t> bytes(into->GetDataSize());
    load(bytes.data(), bytes.size());
    into->LoadFromBuffer(bytes.data());
  } else {
    load(into, sizeof(T));
  }
}

// Copies tiling data that are on the core already.
template <typename T>
void CopyTilingOnCore(T *into, const void *from) {
  if constexpr (IsTilingClass<T>::value) {
    *into = *static_cast<const T *>(from);
  } else {
    std::memcpy(into, from, sizeof(T));
  }
}

// Where a member lies in the tiling data.
template <typename Struct, typename Member, typename Owner>
size_t TilingOffset(Member Owner::*member) {
  if constexpr (IsTilingClass<Struct>::value) {
    const Struct data;
    return data.OffsetOf(&(data.*member));
  } else {
    alignas(Struct) char memory[sizeof(Struct)];
    const char *place = reinterpret_cast<const char *>(&(reinterpret_cast<Struct *>(memory)->*member));
    return static_cast<size_t>(place - memory);
  }
}

}  // namespace sim

// SPDX-License-Identifier: Apache-2.0
// The functions asc_dump_…, each for one memory.
#pragma once

#include "print.h"

namespace sim {

template <typename T>
void asc_dump_gm(const T *input, uint32_t desc, uint32_t dump_size) {
  DumpElements<T>(Space::GM, reinterpret_cast<uint64_t>(input), desc, dump_size);
}
template <typename T>
void asc_dump_ubuf(const T *input, uint32_t desc, uint32_t dump_size) {
  DumpElements<T>(Space::UB, reinterpret_cast<uint64_t>(input), desc, dump_size);
}
template <typename T>
void asc_dump_cbuf(const T *input, uint32_t desc, uint32_t dump_size) {
  DumpElements<T>(Space::L0C, reinterpret_cast<uint64_t>(input), desc, dump_size);
}
template <typename T>
void asc_dump_l1buf(const T *input, uint32_t desc, uint32_t dump_size) {
  DumpElements<T>(Space::L1, reinterpret_cast<uint64_t>(input), desc, dump_size);
}

}  // namespace sim

// SPDX-License-Identifier: Apache-2.0
// One call, of an API function or of an intrinsic, as pytest describes it.
#pragma once

#include <string>
#include <vector>

#include "engine/launch.h"
#include "kernel_struct_binary.h"
#include "kernel_struct_unary.h"
#include "kernel_tensor.h"

#include "header_differences.h"

struct Buffer {
  uint64_t address = 0;  // in UB
  uint64_t bytes = 0;
  bool load = true;   // filled from GM before the call
  bool store = true;  // written back after it
};

struct Case {
  std::string name;
  std::string dtype;
  std::string dtype2;
  int form = 2;  // 2: count, 0: mask as a count, 1: mask as bits
  std::vector<int64_t> ints;
  std::vector<double> floats;
  std::vector<Buffer> buffers;
  std::vector<uint8_t *> gm;

  // Forms with fewer numbers ignore the other ones.
  int64_t Int(size_t i) const { return i < ints.size() ? ints[i] : 0; }
  double Float(size_t i) const { return floats.at(i); }

  template <typename T>
  AscendC::LocalTensor<T> Tensor(size_t i) const {
    const Buffer &buffer = buffers.at(i);
    return LocalAt<T>(AscendC::TPosition::VECCALC, static_cast<uint32_t>(buffer.address),
                      static_cast<uint32_t>(buffer.bytes / sizeof(T)));
  }
  template <typename T>
  AscendC::GlobalTensor<T> Global(size_t i) const {
    AscendC::GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(reinterpret_cast<T *>(gm.at(i)), buffers.at(i).bytes / sizeof(T));
    return tensor;
  }

  // Strides of the level-0 forms follow mask (ints 0 and 1) and repeat (2).
  AscendC::BinaryRepeatParams BinaryParams() const {
    return AscendC::BinaryRepeatParams(Int(3), Int(4), Int(5), Int(6), Int(7), Int(8));
  }
  AscendC::UnaryRepeatParams UnaryParams() const {
    return AscendC::UnaryRepeatParams(Int(3), Int(4), Int(5), Int(6));
  }
};

struct Entry {
  const char *name;
  void (*run)(Case &);
  sim::KernelType type = sim::KernelType::kVector;
};
// Each file cases_*.cpp adds its table.
std::vector<Entry> &Entries();
struct Register {
  Register(std::initializer_list<Entry> entries) {
    Entries().insert(Entries().end(), entries.begin(), entries.end());
  }
};

template <typename T>
const char *NameOf();
#define TYPE_NAME(T, text)         \
  template <>                      \
  inline const char *NameOf<T>() { \
    return text;                   \
  }
TYPE_NAME(float, "float32")
TYPE_NAME(half, "float16")
TYPE_NAME(bfloat16_t, "bfloat16")
TYPE_NAME(int8_t, "int8")
TYPE_NAME(uint8_t, "uint8")
TYPE_NAME(int16_t, "int16")
TYPE_NAME(uint16_t, "uint16")
TYPE_NAME(int32_t, "int32")
TYPE_NAME(uint32_t, "uint32")
TYPE_NAME(int64_t, "int64")
#undef TYPE_NAME

// Calls function(T()) for the type of that name.
template <typename... Types, typename F>
void ForType(const std::string &name, F function) {
  const bool found = ((name == NameOf<Types>() ? (function(Types()), true) : false) || ...);
  if (!found) {
    sim::Core::Current().Fail(sim::FaultKind::kOther, "sim_api", sim::Where::Here(),
                              "no case for type " + name);
  }
}

// SPDX-License-Identifier: Apache-2.0
// Compiled as kernels on CANN's own headers are: with what their compiler has built in, and at -O1.
#include "cases.h"
#include "headers/api.h"

namespace {

constexpr uint64_t kUbBytes = 192 * 1024;

template <typename T>
__ubuf__ T *Ub(uint64_t address) {
  return reinterpret_cast<__ubuf__ T *>(address);
}
__gm__ float *Input(void *const *args) { return static_cast<__gm__ float *>(args[0]); }
__gm__ float *Output(void *const *args) { return static_cast<__gm__ float *>(args[1]); }

// Copies by way of UB from address 0 on; the sums are of floats in memory.
void Copies(void *const *args) {
  const Memory<float> buffer{Ub<float>(0)};
  for (uint32_t i = 0; i < kFloats; ++i) buffer.SetValue(i, Input(args)[i]);
  for (uint32_t i = 0; i < kFloats; ++i) Output(args)[i] = buffer.GetValue(i) + 1.0F;
}

void AddsToMemory(void *const *) {
  *Ub<volatile int32_t>(64) = 5;
  __asm__ volatile("addl %0,(%1)" : : "r"(7), "r"(Ub<int32_t>(64)) : "memory", "cc");
  if (*Ub<volatile int32_t>(64) != 12) *Ub<volatile int32_t>(kUbBytes) = 0;
}

void AddsToFreshMemory(void *const *) {
  FAULT_HERE;
  __asm__ volatile("addl %0,(%1)" : : "r"(7), "r"(Ub<int32_t>(64)) : "memory", "cc");
}

void LeavesUb(void *const *) {
  FAULT_HERE;
  *Ub<volatile float>(kUbBytes) = 1;
}

void CrossesTheEnd(void *const *) {
  FAULT_HERE;
  __asm__ volatile("movups %%xmm0,(%0)" : : "r"(kUbBytes - 8) : "memory");
}

void IsMisaligned(void *const *) {
  FAULT_HERE;
  *Ub<volatile float>(6) = 1;
}

void LeavesGm(void *const *args) {
  const volatile __gm__ float *input = Input(args);
  FAULT_HERE;
  static_cast<void>(input[kFloats]);
}

void HasNoMemory(void *const *) {
  FAULT_HERE;
  *Ub<volatile float>(uint64_t{1} << 46) = 1;
}

void HasNoAddress(void *const *) {
  FAULT_HERE;
  *Ub<volatile float>(uint64_t{0xABCD} << 48) = 1;
}

void ClearsByString(void *const *) {
  uint64_t address = 0;
  uint64_t count = 64;
  FAULT_HERE;
  __asm__ volatile("rep stosb" : "+D"(address), "+c"(count) : "a"(0) : "memory");
}

void CallsThroughMemory(void *const *) {
  FAULT_HERE;
  __asm__ volatile("call *(%0)" : : "r"(uint64_t{128}) : "memory");
}

// What clang makes of an access to UB.
void MarkedStore(uint64_t address, float value) {
  __asm__ volatile("movss %0,%%gs:(%1)" : : "x"(value), "r"(address) : "memory");
}
float MarkedLoad(uint64_t address) {
  float value = 0;
  __asm__ volatile("movss %%gs:(%1),%0" : "=x"(value) : "r"(address) : "memory");
  return value;
}

void CopiesMarked(void *const *args) {
  for (uint32_t i = 0; i < kFloats; ++i) MarkedStore(i * sizeof(float), Input(args)[i]);
  for (uint32_t i = 0; i < kFloats; ++i) Output(args)[i] = MarkedLoad(i * sizeof(float)) + 1.0F;
}

void HasANullPointer(void *const *) {
  MarkedStore(64, 1);
  FAULT_HERE;
  *Ub<volatile float>(64) = 1;
}

void LeavesUbMarked(void *const *args) {
  FAULT_HERE;
  __asm__ volatile("movb $1,%%gs:(%0)" : : "r"(args[0]) : "memory");
}

// A kernel's own function, which the report names.
__attribute__((noinline)) void AddInputs(void *const *args) {
  CopyIn(Ub<float>(0), Input(args), 4);
  FAULT_HERE;
  Add(Ub<float>(1024), Ub<float>(0), 4);
}
void AddsTooEarly(void *const *args) { AddInputs(args); }

void NeedsABarrier(void *const *args) {
  CopyIn(Ub<float>(0), Input(args), 4);
  set_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_V, EVENT_ID0);
  FAULT_HERE;
  Fourfold(Ub<float>(1024), Ub<float>(0), 4);
}

void ReadsBeforeTheCopy(void *const *args) {
  const Memory<float> buffer{Ub<float>(0)};
  CopyIn(buffer.start, Input(args), 4);
  FAULT_HERE;
  Output(args)[0] = buffer.GetValue(3);
}

void ReadsTwoFreshBytes(void *const *args) {
  const Memory<volatile int32_t> buffer{Ub<volatile int32_t>(0)};
  static_cast<void>(buffer.GetValue(0));
  for (int i = 0; i < 3; ++i) {
    FAULT_HERE;
    static_cast<void>(buffer.GetValue(8));
  }
  static_cast<void>(args);
}

std::string Bytes(uint64_t begin, uint64_t end) {
  return "UB bytes [" + std::to_string(begin) + ", " + std::to_string(end) + ")";
}

}  // namespace

const std::vector<ScalarCase> &ScalarCases() {
  static const std::vector<ScalarCase> cases = {
      {"copies", Copies, {}, 4 * kFloats},
      {"adds_to_memory", AddsToMemory, {}, 4},
      {"fresh_memory",
       AddsToFreshMemory,
       {"Uninitialised: ", "GetValue (", "reads src, " + Bytes(64, 68)},
       2},
      {"leaves_ub", LeavesUb, {"UbBounds: ", "SetValue (", "writes " + Bytes(kUbBytes, kUbBytes + 4)}},
      {"crosses_end", CrossesTheEnd, {"UbBounds: ", "SetValue (", Bytes(kUbBytes - 8, kUbBytes + 8)}},
      {"misaligned", IsMisaligned, {"Alignment: ", "multiple of 4 bytes", "UB offset 6"}},
      {"leaves_gm", LeavesGm, {"GmBounds: ", "GetValue ("}},
      {"no_memory", HasNoMemory, {"Other: ", "scalar access (", "in no memory of the core"}},
      {"no_address", HasNoAddress, {"Other: ", "scalar access (", "an address that no memory can have"}},
      {"string", ClearsByString, {"Other: ", "as one of memset or memcpy: f3 aa"}},
      {"call", CallsThroughMemory, {"Other: ", "as one of memset or memcpy: ff "}},
      {"copies_marked", CopiesMarked, {}, 4 * kFloats, false, 1, 1, true},
      {"null_pointer",
       HasANullPointer,
       {"Other: ", "a null pointer, or one to UB without __ubuf__"},
       0,
       false,
       1,
       1,
       true},
      {"leaves_ub_marked",
       LeavesUbMarked,
       {"UbBounds: ", "SetValue (", "but the memory has"},
       0,
       false,
       1,
       1,
       true},
      {"names_the_line",
       AddsTooEarly,
       {"MissingSync: ", "Add (kernels.cpp:", " AddsTooEarly > kernels.cpp:",
        " AddInputs) on V reads src0, " + Bytes(0, 128), "which CopyIn: DataCopy (", ") on MTE2 writes"}},
      {"names_the_function",
       NeedsABarrier,
       {"MissingSync: ", "Fourfold: Add (kernels.cpp:", "which Fourfold: Add (", "PipeBarrier<PIPE_V>"},
       0,
       true},
      {"scalar_after_copy",
       ReadsBeforeTheCopy,
       {"MissingSync: ", "GetValue (", "which CopyIn: DataCopy ("},
       0,
       true},
      {"same_in_blocks",
       ReadsTwoFreshBytes,
       {"Uninitialised: ", "GetValue (", Bytes(32, 36), "; the same in 2 more blocks"},
       0,
       false,
       3,
       2},
  };
  return cases;
}

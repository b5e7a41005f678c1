// SPDX-License-Identifier: Apache-2.0
// Comparisons, and selections by their results. The first buffer is dst.
#include "intrinsic_case.h"

namespace {

// Calls function(eq) or what c.Float(0) names: 0 to 5 for lt, gt, eq, le, ge, ne.
#define BY_MODE(c, prefix, ...)           \
  switch (static_cast<int>(c.Float(0))) { \
    case 0:                               \
      return prefix##_lt(__VA_ARGS__);    \
    case 1:                               \
      return prefix##_gt(__VA_ARGS__);    \
    case 2:                               \
      return prefix##_eq(__VA_ARGS__);    \
    case 3:                               \
      return prefix##_le(__VA_ARGS__);    \
    case 4:                               \
      return prefix##_ge(__VA_ARGS__);    \
    default:                              \
      return prefix##_ne(__VA_ARGS__);    \
  }

template <typename F>
void ForCompared(const Case &c, F function) {
  SetMasks(c);
  ForType<half, float, int32_t>(c.dtype, function);
}

void CompareTensors(Case &c) {
  ForCompared(c, [&](auto type) {
    using T = decltype(type);
    BY_MODE(c, vcmpv, Ub<uint8_t>(c, 0), Ub<T>(c, 1), Ub<T>(c, 2), STRIDES3)
  });
}

void CompareScalars(Case &c) {
  ForCompared(c, [&](auto type) {
    using T = decltype(type);
    BY_MODE(c, vcmpvs, Ub<uint8_t>(c, 0), Ub<T>(c, 1), c.Float(1), STRIDES2)
  });
}

// The register begins with what buffer 3 holds, and ends in buffer 0.
void CompareToRegister(Case &c) {
  set_cmpmask(Ub<void>(c, 3));
  SetMasks(c);
  ForType<half, float>(c.dtype, [&](auto type) {
    using T = decltype(type);
    BY_MODE(c, vcmp, Ub<T>(c, 1), Ub<T>(c, 2), STRIDES3)
  });
  pipe_barrier(PIPE_V);
  get_cmpmask(Ub<void>(c, 0));
}

// A comparison does not touch the mask registers, by which the next instruction goes.
void CompareThenAdd(Case &c) {
  SetMasks(c);
  vcmpv_lt(Ub<uint8_t>(c, 0), Ub<float>(c, 1), Ub<float>(c, 2), 1, 1, 1, 1, 8, 8, 8);
  pipe_barrier(PIPE_V);
  vadds(Ub<float>(c, 2), Ub<float>(c, 1), 100, 1, 1, 1, 8, 8);
}

// dst, src0, src1, bits; as CANN's headers set CMPMASK for each mode. Buffer 4 is scratch of 128 bytes.
template <typename T>
void SelectOf(Case &c) {
  const int mode = static_cast<int>(c.Float(0));
  set_mask_norm();
  set_vector_mask(0, 0xFFFFFFFF);
  if (mode == 1) {
    vector_dup(Ub<T>(c, 4), c.Float(1), 1, 1, 1, 8, 0);
  } else if (mode == 2) {
    vector_dup(Ub<uint32_t>(c, 4), static_cast<uint32_t>(c.buffers[3].address), 1, 1, 1, 8, 0);
  }
  pipe_barrier(PIPE_V);
  set_cmpmask(mode == 0 ? Ub<void>(c, 3) : Ub<void>(c, 4));
  pipe_barrier(PIPE_V);
  SetMasks(c);
  if (mode == 0) {
    vsel(Ub<T>(c, 0), Ub<T>(c, 1), Ub<T>(c, 2), STRIDES3);
  } else if (mode == 1) {
    vsel(Ub<T>(c, 0), Ub<T>(c, 1), Ub<uint8_t>(c, 3), STRIDES3, 1);
  } else {
    vsel(Ub<T>(c, 0), Ub<T>(c, 1), Ub<T>(c, 2), STRIDES3, 2);
  }
}

// set_cmpmask while the copy that fills its source may still run.
void RegisterUnordered(Case &c) {
  copy_gm_to_ubuf(Ub<void>(c, 0), c.gm[0], 0, 1, 1, 0, 0);
  set_cmpmask(Ub<void>(c, 0));
}

const Register entries{
    {"vcmpv", CompareTensors},
    {"vcmpvs", CompareScalars},
    {"vcmp", CompareToRegister},
    {"vcmpv_then_vadds", CompareThenAdd},
    {"vsel", [](Case &c) { c.dtype == "float16" ? SelectOf<half>(c) : SelectOf<float>(c); }},
    {"set_cmpmask_unordered", RegisterUnordered},
};

}  // namespace

// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "acl/acl_base.h"

extern "C" {

size_t aclDataTypeSize(aclDataType dataType) {
  switch (dataType) {
    case ACL_INT8:
    case ACL_UINT8:
    case ACL_BOOL:
    case ACL_HIFLOAT8:
    case ACL_FLOAT8_E5M2:
    case ACL_FLOAT8_E4M3FN:
    case ACL_FLOAT8_E8M0:
      return 1;
    case ACL_FLOAT16:
    case ACL_BF16:
    case ACL_INT16:
    case ACL_UINT16:
      return 2;
    case ACL_FLOAT:
    case ACL_INT32:
    case ACL_UINT32:
    case ACL_COMPLEX32:
      return 4;
    case ACL_DOUBLE:
    case ACL_INT64:
    case ACL_UINT64:
    case ACL_COMPLEX64:
      return 8;
    case ACL_COMPLEX128:
    case ACL_STRING:
      return 16;
    default:
      return 0;
  }
}

float aclFloat16ToFloat(aclFloat16 value) {
  const uint32_t sign = static_cast<uint32_t>(value & 0x8000u) << 16;
  const uint32_t exponent = (value >> 10) & 0x1Fu;
  const uint32_t mantissa = value & 0x3FFu;
  if (exponent == 0) {
    // Zero and subnormals count units of 2^-24, exact in float.
    const float magnitude = static_cast<float>(mantissa) * 0x1p-24f;
    return sign != 0 ? -magnitude : magnitude;
  }
  const uint32_t wide = exponent == 0x1Fu ? 0xFFu : exponent - 15 + 127;
  const uint32_t bits = sign | wide << 23 | mantissa << 13;
  float result;
  std::memcpy(&result, &bits, sizeof(result));
  return result;
}

aclFloat16 aclFloatToFloat16(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof(bits));
  const uint32_t sign = bits >> 16 & 0x8000u;
  const uint32_t magnitude = bits & 0x7FFFFFFFu;
  if (magnitude > 0x7F800000u) return static_cast<aclFloat16>(sign | 0x7E00u | (magnitude >> 13 & 0x3FFu));
  // 65520 and above round to infinity.
  if (magnitude >= 0x477FF000u) return static_cast<aclFloat16>(sign | 0x7C00u);
  if (magnitude < 0x38800000u) {
    // Below 2^-14 the addition of 0.5 leaves the value in units of 2^-24; the addition itself rounds it to
    // nearest even.
    float shifted;
    std::memcpy(&shifted, &magnitude, sizeof(shifted));
    shifted += 0.5f;
    uint32_t units;
    std::memcpy(&units, &shifted, sizeof(units));
    return static_cast<aclFloat16>(sign | (units - 0x3F000000u));
  }
  const uint32_t odd = magnitude >> 13 & 1u;
  return static_cast<aclFloat16>(sign | ((magnitude + 0xFFFu + odd - (112u << 23)) >> 13));
}

}  // extern "C"

// SPDX-License-Identifier: Apache-2.0
// The unit that prepares images (AIPP). Ten words of registers say what it does with a picture in GM:
//
//   part of the picture ─▶ swap of channels ─▶ colours ─▶ int8_t or half ─▶ padding around ─▶ padding of
//   channels ─▶ L1
//
// A pixel in L1 has 32 bytes or four channels; rows follow each other.
//
//   word 0     address of the picture, or of Y
//   word 1     address of U and V; bit 63: colours are converted
//   word 2, 3  matrix of colours: r0c0 r0c1 r0c2 r1c0, r1c1 r1c2 r2c0 r2c1, 16 bits each
//   word 4     r2c2; then 8 bits each: three biases of results, three of sources
//   word 5-7   mean, min and var of three channels, 16 bits each
//   word 8     values around the picture of four channels, 16 bits each
//   word 9     value of added channels; bits: 16 R and B are swapped, 17 U and V, 18 X goes to the end,
//              19-23 the format, 24 there is one line,
//              27-28 the padding around, 40 pixels have four channels
#pragma once

#include "../kernel_struct_aipp.h"
#include "copy.h"

namespace sim {

// The bits of a value that a word of registers holds.
template <typename T>
uint64_t AippBits(T value) {
  uint64_t word = 0;
  std::memcpy(&word, &value, sizeof(T));
  return word;
}
template <typename T>
uint64_t AippWord(T first, T second, T third, T fourth = T{}) {
  return AippBits(first) | AippBits(second) << 16 | AippBits(third) << 32 | AippBits(fourth) << 48;
}

template <typename T>
void SetAipp(uint64_t first, uint64_t second, AscendC::AippInputFormat format,
             const AscendC::AippParams<T> &config) {
  auto &words = Core::Current().registers.aipp;
  const auto &[padding, swap, line, type, channels, colours] = config;
  words[0] = first;
  words[1] = second | uint64_t{colours.isEnableCsc} << 63;
  words[2] =
      AippWord(colours.cscMatrixR0C0, colours.cscMatrixR0C1, colours.cscMatrixR0C2, colours.cscMatrixR1C0);
  words[3] =
      AippWord(colours.cscMatrixR1C1, colours.cscMatrixR1C2, colours.cscMatrixR2C0, colours.cscMatrixR2C1);
  words[4] = AippBits(colours.cscMatrixR2C2) | uint64_t{colours.cscBiasOut0} << 16 |
             uint64_t{colours.cscBiasOut1} << 24 | uint64_t{colours.cscBiasOut2} << 32 |
             uint64_t{colours.cscBiasIn0} << 40 | uint64_t{colours.cscBiasIn1} << 48 |
             uint64_t{colours.cscBiasIn2} << 56;
  words[5] = AippWord(type.dtcMeanCh0, type.dtcMeanCh1, type.dtcMeanCh2);
  words[6] = AippWord(type.dtcMinCh0, type.dtcMinCh1, type.dtcMinCh2);
  words[7] = AippWord(type.dtcVarCh0, type.dtcVarCh1, type.dtcVarCh2);
  words[8] = AippWord(padding.paddingValueCh0, padding.paddingValueCh1, padding.paddingValueCh2,
                      padding.paddingValueCh3);
  words[9] = AippBits(channels.cPaddingValue) | uint64_t{swap.isSwapRB} << 16 |
             uint64_t{swap.isSwapUV} << 17 | uint64_t{swap.isSwapAX} << 18 |
             uint64_t{static_cast<uint8_t>(format)} << 19 | uint64_t{line.isSingleLineCopy} << 24 |
             uint64_t{padding.paddingMode & 3U} << 27 | uint64_t{channels.cPaddingMode & 1U} << 40;
}

// Fails where the picture begins at an address that its format does not take.
void CheckAippSource(const char *parameter, uint64_t address, AscendC::AippInputFormat format, Where where);

// Loads a picture to L1 as elements of int8_t or half, by the registers.
void LoadPicture(const CopySide &dst, const AscendC::LoadImageToLocalParams &params, Where where);

}  // namespace sim

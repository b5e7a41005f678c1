// SPDX-License-Identifier: Apache-2.0
// LoadData of an image, and Fixpipe with quantisation. Buffers: the image or fractals of A, fractals of B,
// the result.
#include "../faults/mixed_product.h"
#include "case.h"

using namespace AscendC;

namespace {

// height, width, channels, padding on all sides, value of the padding, k, m, start of m, filter, repeats
// along m, boundary of L1, whether the parameters are those of two words. The filter is a square. B is a unit
// matrix, so that the result is what L0A got.
void ImageProduct(Case &c) {
  const uint16_t k = c.Int(5), m = c.Int(6);
  const auto size_a = static_cast<uint32_t>(c.buffers[0].bytes / sizeof(half));
  const auto size_b = static_cast<uint32_t>(c.buffers[1].bytes / sizeof(half));
  auto image = LocalAt<half>(TPosition::A1, 0, size_a), unit = LocalAt<half>(TPosition::B1, 262144, size_b);
  auto a = LocalAt<half>(TPosition::A2, 0, 16384), b = LocalAt<half>(TPosition::B2, 0, 16384);
  auto sums = LocalAt<float>(TPosition::CO1, 0, 16384);
  DataCopy(image, c.Global<half>(0), size_a);
  DataCopy(unit, c.Global<half>(1), size_b);
  Order<HardEvent::MTE2_MTE1>();
  const auto pad = static_cast<uint8_t>(c.Int(3));
  const uint8_t padding[4] = {pad, pad, pad, pad};
  const uint8_t filter = c.Int(8), repeats = c.Int(9);
  SetLoadDataRepeat({static_cast<uint16_t>(m / 16), repeats, 0});
  SetLoadDataBoundary(static_cast<uint32_t>(c.Int(10)));
  if (c.Int(11) != 0) {
    SetFmatrix(c.Int(0), c.Int(1), padding, FmatrixMode::FMATRIX_LEFT);
    SetLoadDataPaddingValue(static_cast<half>(c.Int(4)));
    const uint64_t filters = 0x010100000101 | uint64_t{filter} << 16 | uint64_t{filter} << 24;
    LoadData(a, image,
             LoadData3DParamsV2Pro(c.Int(2), false, false, false, false, false,
                                   k | uint64_t{m} << 16 | static_cast<uint64_t>(c.Int(7)) << 48, filters));
  } else {
    LoadData(a, image,
             LoadData3DParamsV2<half>(padding, c.Int(0), c.Int(1), c.Int(2), k, m, 0, c.Int(7), 1, 1, filter,
                                      filter, 1, 1, false, false, static_cast<half>(c.Int(4))));
  }
  LoadData(b, unit, LoadData2DParams(0, size_b / 256, 1, 0, 0, false, 0));
  Order<HardEvent::MTE1_M>();
  const uint16_t rows = m * repeats;
  Mmad(sums, a, b, MmadParams(rows, k, k, 0, false, true));
  Order<HardEvent::M_FIX>();
  Fixpipe(c.Global<float>(2), sums, FixpipeParamsV220(k, rows, (rows + 15) / 16 * 16, k, false));
}

#ifndef SIM_CANN_HEADERS
// Pixels of an image as rows of A (m x k), times B (k x 16), both of int4b_t. ints: m, k, whether the
// parameters are those of two words, and the padding before the first pixel, whose value is 5.
void Int4Image(Case &c) {
  const uint16_t m = c.Int(0), k = c.Int(1), n = 16;
  const uint32_t size_a = m * k / 2, size_b = k * n / 2;  // bytes
  auto image = LocalAt<int8_t>(TPosition::A1, 0, size_a), b1 = LocalAt<int8_t>(TPosition::B1, 262144, size_b);
  auto b2 = LocalAt<int8_t>(TPosition::B2, 0, size_b);
  auto a = LocalAt<int4b_t>(TPosition::A2, 0, m * k);
  auto sums = LocalAt<int32_t>(TPosition::CO1, 0, 16384);
  DataCopy(image, c.Global<int8_t>(0), size_a);
  DataCopy(b1, c.Global<int8_t>(1), size_b);
  Order<HardEvent::MTE2_MTE1>();
  LoadData3DParamsV2<int4b_t> params;
  params.l1H = 1;
  params.l1W = m;
  params.channelSize = k;
  params.kExtension = k;
  params.mExtension = m;
  params.padList[0] = static_cast<uint8_t>(c.Int(3));
  params.padValue = int4b_t{5};
  SetLoadDataRepeat({0, 1, 0});
  if (c.Int(2) != 0) {
    SetFmatrix(1, m, params.padList, FmatrixMode::FMATRIX_LEFT);
    SetLoadDataPaddingValue(params.padValue);
    LoadData(
        a, image.ReinterpretCast<int4b_t>(),
        LoadData3DParamsV2Pro(k, false, false, false, false, false, k | uint64_t{m} << 16, 0x010101010101));
  } else {
    LoadData(a, image.ReinterpretCast<int4b_t>(), params);
  }
  LoadData(b2, b1, LoadData2DParams(0, size_b / 512, 1, 0, 0, false, 0));
  Order<HardEvent::MTE1_M>();
  Mmad(sums, a, b2.ReinterpretCast<int4b_t>(), MmadParams(m, n, k, 0, false, true));
  Order<HardEvent::M_FIX>();
  Fixpipe(c.Global<int32_t>(2), sums, FixpipeParamsV220(n, m, (m + 15) / 16 * 16, n, false));
}

const Register four_bits{{"Int4Image", Int4Image, sim::KernelType::kCube}};
#endif

// m, n, k, the word of REQ8, relu.
void Requantised(Case &c) {
  const uint16_t m = c.Int(0), n = c.Int(1), k = c.Int(2);
  const auto size_a = static_cast<uint32_t>(c.buffers[0].bytes),
             size_b = static_cast<uint32_t>(c.buffers[1].bytes);
  auto a1 = LocalAt<int8_t>(TPosition::A1, 0, size_a), b1 = LocalAt<int8_t>(TPosition::B1, 262144, size_b);
  auto a2 = LocalAt<int8_t>(TPosition::A2, 0, size_a), b2 = LocalAt<int8_t>(TPosition::B2, 0, size_b);
  auto sums = LocalAt<int32_t>(TPosition::CO1, 0, 16384);
  DataCopy(a1, c.Global<int8_t>(0), size_a);
  DataCopy(b1, c.Global<int8_t>(1), size_b);
  Order<HardEvent::MTE2_MTE1>();
  LoadData(a2, a1, LoadData2DParams(0, size_a / 512, 1, 0, 0, false, 0));
  LoadData(b2, b1, LoadData2DParams(0, size_b / 512, 1, 0, 0, false, 0));
  Order<HardEvent::MTE1_M>();
  Mmad(sums, a2, b2, MmadParams(m, n, k, 0, false, true));
  Order<HardEvent::M_FIX>();
  FixpipeParamsV220 params(n, m, (m + 15) / 16 * 16, n, c.Int(4) != 0);
  params.quantPre = QuantMode_t::REQ8;
  params.deqScalar = static_cast<uint64_t>(c.Int(3));
  Fixpipe(c.Global<int8_t>(2), sums, params);
}

const Register table{
    {"ImageProduct", ImageProduct, sim::KernelType::kCube},
    {"Requantised", Requantised, sim::KernelType::kCube},
};

}  // namespace

// SPDX-License-Identifier: Apache-2.0
// Memories of the cube core that are filled with one value, and the way out of L0C whose matrices and factors
// registers describe.
#include "case.h"

using namespace AscendC;

namespace {

template <HardEvent event>
void Order() {
  SetFlag<event>(EVENT_ID0);
  WaitFlag<event>(EVENT_ID0);
}

// L0A (16 x 16) holds 2 everywhere, L0B (16 x 32) 3 in its first 16 columns and 5 in the others. The product
// is written as two matrices of 16 x 16, the second one ints[0] elements after the first.
void FilledProduct(Case &c) {
  auto a2 = LocalAt<half>(TPosition::A2, 0, 256);
  auto b2 = LocalAt<half>(TPosition::B2, 0, 512);
  auto c1 = LocalAt<float>(TPosition::CO1, 0, 512);
  InitConstValue(a2, InitConstValueParams<half>(1, 1, 0, (half)2));
  InitConstValue(b2, InitConstValueParams<half>(1, 1, 0, (half)3));
  InitConstValue(b2[256], InitConstValueParams<half>(1, 1, 0, (half)5));
  Order<HardEvent::MTE1_M>();
  Mmad(c1, a2, b2, MmadParams(16, 32, 16, 0, false, true));
  Order<HardEvent::M_FIX>();
  SetFixpipeNz2ndFlag(2, 1, (uint16_t)c.Int(0));
  DataCopy(c.Global<half>(0), c1,
           DataCopyCO12DstParams(16, 16, 16, 16, QuantMode_t::F322F16, 0, false, true));
}

void FillOfResults(Case &) {
  InitConstValue(LocalAt<half>(TPosition::CO1, 0, 256), InitConstValueParams<half>(1, 1, 0, (half)2));
}

const Register table{
    {"FilledProduct", FilledProduct, sim::KernelType::kCube},
    {"FillOfResults", FillOfResults, sim::KernelType::kCube},
};

}  // namespace

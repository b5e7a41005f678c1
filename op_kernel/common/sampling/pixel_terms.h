// SPDX-License-Identifier: Apache-2.0
// Lists, for each row of an image, which pixels the row is added to, and with which weights. A row is the
// gradient of a sample, and its terms are the pixels that the sample read. The lists lie in GM, one behind
// the other, so that the cores that own the pixels search them (pixel_bands.h) and compute no position again.
//
//   planes in UB      tap 0: r0 r1 r2 …
//                     tap 1: r0 r1 r2 …         lists in GM     pixels    r0t0 r0t1 … | r1t0 r1t1 … | …
//                     …                                         weights   r0t0 r0t1 … | r1t0 r1t1 … | …
//
// The pixel of a term outside the image is -1.
#pragma once

#include "../copies/row_copy.h"
#include "../vectors/bits.h"
#include "linear_positions.h"
#include "pixel_bands_buffers.h"
#include "pixel_bands_tiling.h"

namespace avo {

class PixelTerms {
 public:
  // lists: the workspace. Takes PixelTermsBuffers of the Unified Buffer.
  __aicore__ inline void Init(GM_ADDR lists, const PixelBandsTiling &t, AscendC::TPipe *pipe) {
    t_ = t;
    taps_ = 1u << t.tapBits;
    const int64_t terms = t.images * t.rows * taps_;
    gm_.SetGlobalBuffer(reinterpret_cast<__gm__ int32_t *>(lists), 2 * terms);
    const PixelTermsBuffers buffers(taps_, t.located);
    pipe->InitBuffer(planes_, buffers.planes.bytes);
    pipe->InitBuffer(places_, buffers.places.bytes);
    pipe->InitBuffer(pairs_queue_, buffers.pairs.count, buffers.pairs.bytes);
    pipe->InitBuffer(work_, buffers.work.bytes);
    pipe->InitBuffer(bits_, buffers.bits.bytes);
    FindPlaces();
  }

  // The weights of tap `tap`, one for each row. The caller sets them.
  __aicore__ inline AscendC::LocalTensor<float> Weight(uint32_t tap) {
    return planes_.template Get<float>()[(taps_ + tap) * t_.located];
  }

  // Sets the pixels of tap `tap` of `count` rows, a multiple of 64: rows y + down and columns x + right of
  // the image. A term counts where they lie in the image; a NaN does not.
  __aicore__ inline void SetPixels(uint32_t tap, const AscendC::LocalTensor<float> &y, float down,
                                   const AscendC::LocalTensor<float> &x, float right, uint32_t count) {
    const auto row = work_.template Get<float>(), column = row[t_.located];
    const auto bits = bits_.template Get<uint8_t>();
    const auto other = bits[static_cast<uint32_t>(PixelTermsBuffers::MaskBytes(t_.located))];
    AscendC::Adds(row, y, down, count);
    AscendC::Adds(column, x, right, count);
    AscendC::CompareScalar(bits, row, 0.0f, AscendC::CMPMODE::GE, count);
    KeepBits(bits, other, row, t_.lastRow, AscendC::CMPMODE::LE, count);
    KeepBits(bits, other, column, 0.0f, AscendC::CMPMODE::GE, count);
    KeepBits(bits, other, column, t_.lastColumn, AscendC::CMPMODE::LE, count);
    AscendC::Select(row, bits, row, 0.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    AscendC::Select(column, bits, column, -1.0f, AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE, count);
    const auto pixels = planes_.template Get<int32_t>()[tap * t_.located];
    const auto columns = column.template ReinterpretCast<int32_t>();
    AscendC::Cast(pixels, row, AscendC::RoundMode::CAST_RINT, count);
    AscendC::Cast(columns, column, AscendC::RoundMode::CAST_RINT, count);
    AscendC::Muls(pixels, pixels, static_cast<int32_t>(t_.width), count);
    AscendC::Add(pixels, pixels, columns, count);
  }

  // Stores the terms: those of rows [row, row + count) of image `image`, and of `runs` such runs of rows,
  // which start `step` rows apart in the image and `slots` rows apart in the planes.
  __aicore__ inline void Store(int64_t image, int64_t row, uint32_t count, uint32_t runs, int64_t step,
                               uint32_t slots) {
    const uint32_t all = taps_ * (runs > 1 ? runs * slots : count);
    const uint32_t half = taps_ * t_.located;
    auto pairs = pairs_queue_.template AllocTensor<int32_t>();
    const auto planes = planes_.template Get<int32_t>();
    const auto places = places_.template Get<uint32_t>();
    AscendC::Gather(pairs, planes, places, 0, all);
    AscendC::Gather(pairs[half], planes[half], places, 0, all);
    pairs_queue_.EnQue(pairs);
    pairs = pairs_queue_.template DeQue<int32_t>();
    const int64_t to = (image * t_.rows + row) * taps_, weights = t_.images * t_.rows * taps_;
    for (uint32_t i = 0; i < 2; ++i) {
      CopyRowsOut(gm_, i * weights + to, step * taps_, pairs[i * half], slots * taps_, runs, count * taps_);
    }
    pairs_queue_.FreeTensor(pairs);
  }

 private:
  // Fills places_: element r * taps + t of a list is element t * located + r of the planes.
  __aicore__ inline void FindPlaces() {
    const uint32_t all = taps_ * t_.located;
    const auto row = planes_.template Get<float>(), number = row[all];
    AscendC::CreateVecIndex(number, 0.0f, all);
    AscendC::Muls(row, number, 1.0f / ToFloat(taps_), all);
    Floor(row, row, all);
    AscendC::Muls(number, number, ToFloat(t_.located), all);
    AscendC::Muls(row, row, 1.0f - ToFloat(taps_ * t_.located), all);
    AscendC::Add(number, number, row, all);
    ByteOffsets<float>(places_.template Get<int32_t>(), number, all);
    AscendC::Duplicate(planes_.template Get<float>(), 0.0f, 2 * all);
  }

  PixelBandsTiling t_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> planes_, places_, work_, bits_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> pairs_queue_;
  AscendC::GlobalTensor<int32_t> gm_;
  uint32_t taps_;
};

}  // namespace avo

// SPDX-License-Identifier: Apache-2.0
// ArgMax of float16 along any dimension but the last, where the searched axis is short enough that indices
// fit 16 bits. It is ArgmaxColumns (argmax_columns.h) for whole axes, but float16 is compared as it is, and
// an index takes a lane of 16 bits. So an instruction computes twice as many lanes, and nothing is widened
// but the results.
#pragma once

#include "argmax_input.h"

namespace avo {

template <typename T, typename I>
class HalfColumns : ColumnTiles<ArgmaxInput<T, I>, T> {
  static constexpr uint32_t kRepeat = HalfColumnsBuffers::kRepeat;

 public:
  __aicore__ inline void Init(GM_ADDR in, GM_ADDR out, GM_ADDR, const ArgmaxTiling &tiling,
                              AscendC::TPipe *pipe) {
    const HalfColumnsBuffers buffers(tiling, sizeof(I));
    this->InitInput(in, tiling, buffers.in, pipe);
    this->InitColumns(tiling);
    out_gm_.SetGlobalBuffer(reinterpret_cast<__gm__ I *>(out), tiling.outer * tiling.inner);
    pipe->InitBuffer(best_, buffers.best.bytes);
    pipe->InitBuffer(indices_, buffers.indices.bytes);
    pipe->InitBuffer(wide_, buffers.wide.bytes);
    pipe->InitBuffer(bits_, buffers.bits.bytes);
    pipe->InitBuffer(out_queue_, buffers.out.count, buffers.out.bytes);
    // Instructions compute lanes without elements too.
    if (!this->FillsLanes(tiling)) {
      ZeroQueue<T>(this->in_queue_, buffers.in.count, tiling.tileLength * tiling.pitch);
    }
  }

  __aicore__ inline void Process() {
    for (int64_t item = this->share_.begin; item < this->share_.end; ++item) {
      this->Enter(item);
      lanes_ = RoundUp(this->slices_ * this->slice_pitch_, kRepeat);
      const int64_t length = this->t_.length, pieces = this->Pieces(length);
      for (int64_t piece = 0; piece < pieces; ++piece) {
        const int64_t begin = this->PieceBegin(piece, pieces, length);
        const int64_t end = this->PieceBegin(piece + 1, pieces, length);
        Compute(begin, static_cast<uint32_t>(end - begin));
      }
      CopyOut();
    }
  }

 private:
  // The largest of each lane. It lies half a cycle of the bank groups of UB behind the positions of a tile,
  // so that an instruction reads both without waiting.
  __aicore__ inline AscendC::LocalTensor<half> Best() {
    return best_.Get<half>()[HalfColumnsBuffers::kSkewBytes / sizeof(half)];
  }

  // Compares positions [begin, begin + positions) of the tile in hand.
  __aicore__ inline void Compute(int64_t begin, uint32_t positions) {
    const auto &t = this->t_;
    auto tile = this->in_queue_.template AllocTensor<T>();
    this->CopyColumnsIn(tile, begin, positions);
    this->in_queue_.EnQue(tile);
    tile = this->in_queue_.template DeQue<T>();
    const auto keys = tile.template ReinterpretCast<half>();
    for (uint32_t p = 0; p < positions; ++p) {
      const auto key = keys[p * t.pitch];
      if (begin + p == 0) {
        Begin(key);
      } else {
        KeepLarger(key, static_cast<int16_t>(begin + p));
      }
    }
    this->in_queue_.FreeTensor(tile);
  }

  // The first position is the best so far.
  __aicore__ inline void Begin(const AscendC::LocalTensor<half> &key) {
    AscendC::Max(Best(), key, key, static_cast<int32_t>(lanes_));
    AscendC::Duplicate(indices_.Get<int16_t>(), int16_t{0}, static_cast<int32_t>(lanes_));
  }

  // A lane keeps its best unless the key is larger, or equal where the last one wins. Comparisons with NaN
  // are false, so a NaN key wins; a best that is NaN stays.
  __aicore__ inline void KeepLarger(const AscendC::LocalTensor<half> &key, int16_t index) {
    const auto best = Best(), indices = indices_.Get<half>();
    const auto keep = bits_.Get<uint8_t>(), nans = keep[HalfColumnsBuffers::MaskBytes(this->t_)];
    const auto keep_words = keep.template ReinterpretCast<uint16_t>(),
               nan_words = nans.template ReinterpretCast<uint16_t>();
    const int32_t words = static_cast<int32_t>(lanes_ / 16);
    AscendC::Compare(keep, key, best, this->t_.last != 0 ? AscendC::CMPMODE::LT : AscendC::CMPMODE::LE,
                     lanes_);
    AscendC::CompareScalar(nans, best, half(-__builtin_inff()), AscendC::CMPMODE::GE, lanes_);
    AscendC::Not(nan_words, nan_words, words);
    AscendC::Or(keep_words, keep_words, nan_words, words);
    // Select takes float and half alone, but it only moves bits.
    AscendC::Select(indices, keep, indices, HalfWithBits(index), AscendC::SELMODE::VSEL_TENSOR_SCALAR_MODE,
                    lanes_);
    AscendC::Max(best, best, key, static_cast<int32_t>(lanes_));
  }

  static __aicore__ inline half HalfWithBits(int16_t bits) {
    union {
      int16_t integer;
      half number;
    } same;
    same.integer = bits;
    return same.number;
  }

  // Stores the indices of the tile in hand.
  __aicore__ inline void CopyOut() {
    auto out = out_queue_.template AllocTensor<I>();
    const auto wide = wide_.Get<float>();
    AscendC::Cast(wide, indices_.Get<int16_t>(), AscendC::RoundMode::CAST_NONE, lanes_);
    AscendC::Cast(out, wide, AscendC::RoundMode::CAST_RINT, lanes_);
    out_queue_.EnQue(out);
    out = out_queue_.template DeQue<I>();
    CopyRowsOut(
        out_gm_, this->outer_ * this->t_.inner + this->column_, this->t_.inner, out,
        this->slices_ > 1 ? this->slice_pitch_ : RoundUp(this->columns_, kBlockBytes / sizeof(int32_t)),
        this->slices_, this->columns_);
    out_queue_.FreeTensor(out);
  }

  AscendC::TBuf<AscendC::TPosition::VECCALC> best_, indices_, wide_, bits_;
  AscendC::TQue<AscendC::TPosition::VECOUT, 1> out_queue_;
  AscendC::GlobalTensor<I> out_gm_;
  uint32_t lanes_;  // of the tile in hand, in whole repeats
};

}  // namespace avo

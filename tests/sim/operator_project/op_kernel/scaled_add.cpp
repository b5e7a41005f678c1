// SPDX-License-Identifier: Apache-2.0
#include "kernel_operator.h"

namespace {

using namespace AscendC;

// A block takes every GetBlockNum()-th tile of `x`, `y` and, where kBias, `bias`.
template <typename T, bool kBias>
class ScaledAdd {
 public:
  __aicore__ inline void Init(GM_ADDR x, GM_ADDR y, GM_ADDR bias, GM_ADDR z, const ScaledAddTiling &tiling,
                              TPipe *pipe) {
    size_ = tiling.size;
    tile_ = tiling.tile.elements;
    alpha_ = tiling.alpha;
    offset_ = tiling.offsets[0];
    x_.SetGlobalBuffer((__gm__ T *)x, size_);
    y_.SetGlobalBuffer((__gm__ T *)y, size_);
    if (kBias) bias_.SetGlobalBuffer((__gm__ T *)bias, size_);
    z_.SetGlobalBuffer((__gm__ T *)z, size_);
    pipe->InitBuffer(in_, 2, 3 * tile_ * sizeof(T));
    pipe->InitBuffer(out_, 2, tile_ * sizeof(T));
  }

  __aicore__ inline void Process() {
    for (uint32_t first = GetBlockIdx() * tile_; first < size_; first += GetBlockNum() * tile_) {
      const uint32_t count = size_ - first < tile_ ? size_ - first : tile_;
      CopyIn(first, count);
      Compute(count);
      CopyOut(first, count);
    }
  }

 private:
  __aicore__ inline void CopyIn(uint32_t first, uint32_t count) {
    LocalTensor<T> in = in_.AllocTensor<T>();
    DataCopy(in, x_[first], count);
    DataCopy(in[tile_], y_[first], count);
    if (kBias) DataCopy(in[2 * tile_], bias_[first], count);
    in_.EnQue(in);
  }

  __aicore__ inline void Compute(uint32_t count) {
    LocalTensor<T> in = in_.DeQue<T>();
    LocalTensor<T> out = out_.AllocTensor<T>();
    Muls(out, in[tile_], static_cast<T>(alpha_), count);
    Add(out, out, in, count);
    if (kBias) Add(out, out, in[2 * tile_], count);
    Adds(out, out, static_cast<T>(offset_), count);
    out_.EnQue(out);
    in_.FreeTensor(in);
  }

  __aicore__ inline void CopyOut(uint32_t first, uint32_t count) {
    LocalTensor<T> out = out_.DeQue<T>();
    DataCopy(z_[first], out, count);
    out_.FreeTensor(out);
  }

  GlobalTensor<T> x_, y_, bias_, z_;
  TQue<QuePosition::VECIN, 2> in_;
  TQue<QuePosition::VECOUT, 2> out_;
  uint32_t size_ = 0;
  uint32_t tile_ = 0;
  float alpha_ = 0;
  float offset_ = 0;
};

}  // namespace

extern "C" __global__ __aicore__ void scaled_add(GM_ADDR x, GM_ADDR y, GM_ADDR bias, GM_ADDR z,
                                                 GM_ADDR workspace, GM_ADDR tiling) {
  GET_TILING_DATA(data, tiling);
  AscendC::TPipe pipe;
  if (TILING_KEY_IS(1)) {
    ScaledAdd<DTYPE_X, true> op;
    op.Init(x, y, bias, z, data, &pipe);
    op.Process();
  } else if (TILING_KEY_IS(0)) {
    ScaledAdd<DTYPE_X, false> op;
    op.Init(x, y, bias, z, data, &pipe);
    op.Process();
  }
}

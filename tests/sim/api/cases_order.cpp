// SPDX-License-Identifier: Apache-2.0
// What orders the pipes of a core, and the scalar unit's accesses to GM: right and wrong uses, for both back
// ends.
#include "case.h"

using namespace AscendC;

namespace {

constexpr uint32_t kLine = 16;  // floats of a line of the data cache
constexpr uint32_t kMany = 9;   // buffers of a queue, one more than there are event ids

// ints: whether a WaitFlag stands between the two.
void SetTwice(Case &c) {
  SetFlag<HardEvent::MTE2_V>(EVENT_ID3);
  if (c.Int(0) != 0) WaitFlag<HardEvent::MTE2_V>(EVENT_ID3);
  SetFlag<HardEvent::MTE2_V>(EVENT_ID3);
  WaitFlag<HardEvent::MTE2_V>(EVENT_ID3);
}

// ints: tensors that are enqueued at a time.
void EnQueMany(Case &c) {
  TPipe pipe;
  TQue<TPosition::VECIN, kMany> queue;
  pipe.InitBuffer(queue, kMany, kLine * sizeof(float));
  const GlobalTensor<float> from = c.Global<float>(0);
  for (int64_t i = 0; i < c.Int(0); ++i) {
    auto x = queue.AllocTensor<float>();
    DataCopy(x, from, kLine);
    queue.EnQue(x);
  }
  for (int64_t i = 0; i < c.Int(0); ++i) {
    auto x = queue.DeQue<float>();
    Adds(x, x, 1.0f, static_cast<int32_t>(kLine));
    queue.FreeTensor(x);
  }
  pipe.Destroy();
}

// Reads a value, has MTE3 write another one, and reads it again. ints: whether the cache forgets the line.
void ReadAfterCopy(Case &c) {
  GlobalTensor<float> gm = c.Global<float>(0);
  const float first = gm.GetValue(1);
  DataCopy(gm, c.Tensor<float>(1), kLine);
  SetFlag<HardEvent::MTE3_S>(EVENT_ID3);
  WaitFlag<HardEvent::MTE3_S>(EVENT_ID3);
  if (c.Int(0) != 0) {
    DataCacheCleanAndInvalid<float, CacheLine::SINGLE_CACHE_LINE, DcciDst::CACHELINE_OUT>(gm);
  }
  c.Tensor<float>(2).SetValue(0, first + gm.GetValue(1));
}

// Writes a value that MTE2 reads. ints: whether the cache writes the line back.
void CopyAfterWrite(Case &c) {
  GlobalTensor<float> gm = c.Global<float>(0);
  gm.SetValue(1, 2.5f);
  if (c.Int(0) != 0) {
    DataCacheCleanAndInvalid<float, CacheLine::ENTIRE_DATA_CACHE, DcciDst::CACHELINE_OUT>(gm);
  }
  SetFlag<HardEvent::S_MTE2>(EVENT_ID3);
  WaitFlag<HardEvent::S_MTE2>(EVENT_ID3);
  DataCopy(c.Tensor<float>(1), gm, kLine);
}

// Adds one by a pointer to GM. ints: the element.
void AddByPointer(Case &c) {
  auto *pointer = reinterpret_cast<__gm__ float *>(c.gm.at(0)) + c.Int(0);
  *pointer = *pointer + 1.0f;
}

const Register cases = {
    {"SetTwice", SetTwice},           {"EnQueMany", EnQueMany},
    {"ReadAfterCopy", ReadAfterCopy}, {"CopyAfterWrite", CopyAfterWrite},
    {"AddByPointer", AddByPointer},
};

}  // namespace

// SPDX-License-Identifier: Apache-2.0
// Whether any of the largest keys that a core has found is NaN. A search for the largest key takes some
// instructions fewer without NaN. So a core searches its tiles as if there were none, and looks after the
// first tile and after the last one. Where there is a NaN, it searches all of its tiles again. Max keeps NaN:
// the largest keys of all lanes and tiles are joined to a few numbers, and where any key is NaN, one of these
// is.
#pragma once

#include "bits.h"
#include "nan_watch_buffers.h"

namespace avo {

// E: float or half.
template <typename E>
class NanWatch {
  static constexpr uint32_t kRepeat = 256 / sizeof(E), kSeen = NanWatchBuffers::kSeenBytes / sizeof(E);

 public:
  __aicore__ inline void Init(const NanWatchBuffers &buffers, AscendC::TPipe *pipe) {
    pipe->InitBuffer(seen_, buffers.seen.bytes);
    pipe->InitBuffer(bits_, buffers.bits.bytes);
    AscendC::Duplicate(seen_.template Get<E>(), E(0.0f), static_cast<int32_t>(kSeen));
  }

  // Takes the largest keys of a tile, whole repeats of them, and changes them.
  __aicore__ inline void Take(const AscendC::LocalTensor<E> &largest, uint32_t lanes) {
    const auto seen = seen_.template Get<E>();
    while (lanes > kSeen) {
      const uint32_t part = lanes / 2 / kRepeat * kRepeat;
      lanes -= part;
      AscendC::Max(largest, largest, largest[lanes], static_cast<int32_t>(part));
    }
    AscendC::Max(seen, seen, largest, static_cast<int32_t>(lanes));
  }

  // Whether a NaN has been taken. The scalar unit waits for the vector unit.
  __aicore__ inline bool Any(AscendC::TPipe *pipe) {
    const auto seen = seen_.template Get<E>();
    const auto numbers = bits_.template Get<uint8_t>();
    AscendC::Compare(numbers, seen, seen, AscendC::CMPMODE::EQ, kSeen);
    return !AllBitsSet(numbers, kSeen, pipe);
  }

 private:
  AscendC::TBuf<AscendC::TPosition::VECCALC> seen_, bits_;
};

}  // namespace avo

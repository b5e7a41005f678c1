// SPDX-License-Identifier: Apache-2.0
// Scans a tile of planes (position_planes.h) for the best element so far, lane by lane.
//
//   1. Within all runs at once: each plane becomes the best of itself and the plane before it.
//   2. Plane 7 is now what each run ends with. Shifted by a slot, behind the carry, it is what the run before
//      each run ends with. These ends are scanned in steps that double: each becomes the best of itself and
//      the one 1, then 2, then 4 slots before it. Behind the begin lies the worst key.
//   3. All planes become the best of themselves and of these ends.
//
// Of two elements the later one always comes first, so that of several NaNs the last one stays.
#pragma once

#include "best_scan.h"
#include "position_planes.h"

namespace avo {

// E: half, float, int32_t or int16_t.
template <typename Best, typename E>
class PlaneScan {
  using Tile = AscendC::LocalTensor<E>;

 public:
  __aicore__ inline void Init(const PlaneScanBuffers &buffers, const PlaneShape &shape, E worst,
                              AscendC::TPipe *pipe) {
    shape_ = shape;
    worst_ = worst;
    pipe->InitBuffer(ends_, buffers.ends.bytes);
    pipe->InitBuffer(head_, buffers.head.bytes);
    const int32_t pitch = static_cast<int32_t>(shape.pitch);
    AscendC::Duplicate(ends_.template Get<E>(), worst, pitch);
    AscendC::Duplicate(ends_.template Get<E>()[2 * shape.pitch], worst, pitch);
  }

  // Begins with the first piece of a tile: there is no carry.
  __aicore__ inline void Begin() {
    AscendC::Duplicate(head_.template Get<E>(), worst_, static_cast<int32_t>(shape_.HeadElements()));
  }

  // Scans `from`. results: the head, and behind it the tile that is written.
  __aicore__ inline void Scan(const Tile &results, const Tile &from) {
    const uint32_t pitch = shape_.pitch, width = shape_.width;
    const int32_t count = static_cast<int32_t>(shape_.PlaneElements());
    const auto head = head_.template Get<E>(), room = ends_.template Get<E>();
    const auto to = results[shape_.HeadElements()];
    Best::Apply(results, head, head, static_cast<int32_t>(shape_.HeadElements()));
    for (uint32_t k = 1; k < PlaneShape::kPlanes; ++k) {
      Best::Apply(Plane(to, k), Plane(from, k), Plane(k == 1 ? from : to, k - 1), count);
    }
    auto ends = results[width];
    uint32_t place = 3 * pitch;
    for (uint32_t shift = 1; shift < shape_.runs; shift *= 2) {
      const auto before = shift == 1 ? results : room[place - shift * width];
      place = 4 * pitch - place;
      Best::Apply(room[place], ends, before, count);
      ends = room[place];
    }
    for (uint32_t k = 0; k < PlaneShape::kPlanes; ++k) {
      Best::Apply(Plane(to, k), Plane(k == 0 ? from : to, k), ends, count);
    }
  }

  // Keeps what a whole piece ends with for the next one. results: as Scan has written it.
  __aicore__ inline void Keep(const Tile &results) {
    const auto last = results[shape_.HeadElements() + shape_.PlaneElements() - shape_.width];
    Best::Apply(head_.template Get<E>()[shape_.width], last, last, static_cast<int32_t>(shape_.width));
  }

 private:
  __aicore__ inline Tile Plane(const Tile &tile, uint32_t plane) const {
    return PlaneOf(tile, shape_, plane);
  }

  AscendC::TBuf<AscendC::TPosition::VECCALC> ends_, head_;
  PlaneShape shape_;
  E worst_;
};

}  // namespace avo

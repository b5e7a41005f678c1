// SPDX-License-Identifier: Apache-2.0
// Scans a tile of planes (position_planes.h) for the best element so far, lane by lane.
//
//   1. Within all runs at once: each odd plane becomes the best of itself and the even plane before it, all
//      four in one instruction. Then planes 3, 5 and 7 become the best of themselves and the odd plane
//      before.
//   2. Plane 7 is now what each run ends with. Shifted by a slot, behind the carry, it is what the run before
//      each run ends with. These ends are scanned in steps that double: each becomes the best of itself and
//      the one 1, then 2, then 4 slots before it. Behind the begin lies the worst key.
//   3. Plane 0 and the odd planes become the best of themselves and of these ends.
//   4. Planes 2, 4 and 6 become the best of themselves and the odd plane before, in one instruction.
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
    constexpr uint32_t kLast = PlaneShape::kPlanes - 1;
    Best::Apply(Plane(to, kLast), Plane(from, kLast), Plane(from, kLast - 1), PlanesElements(kLast / 2 + 1));
    for (uint32_t k = 3; k <= kLast; k += 2) Best::Apply(Plane(to, k), Plane(to, k), Plane(to, k - 2), count);
    auto ends = results[width];
    uint32_t place = 3 * pitch;
    for (uint32_t shift = 1; shift < shape_.runs; shift *= 2) {
      const auto before = shift == 1 ? results : room[place - shift * width];
      place = 4 * pitch - place;
      Best::Apply(room[place], ends, before, count);
      ends = room[place];
    }
    Best::Apply(Plane(to, 0), Plane(from, 0), ends, count);
    for (uint32_t k = 1; k <= kLast; k += 2) Best::Apply(Plane(to, k), Plane(to, k), ends, count);
    Best::Apply(Plane(to, kLast - 1), Plane(from, kLast - 1), Plane(to, kLast - 2),
                PlanesElements(kLast / 2));
  }

  // Keeps what a whole piece ends with for the next one. results: as Scan has written it.
  __aicore__ inline void Keep(const Tile &results) {
    const auto last = results[shape_.HeadElements() + shape_.PlaneElements() - shape_.width];
    Best::Apply(head_.template Get<E>()[shape_.width], last, last, static_cast<int32_t>(shape_.width));
  }

 private:
  // Elements of some planes that follow each other in UB, up to the last position.
  __aicore__ inline int32_t PlanesElements(uint32_t planes) const {
    return static_cast<int32_t>((planes - 1) * shape_.pitch + shape_.PlaneElements());
  }

  __aicore__ inline Tile Plane(const Tile &tile, uint32_t plane) const {
    return PlaneOf(tile, shape_, plane);
  }

  AscendC::TBuf<AscendC::TPosition::VECCALC> ends_, head_;
  PlaneShape shape_;
  E worst_;
};

}  // namespace avo

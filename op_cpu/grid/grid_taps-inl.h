// SPDX-License-Identifier: Apache-2.0
// The neighbours of the samples of a tile as single elements of planes, to which gradients are added, and
// which are read for those of the coordinates. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_GRID_GRID_TAPS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_GRID_GRID_TAPS_INL_H_
#undef AVO_OP_CPU_GRID_GRID_TAPS_INL_H_
#else
#define AVO_OP_CPU_GRID_GRID_TAPS_INL_H_
#endif

#include <algorithm>
#include <type_traits>
#include <vector>

#include "op_cpu/common/copies/tiles.h"
#include "op_cpu/common/vectors/fused-inl.h"
#include "op_cpu/common/vectors/gather-inl.h"
#include "op_cpu/grid/grid_gathers-inl.h"
#include "op_cpu/grid/grid_tile-inl.h"
#include "op_cpu/grid/kept_memory.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Gradients are added one after the other, sample by sample, so that every sum has the same order with any
// number of lanes. Neighbours are numbered with samples as lanes; one outside the image adds 0 to a pixel at
// the border, as no processor foretells a branch. Few neighbours that many planes share are listed instead,
// without those outside. Both give the same bits.
template <typename T>
class GridTaps {
  using Value = Compute<T>;
  using D = ComputeTag<T>;
  using V = hn::Vec<D>;
  using I = typename GridTile<T>::I;
  using Index = typename GridTile<T>::Index;
  static constexpr int64_t kLanes = GridTile<T>::kLanes;
  // A neighbour inside the image: where its sum is, elements behind the first one of a plane.
  struct Tap {
    int64_t place, sample;
    Value weight;
  };
  static constexpr int64_t kFewPlanes = 4;

 public:
  // images: what is read; sums: where gradients are added, in planes of as many rows and columns. planes: how
  // many share the neighbours of a tile of at most `most` samples. slopes: whether AddSlopes is called.
  GridTaps(const Tensor &grid, const Tensor &images, const Tensor &sums, const GridRules &rules,
           int64_t planes, int64_t most, bool slopes)
      : images_(images),
        slopes_(slopes),
        fits_(GridGathers<T>::Fit(images) && GridGathers<T>::Fit(sums)),
        listed_(!fits_ || ShouldList(grid.shape[1] * grid.shape[2], planes, most)),
        each_(fits_ && slopes && sizeof(T) > 2 && LoadsElements()),
        alike_(each_ && !listed_ && images.strides[2] == sums.strides[2] &&
               images.strides[3] == sums.strides[3]),
        tile_(grid, images.shape[2], images.shape[3], rules, most, slopes) {
    const int64_t taps = neighbours() * tile_.most(), numbered = listed_ ? 0 : taps + kLanes;
    far_offsets_.resize(fits_ ? 0 : taps);
    // There is room for one more, which is outside; NumberNearest stores up to a vector more.
    memory_.Allocate(KeptArray{&taps_, listed_ ? taps + 1 : 0}, KeptArray{&offsets_, taps + kLanes},
                     KeptArray{&places_, numbered}, KeptArray{&products_, numbered},
                     KeptArray{&pixels_, numbered}, KeptArray{&near_, alike_ ? 0 : taps});
    if (alike_) near_ = places_;
    end_ = taps_;
  }

  int64_t neighbours() const { return tile_.neighbours(); }
  int64_t most() const { return tile_.most(); }

  // Goes on to a tile, and finds its neighbours. row, column: distances in a plane of sums, or of the images
  // where no sums are made.
  void Move(const Tile &tile, int64_t row, int64_t column) {
    count_ = tile.positions();
    if (neighbours() == 1 && !listed_) {
      return tile_.NumberNearest(tile, row, column, -1, offsets_, places_);
    }
    tile_.Move(tile);
    if (neighbours() > 1) tile_.Weigh();
    if (listed_) {
      List(row, column);
      if (!slopes_) return;
    } else {
      tile_.template Number<true>(row, column, 0, 0, places_);
    }
    if (!fits_) return NumberFar();
    const Shape &s = images_.strides;
    tile_.Number(s[2] * kGatherUnit<T>, s[3] * kGatherUnit<T>, 0, -1, offsets_);
    if (each_ && !alike_) tile_.template Number<true>(s[2], s[3], 0, 0, near_);
  }

  // The neighbours that are listed, and body(place) for the places of their sums.
  int64_t listed() const { return end_ - taps_; }
  template <class Body>
  void ForPlaces(const Body &body) const {
    for (const Tap *tap = taps_; tap != end_; ++tap) body(tap->place);
  }

  // Adds the gradients `up` of all samples to a plane of sums. It reads the plane of the image at the same
  // time, if that saves time, for AddSlopes.
  template <int64_t kNeighbours>
  void AddSums(const Value *up, const T *plane, Value *sums) {
    if (listed_) {
      for (const Tap *tap = taps_; tap != end_; ++tap) sums[tap->place] += tap->weight * up[tap->sample];
      return;
    }
    const D d;
    const I i;
    for (int64_t p = 0; p < count_; p += kLanes) {
      const V gradient = hn::Load(d, &up[p]);
#pragma GCC unroll 4
      for (int64_t k = 0; k < kNeighbours; ++k) {
        const int64_t at = p * kNeighbours + k * kLanes;
        const auto inside = hn::RebindMask(d, hn::Ge(hn::Load(i, &offsets_[at]), hn::Zero(i)));
        const V product = kNeighbours == 1 ? gradient : hn::Mul(hn::Load(d, tile_.weights() + at), gradient);
        hn::Store(hn::IfThenElseZero(inside, product), d, &products_[at]);
      }
    }
    if constexpr (std::is_same_v<T, Value>) {
      if (alike_) return AddEach<kNeighbours, true>(products_, places_, count_, sums, plane, pixels_);
    }
    AddEach<kNeighbours, false>(products_, places_, count_, sums, sums, pixels_);
  }

  // Adds what a plane adds to the gradients of the coordinates. summed: whether AddSums has just been called
  // for this plane.
  template <int64_t kNeighbours>
  void AddSlopes(const Value *up, const T *plane, bool summed, Value *by_y, Value *by_x) const {
    const bool read = summed && alike_;
    const D d;
    const I i;
    for (int64_t p = 0; p < count_; p += kLanes) {
      V along_y = hn::Zero(d), along_x = hn::Zero(d);
      auto counts = hn::MaskFalse(d);
#pragma GCC unroll 4
      for (int64_t k = 0; k < kNeighbours; ++k) {
        const int64_t at = p * kNeighbours + k * kLanes;
        const auto inside = hn::RebindMask(d, hn::Ge(hn::Load(i, &offsets_[at]), hn::Zero(i)));
        counts = hn::Or(counts, inside);
        const V pixel =
            read ? hn::IfThenElseZero(inside, hn::Load(d, &pixels_[at])) : Pixels(plane, at, inside);
        along_y = FusedMulAdd(pixel, hn::Load(d, tile_.slopes(0) + at), along_y);
        along_x = FusedMulAdd(pixel, hn::Load(d, tile_.slopes(1) + at), along_x);
      }
      // A sample whose neighbours are all outside has no gradient, not even 0 x infinity.
      const V gradient = hn::IfThenElseZero(counts, hn::Load(d, &up[p]));
      hn::Store(FusedMulAdd(gradient, along_y, hn::Load(d, &by_y[p])), d, &by_y[p]);
      hn::Store(FusedMulAdd(gradient, along_x, hn::Load(d, &by_x[p])), d, &by_x[p]);
    }
  }

 private:
  // Whether to list the neighbours of `samples` samples of an image, for `planes` planes: few take less time
  // that way. Sums of half types are rounded where there is one, so they are listed if one tile has them all.
  static bool ShouldList(int64_t samples, int64_t planes, int64_t most) {
    return sizeof(T) == 2 ? samples <= most : planes > kFewPlanes && 2 * samples <= most;
  }

  // Lists the neighbours that lie in the image, sample by sample.
  void List(int64_t row_step, int64_t column_step) {
    const bool nearest = neighbours() == 1;
    end_ = taps_;
    for (int64_t p = 0; p < count_; ++p) {
      for (int64_t k = 0; k < neighbours(); ++k) {
        int64_t row, column;
        const bool inside = tile_.At(k, p, &row, &column);
        const Value weight = nearest ? Value{1} : tile_.weights()[tile_.Place(p) + k * kLanes];
        *end_ = {row * row_step + column * column_step, p, weight};
        end_ += inside;  // without a branch, which processors could not foretell
      }
    }
  }

  // Numbers neighbours in a plane of the images, where that may need 64 bits.
  void NumberFar() {
    const Shape &s = images_.strides;
    for (int64_t p = 0; p < AlignUp(count_, kLanes); ++p) {
      for (int64_t k = 0; k < neighbours(); ++k) {
        int64_t row, column;
        const int64_t at = tile_.Place(p) + k * kLanes;
        const bool inside = tile_.At(k, p, &row, &column);
        offsets_[at] = inside ? 0 : -1;
        far_offsets_[at] = inside ? row * s[2] + column * s[3] : 0;
      }
    }
  }

  // The pixels of neighbours `at`, at + 1, …; those outside the image are 0.
  HWY_INLINE V Pixels(const T *plane, int64_t at, hn::Mask<D> inside) const {
    const D d;
    const I i;
    if (HWY_LIKELY(fits_)) {
      if constexpr (sizeof(T) > 2) {
        if (each_) return hn::IfThenElseZero(inside, GatherAt<sizeof(T)>(d, plane, &near_[at]));
      }
      const auto last = hn::Set(i, static_cast<Index>(GridGathers<T>::LastOffset(images_) * kGatherUnit<T>));
      return GatherElements(d, inside, plane, hn::Load(i, &offsets_[at]), last);
    }
    Value pixels[kLanes];
    for (int64_t lane = 0; lane < kLanes; ++lane) pixels[lane] = Widen(plane[far_offsets_[at + lane]]);
    return hn::IfThenElseZero(inside, hn::LoadU(d, pixels));
  }

  // Adds products to the sums one by one. With kRead, it loads the pixels at the same places, too: their
  // places are in registers then, and no vector is put together from single elements.
  template <int64_t kNeighbours, bool kRead>
  static HWY_NOINLINE void AddEach(const Value *products, const Index *places, int64_t count, Value *sums,
                                   const Value *plane, Value *pixels) {
    for (int64_t p = 0; p < count; p += kLanes) {
      const int64_t begin = p * kNeighbours, end = begin + std::min(kLanes, count - p);
      for (int64_t first = begin; first < end; ++first) {
#pragma GCC unroll 16
        for (int64_t at = first; at < first + kNeighbours * kLanes; at += kLanes) {
          const int64_t place = places[at];
          if (kRead) pixels[at] = plane[place];
          sums[place] += products[at];
        }
      }
    }
  }

  const Tensor &images_;
  const bool slopes_;
  const bool fits_;    // whether 32 bits hold the numbers of all pixels of a plane
  const bool listed_;  // whether neighbours are listed
  const bool each_;    // whether pixels are loaded one by one
  const bool alike_;   // in the same loop as sums, as these lie like the pixels
  GridTile<T> tile_;
  int64_t count_ = 0;  // samples of the tile
  KeptMemory<GridTaps> memory_;
  Tap *taps_, *end_;
  // By GridTile::Place: kGatherUnit in a plane of the images, or -1 outside; elements in it; elements in a
  // plane of sums. The last two are those of a pixel at the border for a neighbour outside.
  Index *offsets_, *near_, *places_;
  Value *products_, *pixels_;         // what neighbours add to the sums, and their pixels, by GridTile::Place
  std::vector<int64_t> far_offsets_;  // as near_, where they need 64 bits
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

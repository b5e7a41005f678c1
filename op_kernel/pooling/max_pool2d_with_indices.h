// SPDX-License-Identifier: Apache-2.0
// Maximum pooling that also tells where each maximum lies. The kernel finds the tap of each maximum
// (window_maxima.h), whose number is its place in the window, and adds where the window begins
// (window_places.h).
#pragma once

#include "max_pool2d_with_indices_tiling.h"
#include "window_maxima.h"
#include "window_places.h"

template <typename T, typename I, uint32_t KEY>
class MaxPool2dWithIndices {
 public:
  __aicore__ inline void Init(GM_ADDR input, GM_ADDR out, GM_ADDR indices, GM_ADDR,
                              const MaxPool2dWithIndicesTiling &tiling, AscendC::TPipe *pipe) {
    t_ = tiling;
    out_pitch_ = avo::RoundUp(t_.chunkColumns, avo::kRowPositions);
    out_ = {{}, t_.outRows, t_.outColumns};
    out_.gm.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(out), t_.planes * t_.outRows * t_.outColumns);
    indices_ = {{}, t_.outRows, t_.outColumns};
    indices_.gm.SetGlobalBuffer(reinterpret_cast<__gm__ I *>(indices),
                                t_.planes * t_.outRows * t_.outColumns);
    const MaxPool2dWithIndicesBuffers buffers({t_.planeElements, uint64_t{t_.storedRows} * out_pitch_,
                                               uint64_t{t_.regionRows} * t_.columnPlanes * t_.regionPitch,
                                               uint64_t{t_.chunkRows} * t_.chunkPitch, t_.chunkPitch},
                                              sizeof(T), sizeof(I));
    slots_.template Init<T>(buffers.planes, t_.planeElements, t_.storedRows * out_pitch_, pipe);
    pipe->InitBuffer(best_, buffers.best.bytes);
    places_.Init(t_, buffers.across.bytes, pipe);
    maxima_.Init(input, static_cast<uint32_t>(t_.dilateRows * t_.inColumns),
                 static_cast<uint32_t>(t_.dilateColumns), t_, buffers.maxima, pipe);
  }

  __aicore__ inline void Process() {
    const avo::Share share = avo::CoreShare(t_.planeGroups * t_.rowTiles * t_.columnTiles);
    for (int64_t item = share.begin; item < share.end; ++item) {
      const int64_t column = item % t_.columnTiles * t_.chunkColumns;
      const int64_t row = item / t_.columnTiles % t_.rowTiles * t_.chunkRows;
      const int64_t plane = item / t_.columnTiles / t_.rowTiles * avo::kLanes;
      slots_.SetPlanes(plane, avo::TileExtent(plane, avo::kLanes, t_.planes));
      rows_ = {row, static_cast<int32_t>(avo::TileExtent(row, t_.chunkRows, t_.outRows))};
      columns_ = {column, static_cast<int32_t>(avo::TileExtent(column, t_.chunkColumns, t_.outColumns))};
      ComputeTile();
    }
  }

 private:
  __aicore__ inline void ComputeTile() {
    const auto best = best_.Get<float>();
    const auto places = maxima_.Taps();
    maxima_.Find(rows_, columns_, slots_, best);
    Store(out_, best);
    places_.Add(places, rows_, columns_);
    MarkEmptyWindows(places);
    Store(indices_, places.template ReinterpretCast<float>());
  }

  template <typename E>
  __aicore__ inline void Store(const avo::PlanesOf<E> &to, const AscendC::LocalTensor<float> &slots) {
    slots_.Store(to, rows_, columns_, {slots, 1, t_.chunkPitch, 1, t_.chunkRows}, t_.storedRows, out_pitch_);
  }

  // Sets the places of windows without an element inside the image to -1. Such windows begin before the
  // image: a window of large dilation may step over it.
  __aicore__ inline void MarkEmptyWindows(const AscendC::LocalTensor<int32_t> &places) {
    const uint32_t row = t_.chunkPitch * avo::kLanes;
    for (int32_t r = 0; r < rows_.count; ++r) {
      const int64_t begin = (rows_.begin + r) * t_.strideRows - t_.padRows;
      if (begin >= 0) break;
      if (MissesAxis(begin, t_.kernelRows, t_.dilateRows, t_.inRows)) {
        AscendC::Duplicate(places[r * row], -1, row);
      }
    }
    for (int32_t x = 0; x < columns_.count; ++x) {
      const int64_t begin = (columns_.begin + x) * t_.strideColumns - t_.padColumns;
      if (begin >= 0) break;
      if (!MissesAxis(begin, t_.kernelColumns, t_.dilateColumns, t_.inColumns)) continue;
      for (int32_t r = 0; r < rows_.count; ++r) {
        AscendC::Duplicate(places[r * row + x * avo::kLanes], -1, avo::kLanes);
      }
    }
  }
  // Whether a window that begins before an axis of `size` elements has none of them.
  static __aicore__ inline bool MissesAxis(int64_t begin, int64_t kernel, int64_t dilate, int64_t size) {
    const int64_t tap = (dilate - 1 - begin) / dilate;
    return tap >= kernel || begin + tap * dilate >= size;
  }

  MaxPool2dWithIndicesTiling t_;
  avo::PlaneSlots slots_;
  avo::WindowMaxima<T, MaxPool2dWithIndicesTiling> maxima_;
  avo::WindowPlaces<MaxPool2dWithIndicesTiling> places_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> best_;
  avo::PlanesOf<T> out_;
  avo::PlanesOf<I> indices_;
  uint32_t out_pitch_;  // elements from row to row of what is stored at once
  // The windows of the tile that is computed.
  avo::AxisRange rows_, columns_;
};

// SPDX-License-Identifier: Apache-2.0
// Gradients of windows over images. The lanes are sixteen planes: one element of all of them is a slot of 64
// bytes. A tile owns some rows and columns of these planes. The kernel goes through the windows that have
// elements in the tile, one chunk of windows after another. For each tap it adds what the windows give that
// tap to the elements of the tile, one row of windows with an instruction. The order of all sums is fixed.
//
// The columns of the tile are dealt out to as many planes as the stride has columns. So the elements that one
// tap of neighbouring windows reads or receives follow each other, and an instruction computes four windows
// in each cycle:
//
//   3 x 3 windows, stride 2; the tile owns the elements o; the chunk has the windows 0 to 2
//
//   image             . . o o o o . .        planes of the tile    0: o2 o4
//   window 0          ^ ^ ^                                        1: o3 o5
//   window 1              ^ ^ ^              tap 0 of windows 1, 2    o2 o4, in plane 0
//   window 2                  ^ ^ ^          tap 1 of windows 1, 2    o3 o5, in plane 1
#pragma once

#include "plane_slots.h"
#include "window_gradient_buffers.h"

namespace avo {

// A kernel derives from this and has two functions. Prepare() is called when the gradients of a new chunk of
// windows are loaded. TermsOf(i, j) gives what tap (i, j) of each window receives: slots in the order of
// grads_. Loaded: the longest element that the kernel loads.
template <typename T, typename Tiling, typename Loaded = T>
class WindowGradients {
 protected:
  static constexpr uint32_t kSlack = WindowGradientBuffers::kSlack;
  // Bytes of an index, where the kernel loads some.
  static constexpr uint64_t kIndexItem = std::is_same_v<Loaded, T> ? 0 : sizeof(Loaded);

  __aicore__ inline void InitWindows(GM_ADDR grad, GM_ADDR out, const Tiling &tiling, AscendC::TPipe *pipe) {
    t_ = tiling;
    grad_ = {{}, t_.outRows, t_.outColumns};
    grad_.gm.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(grad), t_.planes * t_.outRows * t_.outColumns);
    out_ = {{}, t_.inRows, t_.inColumns};
    out_.gm.SetGlobalBuffer(reinterpret_cast<__gm__ T *>(out), t_.planes * t_.inRows * t_.inColumns);
    grad_pitch_ = t_.chunkPitch;
    out_pitch_ = RoundUp(t_.tileColumns, kRowPositions);
    const WindowGradientBuffers buffers(BufferSizes(), sizeof(T), kIndexItem);
    slots_.template Init<Loaded>(buffers.planes, t_.planeElements, t_.storedRows * out_pitch_, pipe);
    pipe->InitBuffer(grads_, buffers.grads.bytes);
    pipe->InitBuffer(terms_, buffers.terms.bytes);
    pipe->InitBuffer(sums_, buffers.sums.bytes);
    AscendC::Duplicate(grads_.Get<float>(), 0.0f, (t_.chunkRows * grad_pitch_ + kSlack) * kLanes);
  }

  __aicore__ inline WindowGradientBuffers::Sizes BufferSizes() const {
    return {t_.planeElements, uint64_t{t_.storedRows} * out_pitch_,
            uint64_t{t_.tileRows} * t_.columnPlanes * t_.sumPitch, uint64_t{t_.chunkRows} * grad_pitch_};
  }

  // Computes this core's tiles, each with `kernel` for one chunk of windows after another.
  template <typename Kernel>
  __aicore__ inline void ProcessTiles(Kernel &kernel) {
    const Share share = CoreShare(t_.planeGroups * t_.rowTiles * t_.columnTiles);
    for (int64_t item = share.begin; item < share.end; ++item) {
      const int64_t column = item % t_.columnTiles * t_.tileColumns;
      const int64_t row = item / t_.columnTiles % t_.rowTiles * t_.tileRows;
      const int64_t plane = item / t_.columnTiles / t_.rowTiles * kLanes;
      slots_.SetPlanes(plane, TileExtent(plane, kLanes, t_.planes));
      own_rows_ = {row, static_cast<int32_t>(TileExtent(row, t_.tileRows, t_.inRows))};
      own_columns_ = {column, static_cast<int32_t>(TileExtent(column, t_.tileColumns, t_.inColumns))};
      AscendC::Duplicate(sums_.Get<float>(), 0.0f, t_.tileRows * t_.columnPlanes * t_.sumPitch * kLanes);
      const AxisRange rows =
          WindowsOver(own_rows_, t_.kernelRows, t_.strideRows, t_.padRows, t_.dilateRows, t_.outRows);
      const AxisRange columns = WindowsOver(own_columns_, t_.kernelColumns, t_.strideColumns, t_.padColumns,
                                            t_.dilateColumns, t_.outColumns);
      for (int64_t r = 0; r < rows.count; r += t_.chunkRows) {
        for (int64_t c = 0; c < columns.count; c += t_.chunkColumns) {
          chunk_rows_ = {rows.begin + r, static_cast<int32_t>(TileExtent(r, t_.chunkRows, rows.count))};
          chunk_columns_ = {columns.begin + c,
                            static_cast<int32_t>(TileExtent(c, t_.chunkColumns, columns.count))};
          slots_.Load(Chunk(grads_), 0, 0, grad_, chunk_rows_, chunk_columns_);
          kernel.Prepare();
          for (int64_t i = 0; i < t_.kernelRows; ++i) AddRowOfTaps(kernel, i);
        }
      }
      slots_.Store(out_, own_rows_, own_columns_, Sums(), t_.storedRows, out_pitch_);
    }
  }

  // The windows of a chunk, each of which has a slot of `buffer`.
  __aicore__ inline SlotRows Chunk(AscendC::TBuf<AscendC::TPosition::VECCALC> &buffer) {
    return {buffer.Get<float>(), 1, grad_pitch_, 1, t_.chunkRows};
  }

  // Gives those of `windows` whose tap lies in `own`, along one axis. The tap of window w is element w *
  // stride + offset of the image.
  static __aicore__ inline AxisRange WindowsWithTapIn(const AxisRange &own, const AxisRange &windows,
                                                      int64_t stride, int64_t offset) {
    const int64_t low = own.begin - offset, high = own.begin + own.count - 1 - offset;
    int64_t first = low > 0 ? (low + stride - 1) / stride : 0, last = high < 0 ? -1 : high / stride;
    if (first < windows.begin) first = windows.begin;
    if (last >= windows.begin + windows.count) last = windows.begin + windows.count - 1;
    return {first, static_cast<int32_t>(last < first ? 0 : last - first + 1)};
  }

  Tiling t_;
  PlaneSlots slots_;
  AscendC::TBuf<AscendC::TPosition::VECCALC> grads_, terms_;
  uint32_t grad_pitch_;  // slots from row to row of windows in grads_ and terms_
  // The chunk of windows that is computed.
  AxisRange chunk_rows_, chunk_columns_;

 private:
  // Gives the windows that reach into `own`, along an axis with `windows` windows.
  static __aicore__ inline AxisRange WindowsOver(const AxisRange &own, int64_t kernel, int64_t stride,
                                                 int64_t pad, int64_t dilate, int64_t windows) {
    const int64_t reach = own.begin + pad - (kernel - 1) * dilate;
    const int64_t first = reach > 0 ? (reach + stride - 1) / stride : 0;
    const int64_t end = (own.begin + own.count - 1 + pad) / stride + 1, last = end < windows ? end : windows;
    return {first, static_cast<int32_t>(last > first ? last - first : 0)};
  }

  // Adds what the taps of row `i` of the windows receive.
  template <typename Kernel>
  __aicore__ inline void AddRowOfTaps(Kernel &kernel, int64_t i) {
    const int64_t row_offset = i * t_.dilateRows - t_.padRows;
    const AxisRange rows = WindowsWithTapIn(own_rows_, chunk_rows_, t_.strideRows, row_offset);
    if (rows.count == 0) return;
    for (int64_t j = 0; j < t_.kernelColumns; ++j) {
      const int64_t offset = j * t_.dilateColumns - t_.padColumns;
      const AxisRange columns = WindowsWithTapIn(own_columns_, chunk_columns_, t_.strideColumns, offset);
      if (columns.count == 0) continue;
      const auto terms = kernel.TermsOf(i, j);
      for (int64_t r = rows.begin; r < rows.begin + rows.count; ++r) {
        const uint32_t y = static_cast<uint32_t>(r * t_.strideRows + row_offset - own_rows_.begin);
        const uint32_t x =
            static_cast<uint32_t>(columns.begin * t_.strideColumns + offset - own_columns_.begin);
        const uint32_t from = static_cast<uint32_t>(r - chunk_rows_.begin) * grad_pitch_ +
                              static_cast<uint32_t>(columns.begin - chunk_columns_.begin);
        AddSlots(sums_.Get<float>()[Sums().Slot(y, x) * kLanes], terms[from * kLanes], columns.count);
      }
    }
  }

  __aicore__ inline SlotRows Sums() {
    return {sums_.Get<float>(), t_.columnPlanes, t_.sumPitch, 1, t_.tileRows};
  }

  // Adds neighbouring slots of `from` to the elements of one tap of neighbouring windows.
  __aicore__ inline void AddSlots(const AscendC::LocalTensor<float> &to,
                                  const AscendC::LocalTensor<float> &from, uint32_t slots) {
    if (t_.strideColumns == t_.columnPlanes) {
      AscendC::Add(to, to, from, static_cast<int32_t>(slots * kLanes));
      return;
    }
    for (uint32_t s = 0; s < slots; ++s) {
      const auto sum = to[s * t_.strideColumns * kLanes];
      AscendC::Add(sum, sum, from[s * kLanes], static_cast<int32_t>(kLanes));
    }
  }

  AscendC::TBuf<AscendC::TPosition::VECCALC> sums_;
  PlanesOf<T> grad_, out_;
  uint32_t out_pitch_;  // elements from row to row of the output tile
  // What the tile owns.
  AxisRange own_rows_, own_columns_;
};

}  // namespace avo

// SPDX-License-Identifier: Apache-2.0
// Gradients of maxima of windows at column strides of 1 and 2, with columns as lanes. Compiled once for each
// instruction set.
#if defined(AVO_OP_CPU_POOLING_COLUMN_GRADIENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_POOLING_COLUMN_GRADIENTS_INL_H_
#undef AVO_OP_CPU_POOLING_COLUMN_GRADIENTS_INL_H_
#else
#define AVO_OP_CPU_POOLING_COLUMN_GRADIENTS_INL_H_
#endif

#include <algorithm>
#include <vector>

#include "op_cpu/common/copies/stream.h"
#include "op_cpu/common/memory/aligned.h"
#include "op_cpu/common/memory/prefetch.h"
#include "op_cpu/common/vectors/partial_vectors-inl.h"
#include "op_cpu/pooling/column_phases-inl.h"
#include "op_cpu/pooling/parallel_images.h"
#include "op_cpu/pooling/tile_rows.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// A band is a few rows of the result, and the rows of windows that reach into them. For each band:
//   1. the image under these windows is split into phases,
//   2. the maximum of each window is found,
//   3. each element of the band adds the gradients of those windows whose maximum it is.
//
// Gradients and maxima lie by window, `pitch` elements from row to row, with room before and behind each row
// for windows that are not there and have no gradient. So the windows that an element is in lie at fixed
// distances from its place, and these distances are the same for all elements of a phase:
//
//   3 columns of windows, stride 1, before_ 2      . . w0 w1 w2
//   element 0 is tap 0 of w0, tap 1 of w-1, …      ^ ^ ^
//   element 2 is tap 0 of w2, tap 1 of w1, …           ^  ^  ^
//
// Measured at AVX-512, this is 1.7 x as fast as rows of channels for 3 x 3 windows of 112 x 112 at strides of
// 1, 1.8 x for 2 x 2, 1.5 x for 5 x 5 of 20 x 20.
template <typename T>
class ColumnGradients {
  using C = Compute<T>;
  using D = hn::ScalableTag<C>;
  static constexpr int64_t kLanes = hn::MaxLanes(D());

 public:
  explicit ColumnGradients(const WindowGradients &windows)
      : windows_(windows),
        rows_(windows.rows),
        columns_(windows.columns),
        stream_(Streams(windows.out)),
        before_((columns_.Reach() - 1) / columns_.stride),
        pitch_(before_ +
               std::max(windows.grad.shape[3], (columns_.padding + columns_.size - 1) / columns_.stride + 1)),
        band_(RowsTogether(rows_, kBand / columns_.size)),
        window_rows_((band_ + rows_.Reach() - 2) / rows_.stride + 2),
        phases_(rows_, columns_, pitch_, window_rows_) {
    const int64_t margin = hwy::RoundUpTo(before_, kLanes);
    grads_.assign(margin + window_rows_ * pitch_ + 4 * kLanes, C{0});
    maxima_.assign(grads_.size(), 0);
    first_grad_ = grads_.data() + margin;
    first_maximum_ = maxima_.data() + margin;
    for (int64_t y = 0; y < rows_.stride; ++y) {
      for (int64_t x = columns_.padding; x < columns_.padding + columns_.stride; ++x) AddHolders(y, x);
    }
  }

  // Windows of shorter rows, of fewer rows, or of smaller planes, take less time in blocks of planes
  // (scattered_maxima-inl.h). All instruction sets choose as one, because half types keep the bits of a NaN
  // there.
  static bool Suit(const WindowGradients &windows) {
    constexpr int64_t kShortest = sizeof(T) == 8 ? 80 : 32, kSmallest = sizeof(T) == 8 ? 4096 : 2048;
    return windows.AreNeighbours(3) && windows.grad.shape[3] >= kShortest * windows.rows.stride &&
           windows.rows.size * windows.columns.size >= kSmallest && ColumnPhases<T>::Suit(windows.columns);
  }

  // Computes rows [first, last) of a plane of the gradient.
  void operator()(int64_t plane, int64_t first, int64_t last) {
    const T *image = PlaneOf<T>(windows_.in, plane), *grads = PlaneOf<T>(windows_.grad, plane);
    T *to = PlaneOf<T>(windows_.out, plane);
    for (; first < last; first += band_) ComputeBand(image, grads, first, std::min(first + band_, last), to);
  }

 private:
  // Elements of a band: with all that is computed of them, they stay in the first cache.
  static constexpr int64_t kBand = 4096;

  // An element is tap `number` of the window that lies `at` elements before its place.
  struct Holder {
    int64_t at;
    TapNumber<C> number;
  };

  TapNumber<C> NumberOf(int64_t i, int64_t j) const {
    return static_cast<TapNumber<C>>(i * columns_.kernel + j);
  }

  // Lists the windows that the elements of a phase are in, from the first to the last. (y, x): one of these
  // elements, counted from the start of the padding.
  void AddHolders(int64_t y, int64_t x) {
    std::vector<Holder> &holders = holders_.emplace_back();
    for (int64_t i = rows_.kernel; i-- > 0;) {
      for (int64_t j = columns_.kernel; j-- > 0;) {
        const int64_t row = y - i * rows_.dilation, column = x - j * columns_.dilation;
        if (row % rows_.stride != 0 || column % columns_.stride != 0) continue;
        holders.push_back({row / rows_.stride * pitch_ + column / columns_.stride, NumberOf(i, j)});
      }
    }
  }

  // Computes rows [first, last) of the result, one band.
  void ComputeBand(const T *image, const T *grads, int64_t first, int64_t last, T *to) {
    const int64_t stride = rows_.stride, windows = windows_.grad.shape[2];
    const int64_t lowest = first + rows_.padding - rows_.Reach() + 1;
    // The rows [top, bottom) of windows reach into the band; those below 0 or beyond the last one do not
    // exist.
    const int64_t top = lowest < 0 ? -CeilDiv(-lowest, stride) : lowest / stride;
    const int64_t bottom = (last - 1 + rows_.padding) / stride + 1;
    const bool finite = phases_.Split(image, windows_.in.strides[2], top, bottom);
    for (int64_t row = top; row < bottom; ++row) {
      const bool exists = row >= 0 && row < windows;
      CopyGrads(exists ? grads + row * windows_.grad.strides[2] : nullptr,
                first_grad_ + (row - top) * pitch_);
    }
    FindBandMaxima(top, std::max<int64_t>(top, 0), std::min(bottom, windows), finite);
    for (int64_t y = first; y < last; ++y) {
      const int64_t at = y + rows_.padding;
      const std::vector<Holder> *holders = &holders_[at % stride * columns_.stride];
      // Brings what the next band reads to the caches, if the image does not end before it: memory is idle.
      PrefetchRun(image + (y + band_) * windows_.in.strides[2], columns_.size);
      PrefetchRun(grads + (y + band_) / stride * windows_.grad.strides[2], windows_.grad.shape[3]);
      T *row = to + y * windows_.out.strides[2];
      if (columns_.stride == 1) {
        SumRow<1>(holders, (at / stride - top) * pitch_, row);
      } else {
        SumRow<2>(holders, (at / stride - top) * pitch_, row);
      }
    }
  }

  // Copies a row of gradients, or zeros for a row of windows that does not exist, which is nullptr.
  void CopyGrads(const T *from, C *to) const {
    const int64_t count = windows_.grad.shape[3];
    if (from != nullptr) {
      CopyWide(from, count, to);
    } else {
      std::fill_n(to, count, C{0});
    }
  }

  // Finds the maxima of the rows [begin, end) of windows. The phases start with row `top`.
  void FindBandMaxima(int64_t top, int64_t begin, int64_t end, bool finite) const {
    const int64_t first = (begin - top) * pitch_, last = (end - top) * pitch_;
    if (!finite) {
      for (int64_t row = begin; row < end; ++row) FindSpecialMaxima(row, (row - top) * pitch_);
    } else if (phases_.taps().size() == 9) {
      FindFiniteMaxima<9>(first, last);
    } else if (phases_.taps().size() == 4) {
      FindFiniteMaxima<4>(first, last);
    } else {
      FindFiniteMaxima<0>(first, last);
    }
  }

  // Finds the maxima of the windows [begin, end) of a phase, where infinities are padding alone.
  template <size_t kTaps>
  void FindFiniteMaxima(int64_t begin, int64_t end) const {
    // The compiler keeps a local copy of few taps in registers; a store to memory could change the others.
    WindowTap<C> few[kTaps + 1];
    std::copy_n(phases_.taps().data(), kTaps, few);
    const WindowTap<C> *taps = kTaps == 0 ? phases_.taps().data() : few;
    const size_t count = phases_.taps().size();
    TapNumber<C> *to = first_maximum_;
    hn::Vec<D> best;
    for (int64_t x = begin; x < end; x += kLanes) {
      hn::StoreU(FindMaxima<LargestNumber, kTaps>(D(), taps, count, x, best), TapTag<C>(), to + x);
    }
  }

  // Finds the maxima of a row of any windows. Where the largest element is minus infinity, which padding is
  // too, the maximum is the first tap inside the image.
  void FindSpecialMaxima(int64_t row, int64_t begin) const {
    const D d;
    hn::Vec<D> best;
    C largest[kLanes];
    const std::vector<WindowTap<C>> &taps = phases_.taps();
    const int64_t count = windows_.grad.shape[3];
    for (int64_t x = 0; x < count; x += kLanes) {
      TapNumber<C> *to = first_maximum_ + begin + x;
      hn::StoreU(FindMaximaOrNaN(d, taps.data(), taps.size(), begin + x, best), TapTag<C>(), to);
      hn::StoreU(best, d, largest);
      for (int64_t lane = 0; lane < std::min(kLanes, count - x); ++lane) {
        if (largest[lane] == ColumnPhases<T>::kLowest)
          to[lane] = NumberOf(rows_.FirstTap(row), columns_.FirstTap(x + lane));
      }
    }
  }

  // Computes a row of the result. at: the place of its first element among the windows; holders: one list for
  // each phase of its columns.
  template <int64_t kStride>
  void SumRow(const std::vector<Holder> *holders, int64_t at, T *to) const {
    const D d;
    hn::Vec<D> even[2], odd[2];
    for (int64_t x = 0; x < columns_.size; x += 2 * kStride * kLanes) {
      SumHolders(holders[0], at + x / kStride, even);
      if (kStride == 1) {
        Put(even[0], x, to);
        Put(even[1], x + kLanes, to);
      } else {
        SumHolders(holders[1], at + x / kStride, odd);
        Put(hn::InterleaveWholeLower(d, even[0], odd[0]), x, to);
        Put(hn::InterleaveWholeUpper(d, even[0], odd[0]), x + kLanes, to);
        Put(hn::InterleaveWholeLower(d, even[1], odd[1]), x + 2 * kLanes, to);
        Put(hn::InterleaveWholeUpper(d, even[1], odd[1]), x + 3 * kLanes, to);
      }
    }
  }

  // Sums what two vectors of elements of a phase receive from the windows that they are in.
  HWY_INLINE void SumHolders(const std::vector<Holder> &holders, int64_t at, hn::Vec<D> (&sums)[2]) const {
    const D d;
    const TapTag<C> numbers;
    const TapNumber<C> *maxima = first_maximum_ + at;
    const C *grads = first_grad_ + at;
    auto a = hn::Zero(d), b = a;
    for (const Holder &holder : holders) {
      const auto number = hn::Set(numbers, holder.number);
      const auto is_a = hn::Eq(hn::LoadU(numbers, maxima + holder.at), number);
      const auto is_b = hn::Eq(hn::LoadU(numbers, maxima + holder.at + kLanes), number);
      a = hn::MaskedAddOr(a, hn::RebindMask(d, is_a), a, hn::LoadU(d, grads + holder.at));
      b = hn::MaskedAddOr(b, hn::RebindMask(d, is_b), b, hn::LoadU(d, grads + holder.at + kLanes));
    }
    sums[0] = a;
    sums[1] = b;
  }

  HWY_INLINE void Put(hn::Vec<D> value, int64_t x, T *to) const {
    StoreUpTo(value, D(), to + x, columns_.size - x, stream_);
  }

  const WindowGradients &windows_;
  const WindowAxis rows_, columns_;
  const bool stream_;          // whether results go around the caches
  const int64_t before_;       // places before a row of windows
  const int64_t pitch_;        // places from row to row of windows
  const int64_t band_;         // rows of a band
  const int64_t window_rows_;  // rows of windows that reach into a band
  ColumnPhases<T> phases_;
  AlignedVector<C> grads_;
  AlignedVector<TapNumber<C>> maxima_;
  // Those of the first window of the first row.
  C *first_grad_;
  TapNumber<C> *first_maximum_;
  std::vector<std::vector<Holder>> holders_;  // for each phase
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

// SPDX-License-Identifier: Apache-2.0
// Gradients of maxima of windows, along columns. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_COMMON_COLUMN_GRADIENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_COLUMN_GRADIENTS_INL_H_
#undef AVO_OP_CPU_COMMON_COLUMN_GRADIENTS_INL_H_
#else
#define AVO_OP_CPU_COMMON_COLUMN_GRADIENTS_INL_H_
#endif

#include <algorithm>
#include <vector>

#include "hwy/aligned_allocator.h"
#include "hwy/cache_control.h"
#include "hwy/highway.h"
#include "op_cpu/common/copies/stream.h"
#include "op_cpu/common/parallel/parallel.h"
#include "op_cpu/pooling/column_phases-inl.h"
#include "op_cpu/pooling/window_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Neighbours in a vector are columns, at strides of 1 and 2. Some rows at a time are turned into phases;
// windows beside the others have no gradient. 1.7 x at AVX-512 for 3 x 3 windows of 112 x 112 at strides of
// 1, 1.8 x for 2 x 2, 1.5 x for 5 x 5 of 20 x 20, of channels turned into tiles.
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
        band_(std::min(rows_.size, std::max(kBand / columns_.size, 4 * rows_.Reach()))),
        window_rows_((band_ + rows_.Reach() - 2) / rows_.stride + 2),
        phases_(rows_, columns_, pitch_, window_rows_) {
    const int64_t margin = hwy::RoundUpTo(before_, kLanes);
    grads_.assign(margin + window_rows_ * pitch_ + 4 * kLanes, C{0});
    leaders_.assign(grads_.size(), 0);
    first_grad_ = grads_.data() + margin;
    first_leader_ = leaders_.data() + margin;
    for (int64_t y = 0; y < rows_.stride; ++y) {
      for (int64_t x = columns_.padding; x < columns_.padding + columns_.stride; ++x) AddHolders(y, x);
    }
  }

  static bool Suit(const WindowGradients &windows) {
    return windows.in.strides[3] == 1 && windows.grad.strides[3] == 1 && windows.out.strides[3] == 1 &&
           windows.grad.shape[3] >= kLanes && ColumnPhases<T>::Suit(windows.columns);
  }

  // Rows [first, last) of a channel of an image.
  void operator()(int64_t n, int64_t c, int64_t first, int64_t last) {
    const auto plane = [&](const Tensor &images) {
      return static_cast<T *>(images.data) + n * images.strides[0] + c * images.strides[1];
    };
    const T *image = plane(windows_.in), *grads = plane(windows_.grad);
    T *to = plane(windows_.out);
    for (; first < last; first += band_) Band(image, grads, first, std::min(first + band_, last), to);
  }

 private:
  // Elements that stay in the first cache with all that is made of them.
  static constexpr int64_t kBand = 4096;

  // Windows that a position is in, relative to the last one of them, and which of their elements it is.
  struct Holder {
    int64_t at;
    Number<C> number;
  };

  Number<C> NumberOf(int64_t i, int64_t j) const { return static_cast<Number<C>>(i * columns_.kernel + j); }

  // Of position (y, x), counted from the first one of the padding: from the first window to the last.
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

  void Band(const T *image, const T *grads, int64_t first, int64_t last, T *to) {
    const int64_t stride = rows_.stride, windows = windows_.grad.shape[2];
    const int64_t lowest = first + rows_.padding - rows_.Reach() + 1;
    const int64_t top = lowest < 0 ? -CeilDiv(-lowest, stride) : lowest / stride;
    const int64_t bottom = (last - 1 + rows_.padding) / stride + 1;
    const bool plain = phases_.Turn(image, windows_.in.strides[2], top, bottom);
    for (int64_t row = top; row < bottom; ++row) {
      const bool inside = row >= 0 && row < windows;
      CopyGrads(inside ? grads + row * windows_.grad.strides[2] : nullptr,
                first_grad_ + (row - top) * pitch_);
    }
    const int64_t begin = std::max<int64_t>(top, 0), end = std::min(bottom, windows);
    if (!plain) {
      for (int64_t row = begin; row < end; ++row) SearchSpecial(row, (row - top) * pitch_);
    } else if (phases_.taps().size() == 9) {
      Search<9>((begin - top) * pitch_, (end - top) * pitch_);
    } else if (phases_.taps().size() == 4) {
      Search<4>((begin - top) * pitch_, (end - top) * pitch_);
    } else {
      Search<0>((begin - top) * pitch_, (end - top) * pitch_);
    }
    for (int64_t y = first; y < last; ++y) {
      const int64_t at = y + rows_.padding;
      const std::vector<Holder> *holders = &holders_[at % stride * columns_.stride];
      // What comes next, if the image does not end before it: memory is idle meanwhile.
      PrefetchRun(image + (y + band_) * windows_.in.strides[2], columns_.size);
      PrefetchRun(grads + (y + band_) / stride * windows_.grad.strides[2], windows_.grad.shape[3]);
      T *row = to + y * windows_.out.strides[2];
      if (columns_.stride == 1) {
        PutRow<1>(holders, (at / stride - top) * pitch_, row);
      } else {
        PutRow<2>(holders, (at / stride - top) * pitch_, row);
      }
    }
  }

  void CopyGrads(const T *from, C *to) const {
    const D d;
    const int64_t count = windows_.grad.shape[3];
    if (from == nullptr) {
      std::fill_n(to, count, C{0});
      return;
    }
    for (int64_t x = 0; x < count; x += kLanes) {
      const int64_t i = std::min(x, count - kLanes);
      hn::StoreU(LoadFloat(d, from + i), d, to + i);
    }
  }

  // Windows [begin, end), none of which has NaN or infinities but those of padding.
  template <size_t kTaps>
  void Search(int64_t begin, int64_t end) const {
    // A copy of few: a store to memory could change the others.
    WindowTap<C> few[kTaps + 1];
    std::copy_n(phases_.taps().data(), kTaps, few);
    const WindowTap<C> *taps = kTaps == 0 ? phases_.taps().data() : few;
    const size_t count = phases_.taps().size();
    Number<C> *to = first_leader_;
    hn::Vec<D> best;
    for (int64_t x = begin; x < end; x += kLanes) {
      hn::StoreU(LeadersOf<LargestNumber, kTaps>(D(), taps, count, x, best), NumberTag<C>(), to + x);
    }
  }

  // A row of any windows. Where nothing is above minus infinity, which padding is too, the first element
  // inside the image leads.
  void SearchSpecial(int64_t row, int64_t begin) const {
    const D d;
    hn::Vec<D> best;
    C largest[kLanes];
    const std::vector<WindowTap<C>> &taps = phases_.taps();
    const int64_t count = windows_.grad.shape[3];
    for (int64_t x = 0; x < count; x += kLanes) {
      Number<C> *to = first_leader_ + begin + x;
      hn::StoreU(LeadersOrNaN(d, taps.data(), taps.size(), begin + x, best), NumberTag<C>(), to);
      hn::StoreU(best, d, largest);
      for (int64_t lane = 0; lane < std::min(kLanes, count - x); ++lane) {
        if (largest[lane] == ColumnPhases<T>::kLowest)
          to[lane] = NumberOf(rows_.First(row), columns_.First(x + lane));
      }
    }
  }

  // A row of the result, whose first position the windows before `at` hold; `holders` of each of its phases.
  template <int64_t kStride>
  void PutRow(const std::vector<Holder> *holders, int64_t at, T *to) const {
    const D d;
    hn::Vec<D> low[2], high[2];
    for (int64_t x = 0; x < columns_.size; x += 2 * kStride * kLanes) {
      Sum(holders[0], at + x / kStride, low);
      if (kStride == 1) {
        Put(low[0], x, to);
        Put(low[1], x + kLanes, to);
      } else {
        Sum(holders[1], at + x / kStride, high);
        Put(hn::InterleaveWholeLower(d, low[0], high[0]), x, to);
        Put(hn::InterleaveWholeUpper(d, low[0], high[0]), x + kLanes, to);
        Put(hn::InterleaveWholeLower(d, low[1], high[1]), x + 2 * kLanes, to);
        Put(hn::InterleaveWholeUpper(d, low[1], high[1]), x + 3 * kLanes, to);
      }
    }
  }

  HWY_INLINE void Sum(const std::vector<Holder> &holders, int64_t at, hn::Vec<D> (&sums)[2]) const {
    const D d;
    const NumberTag<C> numbers;
    const Number<C> *leaders = first_leader_ + at;
    const C *grads = first_grad_ + at;
    auto a = hn::Zero(d), b = a;
    for (const Holder &holder : holders) {
      const auto number = hn::Set(numbers, holder.number);
      const auto in_a = hn::Eq(hn::LoadU(numbers, leaders + holder.at), number);
      const auto in_b = hn::Eq(hn::LoadU(numbers, leaders + holder.at + kLanes), number);
      a = hn::MaskedAddOr(a, hn::RebindMask(d, in_a), a, hn::LoadU(d, grads + holder.at));
      b = hn::MaskedAddOr(b, hn::RebindMask(d, in_b), b, hn::LoadU(d, grads + holder.at + kLanes));
    }
    sums[0] = a;
    sums[1] = b;
  }

  HWY_INLINE void Put(hn::Vec<D> value, int64_t x, T *to) const {
    const D d;
    const int64_t rest = columns_.size - x;
    if (rest < kLanes) {
      if (rest > 0) StoreFirst(value, d, to + x, rest);
    } else if (stream_) {
      StreamFloat(value, d, to + x);
    } else {
      StoreFloat(value, d, to + x);
    }
  }

  const WindowGradients &windows_;
  const WindowAxis rows_, columns_;
  const bool stream_;
  // Elements before those of a row of windows, of such a row; rows of the image and of windows at once.
  const int64_t before_, pitch_, band_, window_rows_;
  ColumnPhases<T> phases_;
  hwy::AlignedVector<C> grads_;
  hwy::AlignedVector<Number<C>> leaders_;
  C *first_grad_;
  Number<C> *first_leader_;
  std::vector<std::vector<Holder>> holders_;
};

template <typename T>
void PoolColumnGradients(const WindowGradients &windows, const ParallelFor &parallel_for) {
  const Shape &shape = windows.out.shape;
  parallel_for(shape[0] * shape[1] * shape[2], GrainOf(shape[3]), [&](int64_t begin, int64_t end) {
    ColumnGradients<T> gradients(windows);
    ForImages(begin, end, shape[2], [&](int64_t image, int64_t first, int64_t last) {
      gradients(image / shape[1], image % shape[1], first, last);
    });
    hwy::FlushStream();
  });
}

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

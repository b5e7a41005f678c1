// SPDX-License-Identifier: Apache-2.0
// Lines of pooling windows whose columns lie side by side in memory. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_COMMON_COLUMN_LINES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_COLUMN_LINES_INL_H_
#undef AVO_OP_CPU_COMMON_COLUMN_LINES_INL_H_
#else
#define AVO_OP_CPU_COMMON_COLUMN_LINES_INL_H_
#endif

#include <algorithm>

#include "op_cpu/pooling/stream-inl.h"
#include "op_cpu/pooling/window_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Images whose neighbours in a vector are columns. A few lines of windows are computed together: what one
// step stores has then left the processor for its cache before the next one loads it, at another alignment.
template <class Op, typename T>
class ColumnLines : WindowLines<Op, T> {
  using Base = WindowLines<Op, T>;
  using Base::columns_, Base::inside_, Base::windows_, Base::Lanes;
  using typename Base::C, typename Base::D, typename Base::Line;

 public:
  explicit ColumnLines(const Windows &windows) : Base(windows) {
    const Tensor &out = windows.out;
    count_ = out.shape[3];
    const int64_t lanes = Lanes(), stride = columns_.stride, kernel = columns_.kernel;
    const int64_t reach = (count_ - 1) * stride + (kernel - 1) * columns_.dilation + 1;
    used_ = std::clamp<int64_t>(reach - columns_.padding, 0, columns_.size);
    windows_apart_ = CeilDiv(reach, stride);
    line_apart_ = windows_apart_ * stride;
    batch_ = std::clamp<int64_t>(kBatched / line_apart_, 1, out.shape[2]);
    // A vector of windows at a time takes as many steps as a window has elements, and stride rows to turn.
    const int64_t vectors = CeilDiv(count_, lanes), turning = stride > kTurned ? reach : 0;
    whole_ = columns_.dilation == 1 && count_ * (kernel / lanes + 8) < kernel * vectors + turning;
    pitch_ = hwy::RoundUpTo(batch_ * windows_apart_, lanes);
    lines_.assign(whole_ ? batch_ * line_apart_ : pitch_ * stride, Base::Identity());
    if (stride > 1 && !whole_) phases_.resize(stride * pitch_);
    const C *first = stride == 1 ? lines_.data() : phases_.data();
    for (int64_t j = 0; j < kernel; ++j) {
      const int64_t element = j * columns_.dilation;
      taps_.push_back(first + element % stride * pitch_ + element / stride);
    }
    stream_ = Base::Streams() && out.strides[3] == 1 && out.strides[2] == count_;
    if (stream_) {
      result_.resize(batch_ * count_);
    } else if (out.strides[3] != 1) {
      result_.resize(count_);
    }
  }

  // Rows [first, last) of one image's windows.
  void operator()(int64_t n, int64_t c, int64_t first, int64_t last) {
    const Tensor &in = windows_.in, &out = windows_.out;
    const T *image = static_cast<const T *>(in.data) + n * in.strides[0] + c * in.strides[1];
    T *to = static_cast<T *>(out.data) + n * out.strides[0] + c * out.strides[1] + first * out.strides[2];
    while (first < last) {
      const int64_t batch = std::min(batch_, last - first);
      for (int64_t i = 0; i < batch; ++i) {
        FoldRows(image, first + i, &lines_[i * line_apart_]);
        Prefetch(image, first + i + batch_);
      }
      if (columns_.stride > 1 && !whole_) Turn(batch * windows_apart_);
      if (stream_) {
        for (int64_t i = 0; i < batch; ++i) FoldColumns(i, first + i, &result_[i * count_]);
        StreamRun(result_.data(), batch * count_, to);
        to += batch * count_;
      } else {
        for (int64_t i = 0; i < batch; ++i, to += out.strides[2]) PutColumns(i, first + i, to);
      }
      first += batch;
    }
  }

 private:
  static constexpr int64_t kBatched = 1024;  // elements of lines
  static constexpr int64_t kTurned = 4;      // the largest stride that vectors have instructions for

  void FoldRows(const T *image, int64_t row, C *line) {
    const int64_t count = Base::Inside(image, row), stride = windows_.in.strides[3];
    line += columns_.padding;
    if (count == 0) {
      std::fill_n(line, used_, Base::Identity());
    } else if (stride == 1) {
      Fold<Op>(D(), inside_.data(), 0, count, used_, AsItIs(), line);
    } else {
      const hn::CappedTag<C, 1> d;
      for (int64_t x = 0; x < used_; ++x) {
        auto all = hn::Set(d, Widen(inside_[0][x * stride]));
        for (int64_t r = 1; r < count; ++r) all = Op::Combine(all, hn::Set(d, Widen(inside_[r][x * stride])));
        line[x] = hn::GetLane(all);
      }
    }
  }

  // The rows that windows of the next batch need and these do not: memory is idle while columns are combined.
  // 1.3 x at AVX-512 for 3 x 5 means of 112 x 112 at strides of 2 and 3.
  void Prefetch(const T *image, int64_t row) const {
    // Behind an image there is most often the next one.
    const int64_t begin = windows_.rows.Start(row), stride = windows_.in.strides[2];
    const int64_t end = begin + std::min(windows_.rows.stride, windows_.rows.kernel);
    if (windows_.in.strides[3] != 1) return;
    for (int64_t y = begin; y < end; ++y) PrefetchRun(image + y * stride, used_);
  }

  void PutColumns(int64_t i, int64_t row, T *to) {
    if (result_.empty()) return FoldColumns(i, row, to);
    FoldColumns(i, row, result_.data());
    for (size_t x = 0; x < result_.size(); ++x) to[x * windows_.out.strides[3]] = result_[x];
  }

  void FoldColumns(int64_t i, int64_t row, T *to) {
    if constexpr (Base::kMean) {
      FoldColumns(i, TimesEach<C>{Base::Factors(row)}, to);
    } else {
      FoldColumns(i, AsItIs(), to);
    }
  }

  template <class Finish>
  void FoldColumns(int64_t i, const Finish &finish, T *to) {
    if (!whole_) {
      Fold<Op>(D(), taps_.data(), i * windows_apart_, taps_.size(), count_, finish, to);
      return;
    }
    const C *start = &lines_[i * line_apart_];
    const hn::CappedTag<C, 1> one;
    for (int64_t x = 0; x < count_; ++x) {
      const C all = FoldRun<Op>(D(), start + x * columns_.stride, columns_.kernel);
      to[x] = Narrow<T>(hn::GetLane(finish(one, hn::Set(one, all), x)));
    }
  }

  // Of all lines, elements `stride` apart become neighbours: `length` of them.
  void Turn(int64_t length) {
    const D d;
    const int64_t lanes = Lanes(), stride = columns_.stride;
    const C *line = lines_.data();
    C *to = phases_.data();
    hn::Vec<D> a, b, c, e;
    if (stride == 2) {
      for (int64_t x = 0; x < length; x += lanes) {
        hn::LoadInterleaved2(d, line + 2 * x, a, b);
        hn::StoreU(a, d, to + x);
        hn::StoreU(b, d, to + pitch_ + x);
      }
    } else if (stride == 3) {
      for (int64_t x = 0; x < length; x += lanes) {
        hn::LoadInterleaved3(d, line + 3 * x, a, b, c);
        hn::StoreU(a, d, to + x);
        hn::StoreU(b, d, to + pitch_ + x);
        hn::StoreU(c, d, to + 2 * pitch_ + x);
      }
    } else if (stride == 4) {
      for (int64_t x = 0; x < length; x += lanes) {
        hn::LoadInterleaved4(d, line + 4 * x, a, b, c, e);
        hn::StoreU(a, d, to + x);
        hn::StoreU(b, d, to + pitch_ + x);
        hn::StoreU(c, d, to + 2 * pitch_ + x);
        hn::StoreU(e, d, to + 3 * pitch_ + x);
      }
    } else {
      const int64_t wanted = columns_.dilation == 1 ? std::min(stride, columns_.kernel) : stride;
      for (int64_t p = 0; p < wanted; ++p) {
        for (int64_t x = 0; x < length; ++x) to[p * pitch_ + x] = line[x * stride + p];
      }
    }
  }

  int64_t count_, used_, windows_apart_, line_apart_, batch_, pitch_;
  bool whole_, stream_;
  Line lines_, phases_;  // phases: elements 0, stride, 2 stride, …; 1, 1 + stride, …
  std::vector<const C *> taps_;
  std::vector<T> result_;
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

// SPDX-License-Identifier: Apache-2.0
// Lines of pooling windows over channels-last images. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_POOLING_CHANNEL_LINES_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_POOLING_CHANNEL_LINES_INL_H_
#undef AVO_OP_CPU_POOLING_CHANNEL_LINES_INL_H_
#else
#define AVO_OP_CPU_POOLING_CHANNEL_LINES_INL_H_
#endif

#include <algorithm>

#include "op_cpu/common/copies/stream_run-inl.h"
#include "op_cpu/common/vectors/transpose-inl.h"
#include "op_cpu/pooling/window_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The lanes of a vector are channels. Where windows share many taps, the rows of a line of windows are
// combined to one line of pixels, with padding at both ends; the columns of each window are then combined
// there.
//
//   2 channels a, b; 3 pixels; padding 1; 3 x 3 windows, stride 2
//
//   line      . .  a0 b0  a1 b1  a2 b2  . .
//   window 0  ^ ^  ^^ ^^  ^^ ^^
//   window 1              ^^ ^^  ^^ ^^  ^ ^
//
// Else all taps of a window are combined where they lie. Measured at AVX-512, this is 2 to 4 x as fast for
// windows that do not overlap.
template <class Op, typename T>
class ChannelLines : WindowLines<Op, T> {
  using Base = WindowLines<Op, T>;
  using Base::columns_, Base::windows_, Base::inside_, Base::Lanes;
  using typename Base::C, typename Base::D, typename Base::Line;

 public:
  // channels: the most that are computed at once.
  ChannelLines(const Windows &windows, int64_t channels)
      : Base(windows),
        in_place_(InPlace(windows)),
        inner_(columns_.Inner(windows.out.shape[3])),
        together_(std::clamp<int64_t>(kStreamed / channels, 1, windows.out.shape[3])),
        channels_(channels) {
    const int64_t reach =
        (windows.out.shape[3] - 1) * columns_.stride + (columns_.kernel - 1) * columns_.dilation + 1;
    if (!in_place_) {
      line_.assign((columns_.padding + std::max(reach, columns_.size)) * channels, Base::Identity());
    }
    if (windows.out.strides[1] != 1) {
      result_.resize(hwy::RoundUpTo(windows.out.shape[3] * channels, Lanes()) + Lanes());
    } else if (Base::Streams()) {
      stream_.resize(together_ * channels);
    }
  }

  // How many channels a line of windows has: all of them, or so many that lines stay in the first cache.
  static int64_t Channels(const Windows &windows) {
    if (InPlace(windows) && windows.out.strides[1] == 1) return windows.in.shape[1];
    const int64_t most = std::max<int64_t>(64, kCached / windows.columns.size / 64 * 64);
    return std::min(windows.in.shape[1], most);
  }

  // Rows [first, last) of the windows of channels [first_channel, first_channel + channels) of image n.
  void operator()(int64_t n, int64_t first_channel, int64_t channels, int64_t first, int64_t last) {
    const Tensor &in = windows_.in, &out = windows_.out;
    const T *image = PlaneOf<T>(in, n, first_channel);
    T *to = PlaneOf<T>(out, n, first_channel);
    if (channels != channels_) {
      // Fewer channels make a shorter line, whose padding lies where pixels were.
      std::fill(line_.begin(), line_.end(), Base::Identity());
      channels_ = channels;
    }
    const int64_t count = out.shape[3], step = out.strides[3];
    for (int64_t row = first; row < last; ++row) {
      T *line = to + row * out.strides[2];
      const int64_t rows = Base::Inside(image, row);
      if (in_place_) {
        if (inner_.first < inner_.end) ListTaps(rows, inner_.first, inner_taps_);
      } else {
        FoldRows(rows);
      }
      if (!stream_.empty()) {
        for (int64_t x = 0; x < count; x += together_) {
          const int64_t end = std::min(count, x + together_);
          FoldColumns(row, x, end, stream_.data(), channels);
          StreamPixels(end - x, line + x * step, step);
        }
      } else if (result_.empty()) {
        FoldColumns(row, 0, count, line, step);
      } else {
        FoldColumns(row, 0, count, result_.data(), channels);
        FromChannelsLast<T>(result_.data(), channels, channels, 1, count, line, {out.strides[1], 0, step});
      }
    }
  }

 private:
  static constexpr int64_t kCached = 8192;    // elements that stay in the first cache
  static constexpr int64_t kStreamed = 4096;  // elements that go around the caches together

  // Whether combining all taps of a window takes fewer steps than combining rows first. Converting half types
  // is a step more, as long as lines stay in the first cache. Many taps of few channels wait for each other,
  // and a sum of many rows is more exact in two steps.
  static bool InPlace(const Windows &windows) {
    const WindowAxis &columns = windows.columns;
    const int64_t rows = windows.rows.kernel, taps = columns.kernel, step = std::min(columns.stride, taps);
    const int64_t channels = windows.in.shape[1];
    const int64_t load = sizeof(T) == 2 && columns.size * channels <= kCached ? 2 : 1;
    return rows <= 8 && (rows * taps <= 9 || channels >= 64) &&
           load * rows * taps <= step * (load * rows + 1) + taps;
  }

  // Combines the first `count` rows of inside_. Pixels that follow each other without gaps are one run.
  void FoldRows(int64_t count) {
    const int64_t stride = windows_.in.strides[3], channels = channels_;
    const int64_t pixels = channels == stride ? columns_.size : 1;
    C *const line = line_.data() + columns_.padding * channels;
    taps_.resize(columns_.kernel);
    for (int64_t j = 0; j < columns_.kernel; ++j) taps_[j] = &line_[j * columns_.dilation * channels];
    if (columns_.kernel < columns_.stride) {
      // Some pixels are in no window.
      for (int64_t w = 0; w < windows_.out.shape[3]; ++w) {
        for (int64_t k = columns_.FirstTap(w); k < columns_.EndTap(w); ++k) {
          const int64_t x = columns_.Start(w) + k * columns_.dilation;
          Base::FoldInside(count, channels, line + x * channels, x * stride);
        }
      }
      return;
    }
    for (int64_t x = 0; x < columns_.size; x += pixels) {
      Base::FoldInside(count, pixels * channels, line + x * channels, x * stride);
    }
  }

  // Lists where the taps of window x in the first `rows` rows of inside_ are.
  void ListTaps(int64_t rows, int64_t x, std::vector<const T *> &taps) const {
    const int64_t stride = windows_.in.strides[3], first = columns_.FirstTap(x), end = columns_.EndTap(x);
    taps.clear();
    for (int64_t r = 0; r < rows; ++r) {
      const T *from = inside_[r] + columns_.Start(x) * stride;
      for (int64_t k = first; k < end; ++k) taps.push_back(from + k * columns_.dilation * stride);
    }
  }

  // Combines the columns of windows [first, last) of a row. step: elements from window to window of the
  // result.
  template <typename To>
  void FoldColumns(int64_t row, int64_t first, int64_t last, To *to, int64_t step) {
    // Neighbouring windows are one run if their divisors are the same. Measured at AVX-512, this is 1.4 x as
    // fast for 3 x 3 means of 64 channels at a stride of 1.
    const bool runs =
        columns_.stride == 1 && step == channels_ && (!in_place_ || windows_.in.strides[3] == channels_);
    for (int64_t x = first, next = first; x < last; x = next, to += (next - first) * step, first = next) {
      const bool inner = inner_.first <= x && x < inner_.end;
      const int64_t end = !runs ? x + 1 : !in_place_ ? last : inner ? std::min(last, inner_.end) : x + 1;
      next = end;
      if constexpr (Base::kMean) {
        const C *factors = Base::Factors(row), factor = factors[x];
        for (next = x + 1; next < end && factors[next] == factor;) ++next;
        FoldWindows(row, x, next - x, inner, TimesOne<C>{factor}, to);
      } else {
        FoldWindows(row, x, next - x, inner, AsItIs(), to);
      }
    }
  }

  // Combines the columns of `count` windows from window x on. inner: whether they lie inside the image.
  template <class Finish, typename To>
  void FoldWindows(int64_t row, int64_t x, int64_t count, bool inner, const Finish &finish, To *to) {
    const int64_t length = count * channels_;
    if (!in_place_) {
      return Fold<Op>(D(), taps_.data(), x * columns_.stride * channels_, taps_.size(), length, finish, to);
    }
    if (inner && !inner_taps_.empty()) {
      const int64_t offset = (x - inner_.first) * columns_.stride * windows_.in.strides[3];
      return Fold<Op>(D(), inner_taps_.data(), offset, inner_taps_.size(), length, finish, to);
    }
    ListTaps(Base::Rows(row), x, border_taps_);
    if (!border_taps_.empty()) {
      return Fold<Op>(D(), border_taps_.data(), 0, border_taps_.size(), length, finish, to);
    }
    const hn::CappedTag<C, 1> one;
    std::fill_n(to, length, Narrow<To>(hn::GetLane(finish(one, Op::Identity(one), 0))));
  }

  void StreamPixels(int64_t count, T *to, int64_t step) const {
    if (step == channels_) return StreamRun(stream_.data(), count * step, to);
    for (int64_t x = 0; x < count; ++x) StreamRun(&stream_[x * channels_], channels_, to + x * step);
  }

  const bool in_place_;
  const WindowSpan inner_;  // the windows whose taps all lie inside the image
  const int64_t together_;  // windows that go around the caches together
  int64_t channels_;        // channels that the padding of the line is written for
  Line line_;
  Line result_;            // results of a line; empty where the result is channels-last
  std::vector<T> stream_;  // results that go around the caches; empty where they do not
  std::vector<const C *> taps_;
  std::vector<const T *> inner_taps_, border_taps_;  // of the first inner window, and of another one
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

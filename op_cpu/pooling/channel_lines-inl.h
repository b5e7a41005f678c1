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

// The lanes of a vector are channels. The rows of a line of windows are combined to one line of pixels, with
// padding at both ends; the columns of each window are then combined there.
//
//   2 channels a, b; 3 pixels; padding 1; 3 x 3 windows, stride 2
//
//   line      . .  a0 b0  a1 b1  a2 b2  . .
//   window 0  ^ ^  ^^ ^^  ^^ ^^
//   window 1              ^^ ^^  ^^ ^^  ^ ^
template <class Op, typename T>
class ChannelLines : WindowLines<Op, T> {
  using Base = WindowLines<Op, T>;
  using Base::columns_, Base::windows_, Base::Lanes;
  using typename Base::C, typename Base::D, typename Base::Line;

 public:
  // channels: the most that are computed at once.
  ChannelLines(const Windows &windows, int64_t channels) : Base(windows), channels_(channels) {
    const int64_t reach =
        (windows.out.shape[3] - 1) * columns_.stride + (columns_.kernel - 1) * columns_.dilation + 1;
    line_.assign((columns_.padding + std::max(reach, columns_.size)) * channels, Base::Identity());
    taps_.resize(columns_.kernel);
    if (windows.out.strides[1] != 1) {
      result_.resize(hwy::RoundUpTo(windows.out.shape[3] * channels, Lanes()) + Lanes());
    } else if (Base::Streams()) {
      stream_.resize(windows.out.shape[3] * channels);
    }
  }

  // How many channels a line of windows has: so many that they stay in the first cache.
  static int64_t Channels(const Windows &windows) {
    constexpr int64_t kCached = 8192;
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
    for (int64_t row = first; row < last; ++row) {
      FoldRows(image, row, channels);
      T *line = to + row * out.strides[2];
      if (!stream_.empty()) {
        FoldColumns(row, channels, stream_.data(), channels);
        StreamRow(channels, line, out.strides[3]);
      } else if (result_.empty()) {
        FoldColumns(row, channels, line, out.strides[3]);
      } else {
        FoldColumns(row, channels, result_.data(), channels);
        FromChannelsLast<T>(result_.data(), channels, channels, 1, out.shape[3], line,
                            {out.strides[1], 0, out.strides[3]});
      }
    }
  }

 private:
  // Combines the rows of a line of windows. Pixels that follow each other without gaps are one run.
  void FoldRows(const T *image, int64_t row, int64_t channels) {
    const int64_t count = Base::Inside(image, row), stride = windows_.in.strides[3];
    const int64_t pixels = channels == stride ? columns_.size : 1;
    C *const line = line_.data() + columns_.padding * channels;
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

  // Combines the columns of each window. step: elements from window to window of the result.
  template <typename To>
  void FoldColumns(int64_t row, int64_t channels, To *to, int64_t step) {
    for (int64_t j = 0; j < columns_.kernel; ++j) taps_[j] = line_.data() + j * columns_.dilation * channels;
    const int64_t count = windows_.out.shape[3], window_step = columns_.stride * channels;
    // Neighbouring windows are one run if their divisors are the same. Measured at AVX-512, this is 1.4 x as
    // fast for 3 x 3 means of 64 channels at a stride of 1.
    const bool runs = columns_.stride == 1 && step == channels;
    for (int64_t x = 0, next = 0; x < count; x = next) {
      next = runs ? count : x + 1;
      if constexpr (Base::kMean) {
        const C *factors = Base::Factors(row), factor = factors[x];
        for (next = x + 1; runs && next < count && factors[next] == factor;) ++next;
        FoldWindows(x * window_step, (next - x) * channels, TimesOne<C>{factor}, to + x * step);
      } else {
        FoldWindows(x * window_step, (next - x) * channels, AsItIs(), to + x * step);
      }
    }
  }

  template <class Finish, typename To>
  void FoldWindows(int64_t offset, int64_t length, const Finish &finish, To *to) {
    Fold<Op>(D(), taps_.data(), offset, taps_.size(), length, finish, to);
  }

  void StreamRow(int64_t channels, T *to, int64_t step) const {
    const int64_t count = windows_.out.shape[3];
    if (step == channels) return StreamRun(stream_.data(), count * channels, to);
    for (int64_t x = 0; x < count; ++x) StreamRun(&stream_[x * channels], channels, to + x * step);
  }

  Line line_;
  Line result_;            // results of a line; empty where the result is channels-last
  std::vector<T> stream_;  // results of a line that go around the caches; empty where they do not
  std::vector<const C *> taps_;
  int64_t channels_;  // channels that the padding of the line is written for
};

}  // namespace avo::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif

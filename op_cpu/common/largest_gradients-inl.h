// SPDX-License-Identifier: Apache-2.0
// Gradients of maxima of windows: the gradient of a window goes to its leader, the first of the largest
// elements or the last NaN. A row of windows is searched for its leaders once; each row of the result then
// asks the windows that it is in. Compiled once for each instruction set.
#if defined(AVO_OP_CPU_COMMON_LARGEST_GRADIENTS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef AVO_OP_CPU_COMMON_LARGEST_GRADIENTS_INL_H_
#undef AVO_OP_CPU_COMMON_LARGEST_GRADIENTS_INL_H_
#else
#define AVO_OP_CPU_COMMON_LARGEST_GRADIENTS_INL_H_
#endif

#include <algorithm>
#include <vector>

#include "hwy/cache_control.h"
#include "op_cpu/common/stream.h"
#include "op_cpu/common/window_gradients-inl.h"

HWY_BEFORE_NAMESPACE();
namespace avo::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Numbers of elements, of as many bits as what is computed with.
template <typename C>
using NumberTag = hn::RebindToSigned<hn::ScalableTag<C>>;
template <typename C>
using Number = hn::TFromD<NumberTag<C>>;

// An element of windows side by side: where those of all windows begin, and its number in a window.
template <typename From>
struct WindowTap {
  const From *from;
  Number<Compute<From>> number;
};

// A maximum of what is known to be numbers.
struct LargestNumber {
  template <class V>
  static HWY_INLINE V Combine(V a, V b) {
    return hn::Max(a, b);
  }
};

// The numbers of the leaders of Lanes(d) windows, and the largest elements. First these alone, then which
// element is it, from the last to the first: 5 instructions an element at AVX-512 instead of 12, and 4 where
// none is NaN.
template <class Op, size_t kTaps, class D, typename From>
HWY_INLINE hn::Vec<hn::RebindToSigned<D>> LeadersOf(D d, const WindowTap<From> *taps, size_t count,
                                                    int64_t offset, hn::Vec<D> &best) {
  const hn::RebindToSigned<D> numbers;
  if (kTaps != 0) count = kTaps;
  best = LoadFloat(d, taps[0].from + offset);
#pragma GCC unroll 9
  for (size_t k = 1; k < count; ++k) best = Op::Combine(best, LoadFloat(d, taps[k].from + offset));
  auto leader = hn::Set(numbers, taps[count - 1].number);
#pragma GCC unroll 9
  for (size_t k = 1; k < count; ++k) {
    const WindowTap<From> &tap = taps[count - 1 - k];
    const auto leads = hn::RebindMask(numbers, hn::Eq(LoadFloat(d, tap.from + offset), best));
    leader = hn::IfThenElse(leads, hn::Set(numbers, tap.number), leader);
  }
  return leader;
}

// The same where some elements may be NaN.
template <class D, typename From>
HWY_INLINE hn::Vec<hn::RebindToSigned<D>> LeadersOrNaN(D d, const WindowTap<From> *taps, size_t count,
                                                       int64_t offset, hn::Vec<D> &best) {
  const hn::RebindToSigned<D> numbers;
  auto leader = LeadersOf<Largest, 0>(d, taps, count, offset, best);
  if (HWY_LIKELY(hn::AllTrue(d, hn::Eq(best, best)))) return leader;
  for (size_t k = 0; k < count; ++k) {
    const auto nan = hn::RebindMask(numbers, hn::IsNaN(LoadFloat(d, taps[k].from + offset)));
    leader = hn::IfThenElse(nan, hn::Set(numbers, taps[k].number), leader);
  }
  return leader;
}

// Neighbours in a vector are channels.
template <typename T>
class LargestGradients {
  using C = Compute<T>;
  using D = hn::ScalableTag<C>;

 public:
  explicit LargestGradients(const WindowGradients &windows)
      : windows_(windows),
        kept_(CeilDiv(windows.rows.Reach(), windows.rows.stride)),
        images_(windows.in, windows.rows.Reach()),
        grads_(windows.grad, kept_),
        rows_(windows.rows, windows.grad.shape[2]),
        columns_(windows.columns, windows.grad.shape[3]),
        line_(windows.grad.shape[3] * kGradientBlock<T>),
        row_(windows.out.shape[3] * kGradientBlock<T>),
        leaders_(kept_ * line_),
        held_(kept_) {}

  void Select(int64_t n, int64_t first_channel, int64_t channels) {
    images_.Select(n, first_channel, channels);
    grads_.Select(n, first_channel, channels);
    std::fill(held_.begin(), held_.end(), -1);
  }

  // Row y of the gradient of the selected channels.
  const C *Row(int64_t y) {
    const auto [first, last] = rows_.Of(y);
    lines_.clear();
    for (const WindowElement *row = first; row != last; ++row) {
      lines_.push_back({Leaders(row->window), grads_[row->window], row->element * windows_.columns.kernel});
    }
    const int64_t step = grads_.Step();
    const D d;
    const NumberTag<C> numbers;
    C *to = row_.data();
    for (int64_t x = 0; x < windows_.out.shape[3]; ++x, to += kGradientBlock<T>) {
      const auto [begin, end] = columns_.Of(x);
      for (int64_t c = 0; c < kGradientBlock<T>; c += hn::Lanes(d)) {
        auto sum = hn::Zero(d);
        for (const Line &line : lines_) {
          for (const WindowElement *column = begin; column != end; ++column) {
            const auto leader = hn::Load(numbers, line.leaders + column->window * kGradientBlock<T> + c);
            const auto number = hn::Set(numbers, static_cast<Number<C>>(line.number + column->element));
            const auto grad = LoadFloat(d, line.grads + column->window * step + c);
            sum = hn::MaskedAddOr(sum, hn::RebindMask(d, hn::Eq(leader, number)), sum, grad);
          }
        }
        hn::Store(sum, d, to + c);
      }
    }
    return row_.data();
  }

 private:
  // Leaders of a row of windows, at least one row of which lies inside the image.
  const Number<C> *Leaders(int64_t row) {
    const int64_t slot = row % kept_;
    Number<C> *to = leaders_.data() + slot * line_;
    if (held_[slot] == row) return to;
    held_[slot] = row;
    const WindowAxis &rows = windows_.rows, &columns = windows_.columns;
    int64_t held_first = -1, held_last = -1;
    for (int64_t x = 0; x < windows_.grad.shape[3]; ++x, to += kGradientBlock<T>) {
      const int64_t first = columns.First(x), last = columns.Last(x), step = images_.Step();
      if (first >= last) continue;
      if (first != held_first || last != held_last) {
        taps_.clear();
        for (int64_t i = rows.First(row); i < rows.Last(row); ++i) {
          const T *line = images_[rows.Start(row) + i * rows.dilation];
          for (int64_t j = first; j < last; ++j) {
            taps_.push_back(
                {line + j * columns.dilation * step, static_cast<Number<C>>(i * columns.kernel + j)});
          }
        }
        held_first = first;
        held_last = last;
      }
      for (int64_t c = 0; c < kGradientBlock<T>; c += hn::Lanes(D())) {
        const int64_t offset = columns.Start(x) * step + c;
        hn::Vec<D> best;
        hn::Store(LeadersOrNaN(D(), taps_.data(), taps_.size(), offset, best), NumberTag<C>(), to + c);
      }
    }
    return leaders_.data() + slot * line_;
  }

  // A row of windows that a row of the image is in, and the number of its first element in them.
  struct Line {
    const Number<C> *leaders;
    const T *grads;
    int64_t number;
  };

  const WindowGradients &windows_;
  const int64_t kept_;
  PixelRows<T> images_, grads_;
  const WindowCover rows_, columns_;
  const int64_t line_;
  hwy::AlignedVector<C> row_;
  hwy::AlignedVector<Number<C>> leaders_;
  std::vector<int64_t> held_;
  std::vector<Line> lines_;
  std::vector<WindowTap<T>> taps_;
};

// Neighbours in a vector are columns, at strides of 1 and 2. Some rows at a time are turned, so that windows
// side by side find their elements side by side: positions whose rows are as far from a row of windows, and
// columns from a column of them, make up a phase, `pitch` elements a row. All windows are then one run, and
// an element of them is at a fixed distance from it; elements beside the image are minus infinity, windows
// beside the others have no gradient. 1.4 x at AVX-512 for 3 x 3 windows of 112 x 112 at strides of 2, 1.7 x
// for 2 x 2, of channels turned into tiles.
template <typename T>
class ColumnGradients {
  using C = Compute<T>;
  using D = hn::ScalableTag<C>;
  static constexpr int64_t kLanes = hn::MaxLanes(D());

 public:
  explicit ColumnGradients(const WindowGradients &windows)
      : windows_(windows), rows_(windows.rows), columns_(windows.columns), stream_(Streams(windows.out)) {
    constexpr int64_t kBand = 4096;  // elements that stay in the first cache with all that is made of them
    const int64_t stride = columns_.stride;
    const int64_t before = (columns_.Reach() - 1) / stride;
    pitch_ = std::max(windows.grad.shape[3], (columns_.padding + columns_.size - 1) / stride + 1) + before;
    band_ = std::min(rows_.size, std::max(kBand / columns_.size, 4 * rows_.Reach()));
    const int64_t window_rows = (band_ + rows_.Reach() - 2) / rows_.stride + 2;
    phase_ = (window_rows + (rows_.Reach() - 1) / rows_.stride) * pitch_ + kLanes;
    turned_.assign(rows_.stride * stride * phase_, kLowest);
    const int64_t margin = hwy::RoundUpTo(before, kLanes);
    grads_.assign(margin + window_rows * pitch_ + 4 * kLanes, C{0});
    leaders_.assign(grads_.size(), 0);
    first_grad_ = grads_.data() + margin;
    first_leader_ = leaders_.data() + margin;
    for (int64_t i = 0; i < rows_.kernel; ++i) {
      for (int64_t j = 0; j < columns_.kernel; ++j) {
        const int64_t y = i * rows_.dilation, x = j * columns_.dilation;
        const C *phase = turned_.data() + (y % rows_.stride * stride + x % stride) * phase_;
        taps_.push_back({phase + y / rows_.stride * pitch_ + x / stride, NumberOf(i, j)});
      }
    }
    for (int64_t y = 0; y < rows_.stride; ++y) {
      for (int64_t x = columns_.padding; x < columns_.padding + stride; ++x) AddHolders(y, x);
    }
  }

  static bool Suit(const WindowGradients &windows) {
    const int64_t stride = windows.columns.stride;
    return windows.in.strides[3] == 1 && windows.grad.strides[3] == 1 && windows.out.strides[3] == 1 &&
           stride <= 2 && windows.grad.shape[3] >= kLanes && windows.in.shape[3] >= stride * kLanes;
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
  static constexpr C kLowest = -std::numeric_limits<C>::infinity();

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
    bool plain = true;
    for (int64_t i = 0; i < std::min(stride, rows_.Reach()); ++i) {
      C *line = turned_.data() + i * columns_.stride * phase_;
      const int64_t start = rows_.Start(top) + i, end = rows_.Start(bottom - 1) + rows_.Reach();
      for (int64_t y = start; y < end; y += stride, line += pitch_) {
        plain &= Turn(y < 0 || y >= rows_.size ? nullptr : image + y * windows_.in.strides[2], line);
      }
    }
    for (int64_t row = top; row < bottom; ++row) {
      const bool inside = row >= 0 && row < windows;
      CopyGrads(inside ? grads + row * windows_.grad.strides[2] : nullptr,
                first_grad_ + (row - top) * pitch_);
    }
    const int64_t begin = std::max<int64_t>(top, 0), end = std::min(bottom, windows);
    if (!plain) {
      for (int64_t row = begin; row < end; ++row) SearchSpecial(row, (row - top) * pitch_);
    } else if (taps_.size() == 9) {
      Search<9>((begin - top) * pitch_, (end - top) * pitch_);
    } else if (taps_.size() == 4) {
      Search<4>((begin - top) * pitch_, (end - top) * pitch_);
    } else {
      Search<0>((begin - top) * pitch_, (end - top) * pitch_);
    }
    for (int64_t y = first; y < last; ++y) {
      const int64_t at = y + rows_.padding;
      const std::vector<Holder> *holders = &holders_[at % stride * columns_.stride];
      // Memory is idle meanwhile.
      Prefetch(image + (y + band_) * windows_.in.strides[2], columns_.size);
      Prefetch(grads + (y + band_) / stride * windows_.grad.strides[2], windows_.grad.shape[3]);
      T *row = to + y * windows_.out.strides[2];
      if (columns_.stride == 1) {
        PutRow<1>(holders, (at / stride - top) * pitch_, row);
      } else {
        PutRow<2>(holders, (at / stride - top) * pitch_, row);
      }
    }
  }

  // What comes next, if the image does not end before it; a prefetch may go anywhere.
  static void Prefetch(const T *row, int64_t length) {
    for (int64_t x = 0; x < length; x += 64 / sizeof(T)) hwy::Prefetch(row + x);
  }

  // A row of the image, or one beside it, to its phases. Whether it has neither NaN nor infinities, of which
  // the product with zero is NaN.
  bool Turn(const T *from, C *to) const {
    const D d;
    const int64_t stride = columns_.stride, width = columns_.size, padding = columns_.padding;
    if (from == nullptr) {
      for (int64_t i = 0; i < stride; ++i) std::fill_n(to + i * phase_, pitch_, kLowest);
      return true;
    }
    C *low = to + padding % stride * phase_ + padding / stride;
    C *high = to + (padding + 1) % stride * phase_ + (padding + 1) / stride;
    const auto zero = hn::Zero(d);
    auto products = zero;
    // The last vectors overlap those before them.
    if (stride == 1) {
      for (int64_t x = 0; x < width; x += kLanes) {
        const int64_t i = std::min(x, width - kLanes);
        const auto a = LoadFloat(d, from + i);
        products = hn::MulAdd(a, zero, products);
        hn::StoreU(a, d, low + i);
      }
      return hn::AllTrue(d, hn::Eq(products, zero));
    }
    const int64_t half = width / 2;
    for (int64_t x = 0; x < half; x += kLanes) {
      const int64_t i = std::min(x, half - kLanes);
      const auto a = LoadFloat(d, from + 2 * i), b = LoadFloat(d, from + 2 * i + kLanes);
      products = hn::MulAdd(b, zero, hn::MulAdd(a, zero, products));
      hn::StoreU(hn::ConcatEven(d, b, a), d, low + i);
      hn::StoreU(hn::ConcatOdd(d, b, a), d, high + i);
    }
    if (width % 2 == 1) {
      low[half] = Widen(from[width - 1]);
      products = hn::MulAdd(hn::Set(d, low[half]), zero, products);
    }
    return hn::AllTrue(d, hn::Eq(products, zero));
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
    std::copy_n(taps_.data(), kTaps, few);
    const WindowTap<C> *taps = kTaps == 0 ? taps_.data() : few;
    const size_t count = taps_.size();
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
    const int64_t count = windows_.grad.shape[3];
    for (int64_t x = 0; x < count; x += kLanes) {
      Number<C> *to = first_leader_ + begin + x;
      hn::StoreU(LeadersOrNaN(d, taps_.data(), taps_.size(), begin + x, best), NumberTag<C>(), to);
      hn::StoreU(best, d, largest);
      for (int64_t lane = 0; lane < std::min(kLanes, count - x); ++lane) {
        if (largest[lane] == kLowest) to[lane] = NumberOf(rows_.First(row), columns_.First(x + lane));
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
  int64_t pitch_, band_, phase_;  // elements of a row of a phase, rows turned at once, elements of a phase
  hwy::AlignedVector<C> turned_, grads_;
  hwy::AlignedVector<Number<C>> leaders_;
  C *first_grad_;
  Number<C> *first_leader_;
  std::vector<WindowTap<C>> taps_;
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

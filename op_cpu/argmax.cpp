// SPDX-License-Identifier: Apache-2.0
#include "op_host/argmax_args.h"

#include <vector>

#include "common/scan.h"

namespace avo::argmax {
namespace {

template <typename Key>
struct Leader {
  Key best{};
  int64_t index = -1;

  // Whether `key`, behind those before it, takes the lead; the first NaN keeps it.
  bool Loses(Key key, bool last) const {
    return best == best && (key != key || key > best || (last && key == best));
  }
  void Offer(Key key, int64_t at, bool last) {
    if (index < 0 || Loses(key, last)) *this = {key, at};
  }
};

// Of contiguous elements. Blocks are searched only where their maximum, a vector loop, takes the lead.
template <typename T>
auto SearchLine(const T *line, int64_t length, bool last) {
  using Key = Compute<T>;
  constexpr int64_t kLanes = 32, kBlock = 2048;
  Leader<Key> leader;
  for (int64_t begin = 0; begin < length; begin += kBlock) {
    const int64_t count = std::min(kBlock, length - begin), whole = count / kLanes * kLanes;
    if (whole > 0 && leader.index >= 0) {
      Key top[kLanes];
      unsigned char unordered[kLanes] = {};
      for (int64_t j = 0; j < kLanes; ++j) top[j] = Widen(line[begin + j]);
      for (int64_t i = 0; i < whole; i += kLanes) {
        for (int64_t j = 0; j < kLanes; ++j) {
          const Key key = Widen(line[begin + i + j]);
          top[j] = key > top[j] ? key : top[j];
          unordered[j] |= key != key;
        }
      }
      bool loses = false;
      for (int64_t j = 0; j < kLanes; ++j) loses |= unordered[j] != 0 || leader.Loses(top[j], last);
      if (!loses) {
        for (int64_t i = whole; i < count; ++i) leader.Offer(Widen(line[begin + i]), begin + i, last);
        continue;
      }
    }
    for (int64_t i = 0; i < count; ++i) leader.Offer(Widen(line[begin + i]), begin + i, last);
    if (leader.best != leader.best) break;
  }
  return leader;
}

// All elements in row-major order.
template <typename T>
int64_t SearchAll(const Tensor &in, bool last, const ParallelFor &parallel_for) {
  constexpr int64_t kPart = 1 << 16;
  const int64_t elements = in.numel();
  const T *dense = static_cast<const T *>(in.data);
  std::vector<T> copy;
  if (in.strides != ContiguousStrides(in.shape)) {
    copy.reserve(elements);
    Shape at(in.shape.size(), 0);
    for (int64_t i = 0; i < elements; ++i) {
      int64_t offset = 0;
      for (size_t d = 0; d < at.size(); ++d) offset += at[d] * in.strides[d];
      copy.push_back(dense[offset]);
      for (size_t d = at.size(); d-- > 0 && ++at[d] == in.shape[d];) at[d] = 0;
    }
    dense = copy.data();
  }
  using Found = decltype(SearchLine(dense, 0, last));
  std::vector<Found> parts((elements + kPart - 1) / kPart);
  parallel_for(static_cast<int64_t>(parts.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t p = begin; p < end; ++p) {
      parts[p] = SearchLine(dense + p * kPart, std::min(kPart, elements - p * kPart), last);
      parts[p].index += p * kPart;
    }
  });
  Found leader;
  for (const Found &part : parts) leader.Offer(part.best, part.index, last);
  return leader.index;
}

// Along `axis`; `out` has the shape of `in`, and one element for all of a line.
template <typename T, typename I>
void SearchLines(const Tensor &in, const Tensor &out, int64_t axis, bool last,
                 const ParallelFor &parallel_for) {
  using Key = Compute<T>;
  const auto search = [&](const auto &offsets, const auto &steps, int64_t lines, int64_t length) {
    const T *from = static_cast<const T *>(in.data) + offsets[0];
    I *to = static_cast<I *>(out.data) + offsets[1];
    const int64_t stride = in.strides[axis];
    if (stride == 1) {
      for (int64_t j = 0; j < lines; ++j) {
        to[j * steps[1]] = static_cast<I>(SearchLine(from + j * steps[0], length, last).index);
      }
      return;
    }
    Key best[kLineBlock];
    I index[kLineBlock] = {};
    for (int64_t j = 0; j < lines; ++j) best[j] = Widen(from[j * steps[0]]);
    const auto walk = [&](auto contiguous) {
      for (int64_t i = 1; i < length; ++i) {
        const T *element = from + i * stride;
        for (int64_t j = 0; j < lines; ++j) {
          const Key key = Widen(element[contiguous ? j : j * steps[0]]);
          const bool larger = (key > best[j]) | (last & (key == best[j])) | (key != key);
          const bool loses = larger & (best[j] == best[j]);
          best[j] = loses ? key : best[j];
          index[j] = loses ? static_cast<I>(i) : index[j];
        }
      }
    };
    if (steps[0] == 1) {
      walk(std::true_type());
    } else {
      walk(std::false_type());
    }
    for (int64_t j = 0; j < lines; ++j) to[j * steps[1]] = index[j];
  };
  ForLines<2>({&in, &out}, axis, parallel_for, search);
}

}  // namespace

void RunCpu(const Args &args, const ParallelFor &parallel_for) {
  const Tensor &in = args.self;
  const int64_t rank = in.rank(), axis = WrapDimension(args.dim, rank);
  const bool all = axis < 0 || axis >= rank;
  // The result as a tensor of the input's shape.
  Tensor out = args.out;
  if (!all && !args.keepdim) out.strides.insert(out.strides.begin() + axis, 0);
  out.shape = in.shape;
  DispatchElement(in.dtype, [&](auto element) {
    using T = decltype(element);
    const auto run = [&](auto index) {
      using I = decltype(index);
      if (all || rank == 1) {
        *static_cast<I *>(out.data) = static_cast<I>(SearchAll<T>(in, args.select_last_index, parallel_for));
      } else {
        SearchLines<T, I>(in, out, axis, args.select_last_index, parallel_for);
      }
    };
    if (out.dtype == DType::kInt32) {
      run(int32_t{});
    } else {
      run(int64_t{});
    }
  });
}

}  // namespace avo::argmax

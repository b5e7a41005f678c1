// SPDX-License-Identifier: Apache-2.0
// Copies that consist of several DataCopyPad: slices of tensors with several dimensions, and NZ to ND.
#pragma once

#include <vector>

#include "copy.h"

namespace sim {

// The pieces of one row: `count` runs of `length` elements, with `gap` elements from the end of a run to the
// start of the next. `starts` are the rows' first elements, counted from the start of the tensor.
//
//   startIndex            endIndex           {16, 70, 7, 3, 87} of float: 2 runs of 24 elements
//   ....|burst|gap|burst|gap|burst|....      The dimensions above count rows in the same way, in runs of one.
struct Slices {
  std::vector<uint64_t> starts;
  uint64_t count = 0;
  uint64_t length = 0;
  uint64_t gap = 0;
};

template <typename T, typename Tensor>
Slices SlicesOf(const char *parameter, const Tensor &tensor, const AscendC::SliceInfo info[],
                uint32_t dimensions, Where where) {
  Core &core = Core::Current();
  const AscendC::SliceInfo &inner = info[0];
  Slices slices;
  slices.length = uint64_t{inner.burstLen} * kBlockBytes / sizeof(T);
  slices.gap = inner.stride;
  slices.starts = {inner.startIndex};
  uint64_t pitch = 1;
  for (uint32_t d = 0; d < dimensions; ++d) {
    if (info[d].endIndex < info[d].startIndex || info[d].burstLen == 0 || (d > 0 && info[d].burstLen != 1)) {
      core.Fail(FaultKind::kStride, "DataCopy", where,
                std::string(parameter) + "[" + std::to_string(d) +
                    "] must have endIndex >= startIndex and burstLen " + (d > 0 ? "1" : ">= 1") + ", got " +
                    std::to_string(info[d].startIndex) + ", " + std::to_string(info[d].endIndex) + ", " +
                    std::to_string(info[d].burstLen));
    }
    const uint64_t elements = info[d].endIndex - info[d].startIndex + 1;
    const uint64_t run = d == 0 ? slices.length : 1;
    const uint64_t runs = (elements + info[d].stride) / (run + info[d].stride);
    if (d == 0) {
      slices.count = runs;
    } else {
      std::vector<uint64_t> all;
      for (uint64_t i = 0; i < runs; ++i) {
        const uint64_t skip = pitch * (info[d].startIndex + i * (run + info[d].stride));
        for (const uint64_t start : slices.starts) all.push_back(skip + start);
      }
      slices.starts = all;
    }
    pitch *= info[d].shapeValue != 0 ? info[d].shapeValue : tensor.GetShapeInfo().shape[d];
  }
  return slices;
}

// One DataCopyPad for each row, into UB or out of it.
template <typename T, typename D, typename S>
void CopySlices(const D &dst, const S &src, const AscendC::SliceInfo to[], const AscendC::SliceInfo from[],
                uint32_t dimensions, Where where) {
  CheckRange(Core::Current(), FaultKind::kOther, "DataCopy", where, "dimValue", dimensions, 1,
             AscendC::K_MAX_SHAPE_DIM);
  constexpr bool kIn = std::is_same_v<S, AscendC::GlobalTensor<T>>;
  const Slices target = SlicesOf<T>("dstSliceInfo", dst, to, dimensions, where);
  const Slices source = SlicesOf<T>("srcSliceInfo", src, from, dimensions, where);
  if (target.starts.size() != source.starts.size() || target.count != source.count ||
      target.length != source.length) {
    Core::Current().Fail(FaultKind::kOther, "DataCopy", where,
                         "dstSliceInfo and srcSliceInfo must choose as many runs of one length");
  }
  const auto gap = [](const Slices &slices, bool in_ub) {
    return static_cast<uint32_t>(slices.gap * sizeof(T) / (in_ub ? kBlockBytes : 1));
  };
  const AscendC::DataCopyExtParams params(static_cast<uint16_t>(source.count),
                                          static_cast<uint32_t>(source.length * sizeof(T)), gap(source, !kIn),
                                          gap(target, kIn), 0);
  for (size_t i = 0; i < source.starts.size(); ++i) {
    if constexpr (kIn) {
      CopyPadIn("DataCopy", dst[static_cast<uint32_t>(target.starts[i])], src[source.starts[i]], params,
                AscendC::DataCopyPadExtParams<T>(), where);
    } else {
      CopyPadOut("DataCopy", dst[target.starts[i]], src[static_cast<uint32_t>(source.starts[i])], params,
                 where);
    }
  }
}

// Copies matrices that lie as columns of 16 elements (NZ) in UB to rows in GM (ND): a DataCopyPad for each
// column of 16.
template <typename T>
void CopyNzToNd(const AscendC::GlobalTensor<T> &dst, const AscendC::LocalTensor<T> &src,
                const AscendC::Nz2NdParamsFull &params, Where where) {
  constexpr uint32_t kWidth = 16;
  Core &core = Core::Current();
  static_assert(sizeof(T) == 2 || sizeof(T) == 4, "DataCopy: NZ to ND takes elements of 2 or 4 bytes");
  CheckRange(core, FaultKind::kStride, "DataCopy", where, "ndNum", params.ndNum, 0, 4095);
  CheckRange(core, FaultKind::kStride, "DataCopy", where, "nValue", params.nValue, 1, 8192);
  CheckRange(core, FaultKind::kStride, "DataCopy", where, "dValue", params.dValue, 1, 8192);
  if (params.dValue % kWidth != 0) {
    FailRange(core, FaultKind::kStride, "DataCopy", where, "dValue", "a multiple of 16", params.dValue);
  }
  constexpr uint32_t kRows = 4095;
  for (uint32_t matrix = 0; matrix < params.ndNum; ++matrix) {
    for (uint32_t column = 0; column < params.dValue; column += kWidth) {
      for (uint32_t row = 0; row < params.nValue; row += kRows) {
        const auto rows = static_cast<uint16_t>(std::min(kRows, params.nValue - row));
        const uint64_t to =
            uint64_t{matrix} * params.dstNdMatrixStride + uint64_t{row} * params.dstDStride + column;
        const uint32_t from =
            matrix * params.srcNdMatrixStride * kWidth * kWidth + column * params.srcNStride + row * kWidth;
        CopyPadOut("DataCopy", dst[to], src[from],
                   {rows, static_cast<uint32_t>(kWidth * sizeof(T)), 0,
                    static_cast<uint32_t>((params.dstDStride - kWidth) * sizeof(T)), 0},
                   where);
      }
    }
  }
}

}  // namespace sim

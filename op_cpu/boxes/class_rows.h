// SPDX-License-Identifier: Apache-2.0
// Results of a suppression in each class of each image: rows of indices. How many rows there are depends on
// the data.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <vector>

#include "op_cpu/common/parallel/parallel.h"
#include "op_host/common/tensors/tensor.h"

namespace avo {

template <size_t kColumns>
using IndexRows = std::vector<std::array<int64_t, kColumns>>;

// Calls find(image, class, boxes, scores, rows) for each class of scores (N, C, L), on all threads, with the
// boxes of the image (L, …) and the scores of the class (L). Stores the rows that it adds in `to`, those of
// one class after the other, and then rows of -1; and their number in `count`.
template <size_t kColumns, typename Find>
void FindInClasses(const Tensor &boxes, const Tensor &scores, const Tensor &to, const Tensor &count,
                   const ParallelFor &parallel_for, const Find &find) {
  const int64_t classes = scores.shape[1];
  // Without boxes, there may be any number of classes.
  std::vector<IndexRows<kColumns>> found(scores.numel() == 0 ? 0 : scores.shape[0] * classes);
  parallel_for(static_cast<int64_t>(found.size()), 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t image = i / classes, each = i % classes;
      Tensor own_boxes{boxes.dtype,
                       {boxes.shape[1], boxes.shape[2]},
                       {boxes.strides[1], boxes.strides[2]},
                       static_cast<char *>(boxes.data) + image * boxes.strides[0] * DTypeSize(boxes.dtype)};
      Tensor own_scores{scores.dtype,
                        {scores.shape[2]},
                        {scores.strides[2]},
                        static_cast<char *>(scores.data) +
                            (image * scores.strides[0] + each * scores.strides[1]) * DTypeSize(scores.dtype)};
      find(image, each, own_boxes, own_scores, &found[i]);
    }
  });
  auto *data = static_cast<int64_t *>(to.data);
  int64_t row = 0;
  const auto store = [&](const std::array<int64_t, kColumns> &values) {
    for (size_t k = 0; k < kColumns; ++k)
      data[row * to.strides[0] + static_cast<int64_t>(k) * to.strides[1]] = values[k];
    ++row;
  };
  for (const IndexRows<kColumns> &rows : found) std::for_each(rows.begin(), rows.end(), store);
  *static_cast<int64_t *>(count.data) = row;
  std::array<int64_t, kColumns> none;
  none.fill(-1);
  while (row < to.shape[0]) store(none);
}

}  // namespace avo

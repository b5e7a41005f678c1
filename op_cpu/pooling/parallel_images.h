// SPDX-License-Identifier: Apache-2.0
// Images that threads compute side by side.
#pragma once

#include <algorithm>
#include <cstdint>

#include "hwy/cache_control.h"
#include "op_cpu/common/parallel/parallel.h"
#include "op_host/common/tiling/math.h"

namespace avo {

// Splits `images` images of `rows` rows each among threads, at least `grain` rows for each. A thread makes a
// worker with make(), then calls body(worker, image, first row, end row) for each image that it has rows of.
template <class Make, class Body>
void ParallelImages(int64_t images, int64_t rows, int64_t grain, const ParallelFor &parallel_for,
                    const Make &make, const Body &body) {
  parallel_for(images * rows, grain, [&](int64_t begin, int64_t end) {
    auto worker = make();
    for (int64_t image = begin / rows; begin < end; ++image) {
      const int64_t first = begin - image * rows, last = std::min(rows, end - image * rows);
      body(worker, image, first, last);
      begin += last - first;
    }
    hwy::FlushStream();
  });
}

// The same for blocks of `block` channels of (images, channels) planes of `rows` rows. A worker is called
// with the image, the first channel, how many there are, and the rows.
template <class Make>
void ParallelBlocks(int64_t images, int64_t channels, int64_t block, int64_t rows, int64_t grain,
                    const ParallelFor &parallel_for, const Make &make) {
  const int64_t blocks = CeilDiv(channels, block);
  ParallelImages(images * blocks, rows, grain, parallel_for, make,
                 [&](auto &worker, int64_t image, int64_t first, int64_t last) {
                   const int64_t channel = image % blocks * block;
                   worker(image / blocks, channel, std::min(block, channels - channel), first, last);
                 });
}

// ParallelImages where a worker is made of `problem`, and called with the image and the rows.
template <class Worker, class Problem>
void ParallelImages(const Problem &problem, int64_t images, int64_t rows, int64_t grain,
                    const ParallelFor &parallel_for) {
  ParallelImages(
      images, rows, grain, parallel_for, [&] { return Worker(problem); },
      [](Worker &worker, int64_t image, int64_t first, int64_t last) { worker(image, first, last); });
}

}  // namespace avo

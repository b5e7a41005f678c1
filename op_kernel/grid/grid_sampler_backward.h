// SPDX-License-Identifier: Apache-2.0
// Both gradients of grid samples. No two cores add to the same element, and every sum has a fixed order.
//   1. The cores list the neighbours of each sample, and their weights (grid_terms.h). They copy the
//      gradients of the samples channels-last into the workspace, and the images where step 2 reads windows.
//   2. Gradient of the grid: a core works on tiles of samples. For each neighbour of a sample it multiplies
//      the gradient of the sample with the neighbour and adds the products up over the channels. It adds up
//      these sums, times the derivatives of the weights. Bilinear samples with many channels read windows of
//      channels (grid_window_gradient.h), others boxes of planes (grid_gradient.h).
//   3. Gradient of the images: a core owns bands of pixels. It searches the lists for them, and adds the
//      gradients of these samples (pixel_bands.h).
#pragma once

#include "../common/sampling/pixel_bands.h"
#include "grid_sampler_backward_tiling.h"
#include "grid_terms.h"
#include "grid_window_gradient.h"

template <typename T, uint32_t KEY>
class GridSamplerBackward {
 public:
  __aicore__ inline void Init(GM_ADDR grad_output, GM_ADDR input, GM_ADDR grid, GM_ADDR grad_input,
                              GM_ADDR grad_grid, GM_ADDR workspace, const GridSamplerBackwardTiling &tiling,
                              AscendC::TPipe *pipe) {
    tiling_ = tiling;
    pipe_ = pipe;
    grad_output_ = grad_output;
    input_ = input;
    grid_ = grid;
    grad_input_ = grad_input;
    grad_grid_ = grad_grid;
    workspace_ = workspace;
  }

  __aicore__ inline void Process() {
    const bool terms = tiling_.gradInput != 0 && tiling_.bands.rows > 0;
    if (terms) ListTerms();
    // A copy waits for all cores at its end.
    if (tiling_.windows != 0) Copy(input_, workspace_ + tiling_.inputs, tiling_.input);
    if (terms || tiling_.windows != 0) Copy(grad_output_, workspace_, tiling_.grads);
    if (tiling_.windows != 0) {
      avo::GridWindowGradient<T> of_grid;
      of_grid.Init(workspace_, workspace_ + tiling_.inputs, grid_, grad_grid_, tiling_, pipe_);
      of_grid.Process();
      avo::ReleaseBuffers(pipe_);
    } else if (tiling_.gradGrid != 0) {
      avo::GridGradient<T> of_grid;
      of_grid.Init(grad_output_, input_, grid_, grad_grid_, tiling_, pipe_);
      of_grid.Process();
      avo::ReleaseBuffers(pipe_);
    }
    if (tiling_.gradInput != 0) AddRows();
  }

 private:
  __aicore__ inline void Copy(GM_ADDR from, GM_ADDR to, const avo::ImageCopy &layout) {
    avo::ToChannelsLast<T> copy;
    copy.Init(from, to, layout, pipe_);
    copy.Process(pipe_);
  }

  __aicore__ inline void ListTerms() {
    avo::GridTerms<T> terms;
    terms.Init(grid_, workspace_ + tiling_.terms, tiling_, tiling_.bands, pipe_);
    terms.Process();
    avo::ReleaseBuffers(pipe_);
  }

  // Adds the gradients of the samples to the pixels that they were read from.
  __aicore__ inline void AddRows() {
    const avo::ChannelsLast rows = avo::LayoutOf(tiling_.grads);
    const int64_t image = rows.ImagePixels() * rows.pixel;
    avo::PixelBands<T, T> bands;
    bands.Init(workspace_ + tiling_.terms, workspace_,
               {rows.Pixel(0, 0, 0) * rows.pixel, 1, image, 0, rows.pixel}, grad_input_, tiling_.images,
               tiling_.bands, pipe_);
    bands.Process(0, tiling_.images);
  }

  GridSamplerBackwardTiling tiling_;
  AscendC::TPipe *pipe_;
  GM_ADDR grad_output_;
  GM_ADDR input_;
  GM_ADDR grid_;
  GM_ADDR grad_input_;
  GM_ADDR grad_grid_;
  GM_ADDR workspace_;
};

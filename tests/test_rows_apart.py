# SPDX-License-Identifier: Apache-2.0
"""Grids whose rows lie apart, as those of slices do: what kernels store behind the end of a row must not stay."""

import pytest
import torch

import ascend_vision_ops as avo


def lattice(*shape):
    """Coordinates that decide which pixel is the nearest without rounding, some of them outside the image."""
    return torch.randint(-112, 113, shape, generator=torch.Generator().manual_seed(5)) / 64


@pytest.mark.parametrize("padding_mode", range(3))
@pytest.mark.parametrize("interpolation_mode", range(3))
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(("rows", "columns"), [(7, 73), (5, 25), (31, 4)])
def test_slices_of_wider_grids(rows, columns, dtype, interpolation_mode, padding_mode):
    grid = lattice(2, rows, columns + 5, 2).to(dtype)[:, :, :columns]
    image = torch.randn(2, 3, 20, 21, dtype=dtype, generator=torch.Generator().manual_seed(6))
    modes = (interpolation_mode, padding_mode, False)
    torch.testing.assert_close(avo.grid_sampler(image, grid, *modes), torch.grid_sampler(image, grid, *modes))
    grads = torch.randn(2, 3, rows, columns, dtype=dtype, generator=torch.Generator().manual_seed(7))
    ours = avo.grid_sampler_backward(grads, image, grid, *modes)
    theirs = torch.ops.aten.grid_sampler_2d_backward(grads, image, grid, *modes, [True, True])
    for one, other in zip(ours, theirs, strict=True):
        # Sums of some hundred products of float32, in another order.
        torch.testing.assert_close(one, other, rtol=1e-4, atol=1e-4)

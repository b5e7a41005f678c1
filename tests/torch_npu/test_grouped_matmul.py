# SPDX-License-Identifier: Apache-2.0
"""npu_grouped_matmul against one product for each group."""

from __future__ import annotations

import pytest
import torch
import torch_npu

ENDS = [2, 2, 7]


@pytest.mark.parametrize("biased", [True, False])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float16], ids=str)
def test_a_list_of_products(npu, dtype, biased):
    x = [torch.rand(3, 4), torch.rand(2, 5, 6)]
    weights, biases = [torch.rand(4, 5), torch.rand(6, 2)], [torch.rand(5), torch.rand(2)]
    x, weights, biases = ([tensor.to(dtype) for tensor in each] for each in (x, weights, biases))
    far = [[tensor.to(npu) for tensor in each] for each in (x, weights, biases)]
    got = torch_npu.npu_grouped_matmul(
        *far[:2], bias=far[2] if biased else None, group_list=None, split_item=0, group_type=-1
    )
    for i, ours in enumerate(got):
        want = x[i].float() @ weights[i].float() + (biases[i].float() if biased else 0)
        torch.testing.assert_close(ours.cpu(), want.to(dtype))  # sums are float32, rounded once


@pytest.mark.parametrize("counts", [False, True])
@pytest.mark.parametrize("stacked", [False, True])
def test_rows_of_one_tensor(npu, stacked, counts):
    x, weight, bias = torch.rand(7, 4).half(), torch.rand(3, 4, 5).half(), torch.rand(3, 5).half()
    starts = [0, *ENDS[:-1]]
    groups = [end - start for start, end in zip(starts, ENDS, strict=True)] if counts else ENDS
    got = torch_npu.npu_grouped_matmul(
        [x.to(npu)],
        [weight.to(npu)] if stacked else [one.to(npu) for one in weight],
        bias=[bias.to(npu)] if stacked else [one.to(npu) for one in bias],
        group_list=torch.tensor(groups).to(npu),
        split_item=3,
        group_type=0,
        group_list_type=int(counts),
    )
    want = [
        x[start:end].float() @ weight[i].float() + bias[i].float()
        for i, (start, end) in enumerate(zip(starts, ENDS, strict=True))
    ]
    torch.testing.assert_close(got[0].cpu(), torch.cat(want).half())

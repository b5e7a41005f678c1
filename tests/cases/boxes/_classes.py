# SPDX-License-Identifier: Apache-2.0
"""What cases of suppressions in each class of each image share."""

from ascend_vision_ops.testing import Case


def layouts(call):
    """Cases of all layouts of arguments, of which two have results with a layout."""
    of_results = {"strided": "strided", "offset": "transposed"}
    for layout in ("strided", "transposed", "offset", "broadcast"):
        yield Case(layout, call(2, 2, 20, layout=layout), out=of_results.get(layout, ""))


def padded(rows, scores):
    """Returns the rows followed by rows of -1, as many as there are scores, and how many rows there were."""
    import torch

    padding = torch.full((scores.numel() - len(rows), rows.shape[1]), -1)
    return torch.cat([rows, padding]), torch.tensor([len(rows)])

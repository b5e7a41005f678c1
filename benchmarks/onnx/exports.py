# SPDX-License-Identifier: Apache-2.0
"""Exports a network of torch or torchvision with random weights: `python -m benchmarks.onnx.exports ROW FILE`."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path

import torch

from ascend_vision_ops.testing.peers import import_torchvision

torchvision = import_torchvision()


class Recurrent(torch.nn.Module):
    """Two layers of a recurrent network in both directions, and a classifier of each step."""

    def __init__(self, kind: str):
        super().__init__()
        self.layers = getattr(torch.nn, kind)(32, 48, num_layers=2, bidirectional=True, batch_first=True)
        self.head = torch.nn.Linear(96, 10)

    def forward(self, x):
        return self.head(self.layers(x)[0]).softmax(-1)


def _encoder():
    layer = torch.nn.TransformerEncoderLayer(64, 4, 128, batch_first=True)
    return torch.nn.TransformerEncoder(layer, 4, enable_nested_tensor=False)


def _vision_transformer():
    return torchvision.models.VisionTransformer(
        image_size=64, patch_size=8, num_layers=6, num_heads=4, hidden_dim=128, mlp_dim=256
    )


MAKERS = {
    "lstm": lambda: Recurrent("LSTM"),
    "gru": lambda: Recurrent("GRU"),
    "transformer encoder": _encoder,
    "vision transformer": _vision_transformer,
}


def network(name: str) -> torch.nn.Module:
    if name in MAKERS:
        return MAKERS[name]()
    # Detectors would also download weights of their backbones.
    options = {"weights": None}
    makers = torchvision.models.get_model_builder(name)
    return makers(**options, **({"weights_backbone": None} if _has_backbone(makers) else {}))


def _has_backbone(maker) -> bool:
    import inspect

    return "weights_backbone" in inspect.signature(maker).parameters


def export(row: dict, target: Path) -> None:
    torch.manual_seed(0)
    model = network(row["name"]).eval()
    x = torch.rand(row["input"])
    detector = "detection" in type(model).__module__
    arguments = (list(x),) if detector else (x,)
    unfinished = target.with_suffix(".part")
    if row["exporter"] == "dynamo":
        shapes = ({0: torch.export.Dim.DYNAMIC},) if row["open"] else None
        program = torch.onnx.export(
            model, arguments, dynamo=True, dynamic_shapes=shapes, verbose=False, optimize=False
        )
        program.save(unfinished, external_data=False)
    else:
        torch.onnx.export(
            model, arguments, unfinished, dynamo=False, opset_version=17, input_names=["x"],
            dynamic_axes={"x": {0: "batch"}} if row["open"] else None,
        )  # fmt: skip
    os.replace(unfinished, target)


if __name__ == "__main__":
    export(json.loads(sys.argv[1]), Path(sys.argv[2]))

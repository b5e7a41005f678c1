# SPDX-License-Identifier: Apache-2.0
"""Takes a small detector step by step from torch to ONNX Runtime and to a model that Ascend's ATC reads.

The detector has a backbone with a modulated deformable convolution, a neck with corner pooling and a head, among whose
boxes NMS picks; nobody trained its weights. It is exported with our operators as nodes and made smaller. Then it is
split into the part for the host (the image before, NMS after) and the part for the NPU, which gets ATC's names and one
operator set. After each step ONNX Runtime computes the same as torch. The example prints the nodes after each step, and
leaves the models and a picture in demo_output/.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter, defaultdict
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx_ir as ir
import torch
from torch import Tensor, nn

import ascend_vision_ops as avo
from ascend_vision_ops.cli.show import console, table
from ascend_vision_ops.nn import CornerPool, ModulatedDeformConv2dPack
from ascend_vision_ops.onnx import export, files, passes
from ascend_vision_ops.onnx.execute import Runner
from ascend_vision_ops.onnx.flavours import from_atc_name, names_of_ours

SIZE, STRIDE = 64, 4
TOLERANCE = 1e-4  # boxes in pixels; both compute in float32 and add some hundred numbers in another order


def block(channels_in: int, channels: int, kernel: int, stride: int = 1) -> nn.Sequential:
    convolution = nn.Conv2d(channels_in, channels, kernel, stride, kernel // 2, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(channels), nn.ReLU())


class Focus(nn.Module):
    """Makes channels of the four phases of 2 x 2 pixels, as YOLO does at its start."""

    def forward(self, x: Tensor) -> Tensor:
        return torch.cat([x[..., ::2, ::2], x[..., 1::2, ::2], x[..., ::2, 1::2], x[..., 1::2, 1::2]], 1)


class Detector(nn.Module):
    """Finds boxes (M, 5) with scores in an image (1, SIZE, SIZE, 3) of uint8."""

    def __init__(self, channels: int = 16):
        super().__init__()
        self.register_buffer("mean", torch.tensor([123.7, 116.3, 103.5]))
        self.register_buffer("deviation", torch.tensor([58.4, 57.1, 57.4]))
        self.stem = nn.Sequential(Focus(), block(12, 8, 3), block(8, channels, 3, 2))
        self.deformable = ModulatedDeformConv2dPack(channels, channels, 3, padding=1)
        self.pools = nn.ModuleList(
            nn.Sequential(block(channels, channels, 1), CornerPool(side))
            for side in ("top", "bottom", "left", "right")
        )
        self.head = nn.Sequential(block(channels, channels, 3), nn.Conv2d(channels, 5, 1))
        middles = (torch.arange(SIZE // STRIDE) + 0.5) * STRIDE
        y, x = torch.meshgrid(middles, middles, indexing="ij")
        self.register_buffer("middles", torch.stack([x, y], 2).flatten(0, 1))

    def forward(self, image: Tensor) -> Tensor:
        x = ((image.float() - self.mean) / self.deviation).permute(0, 3, 1, 2)
        x = torch.relu(self.deformable(self.stem(x)))
        x = x + sum(pool(x) for pool in self.pools)
        found = self.head(x).permute(0, 2, 3, 1)[0].flatten(0, 1)
        sides = STRIDE * (2 + torch.relu(found[:, 1:]))
        boxes = torch.cat([self.middles - sides[:, :2], self.middles + sides[:, 2:]], 1)
        return avo.nms(boxes, torch.sigmoid(found[:, 0]), 0.5, score_threshold=0.4, max_num=20)[0]


def make_detector() -> Detector:
    """Makes a detector whose weights and statistics use every part: offsets are not zero, scores differ."""
    torch.manual_seed(0)
    model = Detector().eval()
    with torch.no_grad():
        for name, tensor in model.named_parameters():
            if "conv_offset" in name:
                tensor.normal_(0, 0.1)
        for module in model.modules():
            if isinstance(module, nn.BatchNorm2d):
                module.running_mean.normal_(0, 0.2)
                module.running_var.uniform_(0.5, 1.5)
    return model


@dataclass
class Step:
    """Models that run one after the other, and how far their results are from torch's."""

    name: str
    models: dict[str, ir.Model]
    difference: float

    def counts(self) -> Counter[str]:
        return Counter(type_of(node) for model in self.models.values() for node in model.graph)


def type_of(node: ir.Node) -> str:
    return f"{node.domain}::{node.op_type}" if node.domain else node.op_type


def is_ours(node: ir.Node) -> bool:
    return (node.domain, node.op_type) in names_of_ours() or (
        not node.domain and from_atc_name(node.op_type) is not None
    )


def run(models: dict[str, ir.Model], image: np.ndarray) -> np.ndarray:
    """Runs models in ONNX Runtime one after the other; each takes the results of the models before it."""
    values = {"image": image}
    for model in models.values():
        runner = Runner(model, stand_ins=False)
        values |= runner({value.name: values[value.name] for value in model.graph.inputs})
        if runner.how != "ONNX Runtime":
            raise RuntimeError(f"ONNX Runtime cannot run the model: {runner.reason}")
    return values["found"]


def steps_of(model: Detector, image: Tensor, out: Path) -> list[Step]:
    """Gives every step, with its files in a folder."""
    wanted, done = model(image).detach().numpy(), []

    def step(name: str, **models: ir.Model) -> None:
        found = run(models, image.numpy())
        if found.shape != wanted.shape:
            raise RuntimeError(f"{name}: expected {len(wanted)} boxes as torch finds, got {len(found)}")
        # Passes change a model in place, so they get a copy.
        kept = {part: model.clone() for part, model in models.items()}
        done.append(Step(name, kept, float(np.abs(found - wanted).max())))

    whole = export(model, image, out / "onnx_detector.onnx", input_names=["image"], output_names=["found"])
    step("exported", whole=whole)
    passes.simplify(whole, "default,focus_to_conv")
    step("simplified", whole=whole)
    cuts = passes.passes_of("split_preprocessing,cut_postprocessing")
    parts = passes.Manager(cuts).run_once(whole).split_off
    before, after = parts["preprocessing"], parts["postprocessing"]
    step("split", before=before, npu=whole, after=after)
    passes.Manager(passes.passes_of("convert_opset=17,to_atc")).run_once(whole)
    step("for ATC", before=before, npu=whole, after=after)
    for part, made in done[-1].models.items():
        files.save(made, out / f"onnx_detector.{part}.onnx")
    return done


# --- the picture ---------------------------------------------------------------------------------------------------


@dataclass
class Box:
    """A node of the drawing, or the place where a long edge passes a layer, in pixels."""

    text: str = ""
    colour: str = ""
    layer: int = 0
    part: str = ""
    gone: bool = False
    x: float = 0.0

    @property
    def half(self) -> float:
        return 3.2 * len(self.text) + 7 if self.text else 5


ROW, GAP, ROUNDS = 27, 8, 24  # pixels between layers, pixels between boxes, passes of the layout
RED, NAVY, GREY = "#b5304a", "#1b2a41", "#66758a"


class Drawing:
    """A graph in layers. Each node lies below the nodes that it reads, and long edges bend around the nodes between."""

    def __init__(self, models: dict[str, ir.Model], kept: set[str]):
        self.boxes: list[Box] = []
        self.edges: list[tuple[Box, Box]] = []
        made: dict[str, Box] = {}
        for part, model in models.items():
            for value in model.graph.inputs:
                if value.name not in made:
                    made[value.name] = self._add(Box(value.name, "", 0, part))
            for node in model.graph:
                sources = [
                    made[value.name] for value in node.inputs if value is not None and value.name in made
                ]
                layer = 1 + max((box.layer for box in sources), default=0)
                colour = RED if is_ours(node) else NAVY if node.op_type == "Conv" else GREY
                gone = node.outputs[0].name not in kept
                box = self._add(Box(node.op_type, colour, layer, part, gone))
                made |= {value.name: box for value in node.outputs}
                for source in {id(source): source for source in sources}.values():
                    self._connect(source, box)
        for value in list(models.values())[-1].graph.outputs:
            self._connect(made[value.name], self._add(Box(value.name, "", made[value.name].layer + 1, part)))
        self.layers = [
            [box for box in self.boxes if box.layer == layer]
            for layer in range(1 + max(b.layer for b in self.boxes))
        ]
        self._place()

    def _add(self, box: Box) -> Box:
        self.boxes.append(box)
        return box

    def _connect(self, source: Box, target: Box) -> None:
        for layer in range(source.layer + 1, target.layer):
            bend = self._add(Box(layer=layer))
            self.edges.append((source, bend))
            source = bend
        self.edges.append((source, target))

    def _place(self) -> None:
        """Places each box at the mean position of its neighbours, above and below in turns, so that boxes do not
        overlap.
        """
        above, below = defaultdict(list), defaultdict(list)
        for source, target in self.edges:
            above[id(target)].append(source)
            below[id(source)].append(target)
        for layer in self.layers:
            for index, box in enumerate(layer):
                box.x = index * 60.0
        for turn in range(ROUNDS):
            near = below if turn % 2 else above
            for layer in self.layers[:: -1 if turn % 2 else 1]:
                wish = {id(b): float(np.mean([n.x for n in near[id(b)]] or [b.x])) for b in layer}
                layer.sort(key=lambda box: wish[id(box)])
                right = -np.inf
                for box in layer:
                    box.x = max(wish[id(box)], right + box.half)
                    right = box.x + box.half + GAP
                shift = np.mean([box.x - wish[id(box)] for box in layer])
                for box in layer:
                    box.x -= shift
        left = min(box.x - box.half for box in self.boxes)
        for box in self.boxes:
            box.x -= left
        self.width = max(box.x + box.half for box in self.boxes)

    def draw(self, axes, parts: dict[str, str]) -> None:
        from matplotlib.patches import FancyBboxPatch, PathPatch
        from matplotlib.path import Path as Curve

        for part, title in parts.items():
            layers = [box.layer for box in self.boxes if box.part == part]
            top, bottom = (min(layers) - 0.5) * ROW, (max(layers) + 0.5) * ROW
            axes.axhspan(top + 1, bottom - 1, color="#eef2f7" if part == "npu" else "#faf6ee", zorder=0)
            axes.text(
                -26, (top + bottom) / 2, title, rotation=90, ha="center", va="center", fontsize=8, color=NAVY
            )
        for source, target in self.edges:
            y1 = source.layer * ROW + (9 if source.text else 0)
            y2 = target.layer * ROW - (9 if target.text else 0)
            middle = (y1 + y2) / 2
            points = [(source.x, y1), (source.x, middle), (target.x, middle), (target.x, y2)]
            curve = Curve(points, [Curve.MOVETO, Curve.CURVE4, Curve.CURVE4, Curve.CURVE4])
            axes.add_patch(PathPatch(curve, fill=False, edgecolor="#9aa7b8", linewidth=0.9, zorder=1))
        for box in self.boxes:
            if not box.text:
                continue
            y = box.layer * ROW
            fill = "white" if box.gone or not box.colour else box.colour
            style = {
                "facecolor": fill,
                "edgecolor": box.colour or NAVY,
                "linestyle": ":" if box.gone else "-",
            }
            size = (box.x - box.half, y - 9), 2 * box.half, 18
            rounding = "round,pad=0,rounding_size=" + ("4" if box.colour else "9")
            axes.add_patch(FancyBboxPatch(*size, boxstyle=rounding, linewidth=1.1, zorder=2, **style))
            ink = (box.colour or NAVY) if fill == "white" else "white"
            axes.text(box.x, y, box.text, ha="center", va="center", fontsize=7.5, color=ink, zorder=3)


def picture(path: Path, first: Step, last: Step) -> None:
    """Draws the exported graph beside the final one."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    kept = {value.name for model in last.models.values() for node in model.graph for value in node.outputs}
    drawings = [Drawing(first.models, kept), Drawing(last.models, kept)]
    margin, head, foot = 60, 84, 34
    width = int(sum(drawing.width + 2 * margin for drawing in drawings))
    height = max(len(drawing.layers) for drawing in drawings) * ROW + head + foot
    figure = plt.figure(figsize=(width / 100, height / 100))
    figure.text(
        0.5, 1 - 24 / height, "A detector on its way to the NPU", ha="center", fontsize=13, weight="bold"
    )
    titles = [
        f"as torch exports it: {first.counts().total()} nodes",
        f"for ATC, image and NMS on the host: {last.counts().total()} nodes",
    ]
    parts: list[dict[str, str]] = [
        {},
        {"before": "host", "npu": "NPU: ATC's names, one operator set", "after": "host"},
    ]
    left = 0.0
    for drawing, title, names in zip(drawings, titles, parts, strict=True):
        across, down = drawing.width + 2 * margin, len(drawing.layers) * ROW
        axes = figure.add_axes((left / width, 1 - (head + down) / height, across / width, down / height))
        axes.set(xlim=(-margin, drawing.width + margin), ylim=(down - ROW / 2, -ROW / 2))
        axes.axis("off")
        drawing.draw(axes, names)
        figure.text((left + across / 2) / width, 1 - 58 / height, title, ha="center", fontsize=10)
        left += across
    legend = {"our operators": RED, "convolutions": NAVY, "other standard nodes": GREY}
    x = 0.5 - 0.5 * 640 / width
    for text, colour in legend.items():
        figure.text(x, 12 / height, f"\u25a0 {text}", color=colour, fontsize=8.5)
        x += 150 / width
    figure.text(x + 20 / width, 12 / height, "dotted: gone in the graph beside it", color=NAVY, fontsize=8.5)
    figure.savefig(path, dpi=100, facecolor="white", pil_kwargs={"quality": 85})


# --- the program ---------------------------------------------------------------------------------------------------


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("demo_output"), metavar="DIR")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)

    generator = torch.Generator().manual_seed(1)
    image = torch.randint(0, 256, (1, SIZE, SIZE, 3), dtype=torch.uint8, generator=generator)
    steps = steps_of(make_detector(), image, options.out)
    names = list(dict.fromkeys(name for step in steps for name in step.counts()))
    rows = table("nodes", *(f">{step.name}" for step in steps))
    for name in names:
        rows.add_row(name, *(str(step.counts()[name] or "") for step in steps))
    rows.add_section()
    rows.add_row("all", *(str(step.counts().total()) for step in steps))
    rows.add_row("models", *(str(len(step.models)) for step in steps))
    rows.add_row("difference", *(f"{step.difference:.0e}" for step in steps))
    out = console()
    out.print(rows)
    out.print()
    worst = max(step.difference for step in steps)
    right = worst <= TOLERANCE
    word = "[green]ok[/]" if right else "[red]too far apart[/]"
    out.print(
        f"boxes in ONNX Runtime beside torch's: largest difference {worst:.1e}, tolerance {TOLERANCE:.0e}: {word}"
    )
    path = options.out / "onnx_detector.jpg"
    picture(path, steps[0], steps[-1])
    out.print(f"models: {', '.join(str(file) for file in sorted(options.out.glob('onnx_detector*.onnx')))}")
    out.print(f"picture: {path}")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())

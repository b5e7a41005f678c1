# SPDX-License-Identifier: Apache-2.0
"""Trains a small detector in torch on the simulated Ascend NPU, and checks every step against the CPU.

Coloured discs, crosses and triangles are drawn on noise. The detector learns to find them. It has a backbone with a
modulated deformable convolution, a neck with corner pooling, a head for every cell, and a head for the regions that
RoIAlign crops; batched NMS picks among the boxes. Before each step, a copy on the CPU takes over the weights and
computes loss and gradients of the same batch. The example prints how far both differ, and leaves a picture in
demo_output/.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from rich.progress import track

import ascend_vision_ops as avo
from ascend_vision_ops.cli.show import console, table

# torch_npu logs what it finds on every device before Ascend950, such as "processing for 32 padding size".
os.environ.setdefault("TORCH_CPP_LOG_LEVEL", "ERROR")
if not avo.sim.obstacle() and not avo.sim.active():
    avo.sim.activate()  # before torch is imported, which would look for CANN's libraries

import torch
import torch.nn.functional as F
import torch_npu  # noqa: F401  gives torch the device npu
from torch import Tensor, nn

from ascend_vision_ops.nn import CornerPool, ModulatedDeformConv2dPack, RoIAlign

SIZE, STRIDE, CELLS = 64, 4, 16  # pixels of an image, pixels of a cell, cells along a side
SHAPES = ("disc", "cross", "triangle")
COLOURS = ("#e0592a", "#1c7ed6", "#2b8a3e")
CROP = 5  # bins of RoIAlign along a side
# Relative differences that are allowed between results from the same weights. Both devices compute in float32 and add
# some thousand numbers in another order. The gradient of a maximum may go to the other of two nearly equal features.
# Two separate trainings would drift apart, because Adam makes full steps even for gradients that are rounding errors.
TOLERANCE = {"loss": 1e-5, "gradients": 1e-2}


@dataclass
class Batch:
    """Images (N, 3, SIZE, SIZE) and what the heads have to say about them.

    cells: (N, 1, CELLS, CELLS), 1 where the middle of a shape is
    sides: (N, 4, CELLS, CELLS), distances from there to the four sides of the shape, in cells
    regions: (R, 5), index of the image and x1, y1, x2, y2
    classes: (R,), classes of the regions, the last one for no shape
    boxes: class and box of the shapes in each image
    """

    images: Tensor
    cells: Tensor
    sides: Tensor
    regions: Tensor
    classes: Tensor
    boxes: list[list[tuple[int, np.ndarray]]]

    def to(self, device: torch.device) -> Batch:
        moved = {name: value.to(device) for name, value in vars(self).items() if isinstance(value, Tensor)}
        return Batch(**moved, boxes=self.boxes)


def draw(generator: np.random.Generator) -> tuple[np.ndarray, list[tuple[int, np.ndarray]]]:
    """Draws an image of two shapes on noise, and gives the class and box of each."""
    image = generator.normal(0.45, 0.05, (3, SIZE, SIZE)).astype(np.float32)
    rows, columns = np.mgrid[:SIZE, :SIZE] + 0.5
    found = []
    for half in generator.permutation(2):
        radius = generator.uniform(7, 12)
        x = generator.uniform(radius, SIZE / 2 - radius) + half * SIZE / 2
        y = generator.uniform(radius, SIZE - radius)
        kind = int(generator.integers(len(SHAPES)))
        across, down = np.abs(columns - x), rows - y
        inside = (
            across**2 + down**2 < radius**2,
            (np.maximum(across, np.abs(down)) < radius) & (np.minimum(across, np.abs(down)) < radius / 3),
            (np.abs(down) < radius) & (across < (down + radius) / 2),
        )[kind]
        image[:, inside] = generator.uniform(0, 1, (3, 1)) + generator.normal(0, 0.05, (3, int(inside.sum())))
        found.append((kind, np.array([x - radius, y - radius, x + radius, y + radius], np.float32)))
    return image, found


def make_batch(count: int, seed: int) -> Batch:
    """Makes images with what the two heads have to say about them."""
    generator = np.random.default_rng(seed)
    images, boxes = zip(*(draw(generator) for _ in range(count)), strict=True)
    cells, sides = (
        np.zeros((count, 1, CELLS, CELLS), np.float32),
        np.zeros((count, 4, CELLS, CELLS), np.float32),
    )
    middles = (np.arange(CELLS, dtype=np.float32) + 0.5) * STRIDE
    x, y = np.meshgrid(middles, middles)
    regions, classes = [], []
    for index, found in enumerate(boxes):
        for kind, box in found:
            left, top, right, bottom = box
            reach = (right - left) / 4
            inside = (np.abs(x - (left + right) / 2) < reach) & (np.abs(y - (top + bottom) / 2) < reach)
            cells[index, 0, inside] = 1
            sides[index][:, inside] = np.stack([x - left, y - top, right - x, bottom - y])[:, inside] / STRIDE
            for _ in range(3):
                regions.append([index, *(box + generator.normal(0, 1.5, 4))])
                classes.append(kind)
        # Regions without a shape: squares whose middle lies in no shape.
        while len(regions) < 8 * (index + 1):
            px, py = generator.uniform(8, SIZE - 8, 2)
            if all(not (b[0] < px < b[2] and b[1] < py < b[3]) for _, b in found):
                regions.append([index, px - 8, py - 8, px + 8, py + 8])
                classes.append(len(SHAPES))
    arrays = np.stack(images), cells, sides, np.array(regions, np.float32), np.array(classes)
    return Batch(*map(torch.from_numpy, arrays), boxes=list(boxes))


def block(channels_in: int, channels: int, kernel: int, stride: int = 1) -> nn.Sequential:
    convolution = nn.Conv2d(channels_in, channels, kernel, stride, kernel // 2, bias=False)
    return nn.Sequential(convolution, nn.BatchNorm2d(channels), nn.ReLU())


class Corners(nn.Module):
    """Gives each cell the strongest features towards the four sides (CornerNet)."""

    def __init__(self, channels: int):
        super().__init__()
        sides = ("top", "bottom", "left", "right")
        self.pools = nn.ModuleList(
            nn.Sequential(block(channels, channels, 1), CornerPool(side)) for side in sides
        )
        self.after = nn.Sequential(
            nn.Conv2d(channels, channels, 3, padding=1, bias=False), nn.BatchNorm2d(channels)
        )

    def forward(self, x: Tensor) -> Tensor:
        top, bottom, left, right = (pool(x) for pool in self.pools)
        return F.relu(x + self.after(top + bottom + left + right))


class Detector(nn.Module):
    """The detector. Cells say whether a shape is there and where it ends; regions say which shape it is."""

    def __init__(self, channels: int = 16):
        super().__init__()
        self.backbone = nn.Sequential(
            block(3, 8, 3, 2),
            block(8, channels, 3, 2),
            ModulatedDeformConv2dPack(channels, channels, 3, padding=1),
            nn.BatchNorm2d(channels),
            nn.ReLU(),
        )
        self.neck = Corners(channels)
        self.cells = nn.Sequential(block(channels, channels, 3), nn.Conv2d(channels, 5, 1))
        with torch.no_grad():
            self.cells[1].bias[0] = -2  # only few cells have a shape
        self.crops = RoIAlign(CROP, 1 / STRIDE, sampling_ratio=2)
        self.regions = nn.Sequential(
            nn.Linear(channels * CROP * CROP, 32), nn.ReLU(), nn.Linear(32, len(SHAPES) + 1)
        )

    def forward(self, images: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Gives features, logits of cells (N, 1, CELLS, CELLS) and distances to the four sides (N, 4, CELLS, CELLS)."""
        features = self.neck(self.backbone(images))
        found = self.cells(features)
        return features, found[:, :1], F.relu(found[:, 1:] + 2)

    def classify(self, features: Tensor, regions: Tensor) -> Tensor:
        return self.regions(self.crops(features, regions).flatten(1))

    def loss(self, batch: Batch) -> Tensor:
        features, logits, sides = self(batch.images)
        there = F.binary_cross_entropy_with_logits(logits, batch.cells)
        ends = F.smooth_l1_loss(sides * batch.cells, batch.sides, reduction="sum") / batch.cells.sum()
        which = F.cross_entropy(self.classify(features, batch.regions), batch.classes)
        return 4 * there + 0.25 * ends + 2 * which

    @torch.no_grad()
    def detect(
        self, images: Tensor, most: int = 12, above: float = 0.3
    ) -> list[list[tuple[int, float, np.ndarray]]]:
        """Gives class, score and box of each shape that is found in each image."""
        self.eval()
        features, logits, sides = self(images)
        scores, places = torch.sigmoid(logits).flatten(1).topk(most)
        x, y = ((places % CELLS) + 0.5) * STRIDE, ((places // CELLS) + 0.5) * STRIDE
        left, top, right, bottom = (side.gather(1, places) * STRIDE for side in sides.flatten(2).unbind(1))
        boxes = torch.stack([x - left, y - top, x + right, y + bottom], 2)
        image = torch.arange(len(images), device=images.device).unsqueeze(1).expand(-1, most)
        regions = torch.cat([image.unsqueeze(2).to(boxes.dtype), boxes], 2).flatten(0, 1)
        chances = self.classify(features, regions).softmax(1)[:, : len(SHAPES)].max(1)
        scores = scores.flatten() * chances.values
        # Shapes suppress shapes of any kind, but only in the same image.
        kept = avo.batched_nms(boxes.flatten(0, 1), scores, image.flatten(), 0.4)
        self.train()
        results: list[list] = [[] for _ in images]
        for index in kept.tolist():
            if (score := scores[index].item()) > above:
                box = boxes.flatten(0, 1)[index].cpu().numpy()
                results[index // most].append((int(chances.indices[index]), score, box))
        return results


def picture(path: Path, batch: Batch, before: list, after: list, steps: list[Step]) -> None:
    """Draws what the detector found before and after training, the true shapes, and the losses."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    shown = len(batch.images)
    figure = plt.figure(figsize=(12, 5.4), layout="constrained")
    figure.suptitle("A detector trained on the simulated Ascend NPU", fontsize=13, weight="bold")
    images, curves = figure.subfigures(1, 2, width_ratios=[2.2, 1])
    for row, (title, results) in zip(
        images.subplots(2, shown), {"before": before, "after": after}.items(), strict=True
    ):
        for axes, image, truth, found in zip(row, batch.images, batch.boxes, results, strict=True):
            axes.imshow(np.clip(image.numpy().transpose(1, 2, 0), 0, 1))
            for _, (x1, y1, x2, y2) in truth:
                style = {"edgecolor": "white", "linestyle": ":", "linewidth": 1.2}
                axes.add_patch(plt.Rectangle((x1, y1), x2 - x1, y2 - y1, fill=False, **style))
            for kind, score, (x1, y1, x2, y2) in found:
                style = {"edgecolor": COLOURS[kind], "linewidth": 2}
                axes.add_patch(plt.Rectangle((x1, y1), x2 - x1, y2 - y1, fill=False, **style))
                label = {"color": "white", "fontsize": 7, "va": "bottom"}
                box = {"facecolor": COLOURS[kind], "edgecolor": "none", "pad": 1}
                axes.text(max(x1, 1), max(y1, 6), f"{SHAPES[kind]} {score:.2f}", **label, bbox=box)
            axes.set(xlim=(0, SIZE), ylim=(SIZE, 0), xticks=[], yticks=[])
        row[0].set_ylabel(f"{title}", fontsize=11)
    images.suptitle("Images it was not trained on; dotted: what is there", fontsize=10)
    loss, apart = curves.subplots(2, 1, sharex=True)
    numbers = np.arange(1, len(steps) + 1)
    loss.plot(numbers, [step.cpu for step in steps], color="#8795a8", linewidth=4, label="CPU")
    loss.plot(numbers, [step.npu for step in steps], color="#b5304a", linewidth=1.5, label="simulated NPU")
    loss.set_title("Loss of each step", loc="left", fontsize=10)
    loss.set_ylim(bottom=0)
    loss.legend(frameon=False)
    for name, colour in {"loss": "#b5304a", "gradients": "#1b2a41"}.items():
        # Steps in which both are equal to the last bit have no place on a logarithmic scale.
        values = [getattr(step, name) or np.nan for step in steps]
        apart.semilogy(numbers, values, ".-", color=colour, linewidth=0.8, markersize=4, label=name)
        apart.axhline(TOLERANCE[name], color=colour, linestyle="--", linewidth=0.8)
    apart.set_title("Relative differences; dashed: tolerances", loc="left", fontsize=10)
    apart.set_xlabel("step")
    apart.set_ylim(1e-8, 1)
    apart.legend(frameon=False, ncols=2, loc="upper right")
    for axes in (loss, apart):
        axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=100, facecolor="white", pil_kwargs={"quality": 85})


@dataclass
class Step:
    """Losses of a step on both devices, and the difference of the gradients, taken together as one vector."""

    cpu: float
    npu: float
    gradients: float

    @property
    def loss(self) -> float:
        """The relative difference of the losses."""
        return abs(self.npu - self.cpu) / abs(self.cpu)


def train(model: Detector, options: argparse.Namespace) -> list[Step]:
    """Trains the model on npu, while a copy on the CPU computes the same steps."""
    npu = next(model.parameters()).device
    optimizer = torch.optim.Adam(model.parameters(), lr=1e-2)
    schedule = torch.optim.lr_scheduler.OneCycleLR(optimizer, 1e-2, total_steps=options.steps)
    near, steps = Detector(), []
    for step in track(range(options.steps), "training", disable=not sys.stdout.isatty(), transient=True):
        batch = make_batch(options.batch, seed=100 + step)
        near.load_state_dict(model.state_dict())
        near.zero_grad()
        wanted = near.loss(batch)
        wanted.backward()
        optimizer.zero_grad()
        loss = model.loss(batch.to(npu))
        loss.backward()
        gradients = [torch.cat([p.grad.cpu().flatten() for p in m.parameters()]) for m in (near, model)]
        apart = (gradients[1] - gradients[0]).norm() / gradients[0].norm()
        steps.append(Step(wanted.item(), loss.item(), apart.item()))
        optimizer.step()
        schedule.step()
    return steps


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--steps", type=int, default=60, help="optimiser steps (60)")
    parser.add_argument("--batch", type=int, default=8, help="images of a step (8)")
    parser.add_argument("--shown", type=int, default=4, help="images in the picture (4)")
    parser.add_argument("--out", type=Path, default=Path("demo_output"), metavar="DIR")
    options = parser.parse_args()

    torch.manual_seed(0)
    npu = torch.device("npu:0")
    model, unseen = Detector().to(npu), make_batch(options.shown, seed=1)
    before = model.detect(unseen.images.to(npu))
    steps = train(model, options)
    after = model.detect(unseen.images.to(npu))

    rows = table(">step", ">loss, CPU", ">loss, npu", ">relative difference", ">of the gradients")
    for number, step in enumerate(steps, 1):
        rows.add_row(
            str(number), f"{step.cpu:.6f}", f"{step.npu:.6f}", f"{step.loss:.1e}", f"{step.gradients:.1e}"
        )
    out = console()
    out.print(rows)
    out.print()
    worst = {name: max(getattr(step, name) for step in steps) for name in TOLERANCE}
    right = all(worst[name] <= bound for name, bound in TOLERANCE.items())
    for name, bound in TOLERANCE.items():
        word = "[green]ok[/]" if worst[name] <= bound else "[red]too far apart[/]"
        out.print(f"{name}: largest relative difference {worst[name]:.1e}, tolerance {bound:.0e}: {word}")
    there = sum(len(found) for found in unseen.boxes)
    out.print(
        f"{there} shapes in unseen images; found before {sum(map(len, before))}, after {sum(map(len, after))}"
    )
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / "torch_detector.jpg"
    picture(path, unseen, before, after, steps)
    out.print(f"picture: {path}")
    return 0 if right else 1


if __name__ == "__main__":
    sys.exit(main())

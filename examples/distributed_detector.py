# SPDX-License-Identifier: Apache-2.0
"""Trains the detector of torch_detector.py on 1, 2 and 4 simulated Ascend NPUs, by DDP and by FSDP2.

Each number of devices computes the same steps of the same global batch. Losses and gradients are compared with those of
one device. The example prints what the devices communicate in a step, and leaves a picture in demo_output/: how long
the communication would take on up to 1,024 devices.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import ascend_vision_ops as avo
from ascend_vision_ops.cli.show import console, table
from ascend_vision_ops.sim.communication import IN_SERVER, Traffic

DEVICES = (1, 2, 4)
IMAGES = 4  # of the global batch
STEPS = 2
# Relative differences that are allowed. The devices add the same float32 numbers in another order.
TOLERANCE = {"loss": 1e-5, "gradients": 1e-4}
# An assumption of the picture, beside the published rates of links (sim.link_rate).
LATENCY = 10e-6  # seconds from one device to the next; assumed, not published


def work(out: Path) -> None:
    """One rank: trains on the first devices, in all ways, and rank 0 writes down what came out."""
    import torch
    import torch.distributed as dist
    import torch.nn.functional as F
    import torch_npu  # noqa: F401
    from torch.distributed.device_mesh import DeviceMesh
    from torch.distributed.fsdp import fully_shard
    from torch.distributed.tensor import DTensor
    from torch_detector import Detector, make_batch

    class Loss(torch.nn.Module):
        """The loss of a batch. It is a mean over images, so that batches of any size can be averaged."""

        def __init__(self):
            super().__init__()
            # Statistics of batch normalisation would depend on how the batch is divided.
            self.detector = Detector().eval()

        def forward(self, images, cells, sides, regions, classes):
            features, logits, found = self.detector(images)
            there = F.binary_cross_entropy_with_logits(logits, cells)
            ends = F.smooth_l1_loss(found * cells, sides, reduction="sum") / (40 * len(images))
            return 4 * there + ends + 2 * F.cross_entropy(self.detector.classify(features, regions), classes)

    def part(step: int, rank: int, ranks: int):
        """The images of a rank. Each image has the same number of regions, in the order of images."""
        batch = make_batch(IMAGES, seed=100 + step)
        share, each = IMAGES // ranks, len(batch.regions) // IMAGES
        images, rows = (
            slice(rank * share, (rank + 1) * share),
            slice(rank * share * each, (rank + 1) * share * each),
        )
        regions = batch.regions[rows] - torch.tensor([rank * share, 0, 0, 0, 0])
        tensors = batch.images[images], batch.cells[images], batch.sides[images], regions, batch.classes[rows]
        return [tensor.npu() for tensor in tensors]

    def whole(tensor):
        return (tensor.full_tensor() if isinstance(tensor, DTensor) else tensor).detach().cpu().flatten()

    def counted() -> dict[str, list[float]]:
        """Calls and bytes so far, of all communicators, by kind of call."""
        torch.npu.synchronize()
        sums: dict[str, list[float]] = {}
        for entry in avo.sim.traffic():
            total = sums.setdefault(entry.call, [0, 0])
            total[0] += entry.calls
            total[1] += max(entry.sent, entry.received)
        return sums

    def train(how: str, ranks: int, group) -> dict:
        torch.manual_seed(0)
        model = Loss().npu()
        if how == "DDP":
            model = torch.nn.parallel.DistributedDataParallel(model, process_group=group)
        else:
            mesh = DeviceMesh.from_group(group, "npu", mesh_dim_names=("data",))
            for module in (
                model.detector.backbone,
                model.detector.neck,
                model.detector.cells,
                model.detector.regions,
            ):
                fully_shard(module, mesh=mesh)
            fully_shard(model, mesh=mesh)
        optimizer = torch.optim.SGD(model.parameters(), 0.05)
        losses, gradients, traffic = [], [], {}
        for step in range(STEPS):
            before = counted()
            optimizer.zero_grad()
            loss = model(*part(step, rank, ranks))
            loss.backward()
            optimizer.step()
            traffic = {
                call: [now - old for now, old in zip(sums, before.get(call, [0, 0]), strict=True)]
                for call, sums in counted().items()
            }
            mean = loss.detach().clone()
            dist.all_reduce(mean, group=group)
            losses.append(mean.item() / ranks)
            gradients.append(torch.cat([whole(parameter.grad) for parameter in model.parameters()]))
        return {"losses": losses, "gradients": gradients, "traffic": traffic}

    rank = int(os.environ["RANK"])
    torch.npu.set_device(rank)
    torch.set_num_threads(1)
    dist.init_process_group("hccl")
    results, one = [], None
    for ranks in DEVICES:
        group = dist.new_group(list(range(ranks)))
        for how in ("DDP", "FSDP2"):
            if rank >= ranks:
                continue
            got = train(how, ranks, group)
            gradients = got.pop("gradients")
            one = gradients if one is None else one
            apart = [
                ((mine - other).norm() / other.norm()).item()
                for mine, other in zip(gradients, one, strict=True)
            ]
            results.append({"how": how, "ranks": ranks, "apart": max(apart), **got})
    dist.barrier()
    dist.destroy_process_group()
    if rank == 0:
        out.write_text(json.dumps(results))


def seconds(traffic: dict[str, list[float]], devices: int) -> float:
    """How long the communication of a step takes in a ring, under the assumptions above."""
    time = 0.0
    for call, (calls, size) in traffic.items():
        rounds = 2 if call == "HcclAllReduce" else 1
        links = Traffic("", devices, 0, call, int(calls), int(size), int(size)).link_seconds
        time += rounds * (devices - 1) * calls * LATENCY + links
    return time


def picture(path: Path, results: list[dict]) -> None:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(figsize=(7, 4.2), layout="constrained")
    devices = [2**power for power in range(1, 11)]
    for result in (entry for entry in results if entry["ranks"] == max(DEVICES)):
        times = [1e3 * seconds(result["traffic"], count) for count in devices]
        axes.loglog(devices, times, ".-", label=f"{result['how']}, by the traffic of {max(DEVICES)} devices")
    axes.axvline(IN_SERVER, color="#8795a8", linestyle=":", linewidth=1)
    axes.set_title(
        "Communication of a step; assumed: bytes and 10 µs a hop of a ring, all links of a device at once\n"
        "(28 GB/s each in a server of 8, one port of 25 GB/s between servers), nothing hidden behind computation",
        loc="left",
        fontsize=9,
    )
    axes.set_xticks(devices, [f"{count:,}" for count in devices])
    axes.minorticks_off()
    axes.set_xlabel("devices")
    axes.set_ylabel("ms")
    axes.legend(frameon=False)
    axes.spines[["top", "right"]].set_visible(False)
    figure.savefig(path, dpi=100, facecolor="white", pil_kwargs={"quality": 85})


def run() -> list[dict]:
    """Starts a process for each device, as torchrun does."""
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "results.json"
        count = str(max(DEVICES))
        command = [sys.executable, "-m", "torch.distributed.run", "--standalone", "--nproc-per-node", count]
        # torch_npu logs what it finds on every device before Ascend950, such as "processing for 32 padding size".
        variables = {"OMP_NUM_THREADS": "1", "TORCH_CPP_LOG_LEVEL": "ERROR", "PYTHONWARNINGS": "ignore"}
        environment = {**os.environ, **variables, **avo.sim.environment(max(DEVICES))}
        subprocess.run([*command, __file__, "--work", str(out)], check=True, env=environment)
        return json.loads(out.read_text())


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, default=Path("demo_output"), metavar="DIR")
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        work(options.work)
        return 0
    if obstacle := avo.sim.obstacle():
        print(f"this example needs simulated devices; {obstacle}", file=sys.stderr)
        return 1
    results = run()
    first = results[0]["losses"]
    rows = table(
        ">devices",
        "by",
        ">loss, last step",
        ">difference of losses",
        ">of gradients",
        "calls and bytes of a step",
    )
    worst = dict.fromkeys(TOLERANCE, 0.0)
    for entry in results:
        loss = max(abs(mine - other) / abs(other) for mine, other in zip(entry["losses"], first, strict=True))
        worst = {"loss": max(worst["loss"], loss), "gradients": max(worst["gradients"], entry["apart"])}
        calls = ", ".join(
            f"{n:.0f} {call} {size:,.0f} B" for call, (n, size) in entry["traffic"].items() if n
        )
        numbers = f"{entry['losses'][-1]:.6f}", f"{loss:.1e}", f"{entry['apart']:.1e}"
        rows.add_row(str(entry["ranks"]), entry["how"], *numbers, calls or "none")
    out = console()
    out.print(rows)
    for name, bound in TOLERANCE.items():
        word = "[green]ok[/]" if worst[name] <= bound else "[red]too far apart[/]"
        out.print(f"{name}: largest relative difference {worst[name]:.1e}, tolerance {bound:.0e}: {word}")
    options.out.mkdir(parents=True, exist_ok=True)
    path = options.out / "distributed_detector.jpg"
    picture(path, results)
    out.print(f"picture: {path}")
    return 0 if all(worst[name] <= bound for name, bound in TOLERANCE.items()) else 1


if __name__ == "__main__":
    sys.exit(main())

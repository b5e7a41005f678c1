# SPDX-License-Identifier: Apache-2.0
"""Finds faces and eyes in a photograph: the simulated device suppresses and crops the windows of a classical detector.

OpenCV's cascades look at every window of an image at every scale. When they do not group what they find, they return
dozens of windows around each face and a few single ones elsewhere. NMS or SoftNMS picks among the windows, and RoIAlign
crops the best ones. The photograph shows the astronaut Eileen Collins; it is by NASA, in the public domain, and
scikit-image on PyPI contains it. The example prints how far the implementations differ and what the kernels cost on the
simulated device, and leaves a picture in demo_output/.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from pathlib import Path

import cv2
import numpy as np
from packaged import PackagedFile

import ascend_vision_ops as avo
from ascend_vision_ops import profiling
from ascend_vision_ops.tables import console, ranged, table
from ascend_vision_ops.testing import EXACT, compare
from ascend_vision_ops.testing.run import as_tuple, expected, run, spec_of, tolerance_of

PHOTOGRAPH = PackagedFile(
    what="photograph",
    package="scikit-image==0.26.0",
    member="skimage/data/astronaut.png",
    sha256="88431cd9653ccd539741b555fb0a46b61558b301d4110412b5bc28b5e3ea6cb5",
    # One wheel serves every machine, because only its data are used.
    options=("--only-binary=:all:", "--python-version=3.11", "--platform=manylinux_2_28_x86_64"),
)
CASCADES = {"face": "haarcascade_frontalface_default.xml", "eye": "haarcascade_eye.xml"}
COLOURS = {"face": "#c2185b", "eye": "#00838f"}
IMPLEMENTATIONS = {"reference": "NumPy reference", "cpu": "CPU kernel", "aclnn": "AscendC kernel, aclnn"}
IOU_THRESHOLD, MIN_SCORE = 0.3, 0.5
CROPS, CROP_SIZE = 8, 96


@dataclass(frozen=True)
class Windows:
    """The windows (x1, y1, x2, y2) of one detector and their scores."""

    boxes: np.ndarray
    scores: np.ndarray

    def __getitem__(self, places) -> Windows:
        return Windows(self.boxes[places], self.scores[places])


def detect(image: np.ndarray, cascade: str) -> Windows:
    """Gives every window that a cascade accepts. The confidence of the last stage becomes a score in 0..1."""
    cv2.setNumThreads(1)  # threads find the windows in any order
    detector = cv2.CascadeClassifier(str(Path(cv2.data.haarcascades) / cascade))
    grey = cv2.cvtColor(image, cv2.COLOR_BGR2GRAY)
    corners, _, weights = detector.detectMultiScale3(
        grey, scaleFactor=1.05, minNeighbors=0, minSize=(24, 24), outputRejectLevels=True
    )
    corners = np.asarray(corners, np.float32).reshape(-1, 4)
    boxes = np.concatenate([corners[:, :2], corners[:, :2] + corners[:, 2:]], axis=1)
    return Windows(boxes, (1 / (1 + np.exp(-np.asarray(weights).reshape(-1)))).astype(np.float32))


class Device:
    """Calls operators on the simulated device, and notes how far the implementations differ and what the calls cost."""

    def __init__(self):
        self.parity = table("operator", "call", "implementation", ">max error", "tolerance", "verdict")
        self.costs = table("operator", "call", ">cores", ">modelled us")
        self.wrong = 0

    def call(self, operator: str, what: str, **arguments) -> tuple[np.ndarray, ...]:
        """Gives the results of the AscendC kernel."""
        wanted = expected(operator, arguments)
        results = {
            "reference": as_tuple(getattr(avo.reference, operator)(**arguments)),
            **{name: run(operator, name, arguments) for name in ("cpu", "aclnn")},
        }
        tolerance = tolerance_of(spec_of(operator), "float32", arguments)
        for name, title in IMPLEMENTATIONS.items():
            verdicts = []
            for got, want, device in zip(results[name], wanted, results["aclnn"], strict=True):
                bound = tolerance if device.dtype == np.float32 else EXACT
                verdicts.append(compare(np.asarray(got).astype(device.dtype), want, device.dtype, bound))
            bad = [verdict.message for verdict in verdicts if not verdict.ok]
            self.wrong += len(bad)
            error = f"{max(verdict.max_error for verdict in verdicts):.3g}"
            word = f"[red]{bad[0]}[/]" if bad else "[green]ok[/]"
            self.parity.add_row(operator, what, title, error, str(tolerance), word)
        figures = profiling.profile(operator, arguments)
        cores = f"{figures.cores} of {figures.device['vector_cores']}"
        self.costs.add_row(
            operator, what, cores, ranged(figures.microseconds, figures.microseconds_range, unit="")
        )
        self.soc = figures.device["soc"]
        return results["aclnn"]


def picture(path: Path, image: np.ndarray, stages: dict[str, dict[str, Windows]], crops, picked) -> None:
    """Draws the windows before and after suppression, and the crops of the best ones."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure = plt.figure(figsize=(12, 6), layout="constrained")
    figure.suptitle(
        "Windows of two cascades, suppressed on the simulated Ascend NPU", fontsize=13, weight="bold"
    )
    above, below = figure.subfigures(2, 1, height_ratios=[2.6, 1])
    for axes, (title, stage) in zip(above.subplots(1, len(stages)), stages.items(), strict=True):
        # The photograph is pale and grey, so that the windows stand out.
        axes.imshow(cv2.cvtColor(image, cv2.COLOR_BGR2GRAY), cmap="gray", vmin=-160, vmax=290)
        for name, windows in stage.items():
            for (x1, y1, x2, y2), score in zip(windows.boxes, windows.scores, strict=True):
                style = {"edgecolor": COLOURS[name], "alpha": float(score), "linewidth": 1.2}
                axes.add_patch(plt.Rectangle((x1, y1), x2 - x1, y2 - y1, fill=False, **style))
        counts = " and ".join(f"{len(windows.scores)} {name}" for name, windows in stage.items())
        axes.set_title(f"{title}: {counts} windows", loc="left", fontsize=10)
        axes.axis("off")
    for axes, crop, (name, score) in zip(below.subplots(1, len(picked)), crops, picked, strict=True):
        axes.imshow(np.clip(crop.transpose(1, 2, 0)[:, :, ::-1], 0, 1))
        axes.set_title(f"{name} {score:.2f}", fontsize=9)
        axes.axis("off")
    below.suptitle("The best that SoftNMS leaves, cropped by RoIAlign", fontsize=10, x=0.01, ha="left")
    figure.savefig(path, dpi=100, facecolor="white", pil_kwargs={"quality": 82})


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--image", type=Path, help="another photograph")
    parser.add_argument("--out", type=Path, default=Path("demo_output"), metavar="DIR")
    parser.add_argument(
        "--cache", type=Path, default=Path("build/photographs"), metavar="DIR", help="keeps the photograph"
    )
    options = parser.parse_args()

    path = options.image or PHOTOGRAPH.fetch(options.cache)
    image = cv2.imread(str(path))
    if image is None:
        sys.exit(f"demo: {path} is no image that OpenCV reads")
    raw = {name: detect(image, cascade) for name, cascade in CASCADES.items()}
    out, device = console(), Device()
    found = ", ".join(f"{len(windows.scores)} {name} windows" for name, windows in raw.items())
    out.print(f"{path.name}: {found}\n")

    kept, decayed = {}, {}
    for name, windows in raw.items():
        call = {"boxes": windows.boxes, "scores": windows.scores, "iou_threshold": IOU_THRESHOLD}
        what = f"{len(windows.scores)} {name} windows"
        kept[name] = windows[device.call("nms", what, **call, score_threshold=MIN_SCORE)[1]]
        dets, _ = device.call("soft_nms", what, **call, min_score=MIN_SCORE)
        decayed[name] = Windows(dets[:, :4], dets[:, 4])

    # The best windows of both detectors become regions of the only image.
    picked = [
        (name, score, box)
        for name, windows in decayed.items()
        for box, score in zip(windows.boxes, windows.scores, strict=True)
    ]
    picked = sorted(picked, key=lambda entry: -entry[1])[:CROPS]
    if not picked:
        sys.exit(f"demo: the cascades find nothing in {path}")
    rois = np.array([[0, *box] for _, _, box in picked], np.float32).reshape(-1, 5)
    planes = np.ascontiguousarray(image.transpose(2, 0, 1)[None], np.float32) / 255
    sizes = {"output_height": CROP_SIZE, "output_width": CROP_SIZE, "sampling_ratio": 2}
    (crops,) = device.call("roi_align", f"{len(rois)} windows", input=planes, rois=rois, **sizes)

    out.print("Against the reference on the same input:")
    out.print(device.parity)
    out.print(f"\nThe kernels on the simulated {device.soc}:")
    out.print(device.costs)
    options.out.mkdir(parents=True, exist_ok=True)
    image_path = options.out / "detect_faces.jpg"
    stages = {"Before": raw, "NMS": kept, "SoftNMS": decayed}
    picture(image_path, image, stages, crops, [entry[:2] for entry in picked])
    out.print(f"\npicture: {image_path}")
    return 1 if device.wrong else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Resamples a real recording with UpsampleLinear1d in three dtypes, with all three implementations.

The recording is utterance a0007 of CMU ARCTIC (Carnegie Mellon University, free for any use with its notice kept),
which the source package of pysptk on PyPI contains. The example prints how far the implementations differ and what
the kernel costs on the simulated device. It leaves a picture and the resampled recording in demo_output/.
"""

from __future__ import annotations

import argparse
import sys
import wave
from pathlib import Path

import numpy as np
from packaged import PackagedFile

import ascend_vision_ops as avo
from ascend_vision_ops import profiling
from ascend_vision_ops.tables import console, ranged, table
from ascend_vision_ops.testing import Comparison, compare
from ascend_vision_ops.testing.cases import numpy_dtype
from ascend_vision_ops.testing.run import expected, run, spec_of

RECORDING = PackagedFile(
    what="recording",
    package="pysptk==1.0.1",
    member="pysptk-1.0.1/pysptk/example_audio_data/arctic_a0007.wav",
    sha256="1b850392f8c87ee2efe5a686523f1bab61d2a38d59bc43d1127e17e406f9e57d",
    options=("--no-binary", "pysptk"),
)
DTYPES = ("float32", "float16", "bfloat16")
IMPLEMENTATIONS = {"reference": "NumPy reference", "cpu": "CPU kernel", "aclnn": "AscendC kernel, aclnn"}


def read_wave(path: Path) -> tuple[np.ndarray, int]:
    """Reads samples in -1..1 and their rate."""
    with wave.open(str(path)) as file:
        samples = np.frombuffer(file.readframes(file.getnframes()), "<i2")
        return samples / 32768, file.getframerate()


def write_wave(path: Path, samples: np.ndarray, rate: int) -> None:
    with wave.open(str(path), "wb") as file:
        file.setnchannels(1)
        file.setsampwidth(2)
        file.setframerate(rate)
        file.writeframes((np.clip(samples, -1, 1) * 32767).astype("<i2").tobytes())


def resample(implementation: str, signal: np.ndarray, out_length: int) -> np.ndarray:
    arguments = {"self": signal, "output_size": [out_length]}
    if implementation == "reference":
        return avo.reference.upsample_linear1d(**arguments)
    return run("upsample_linear1d", implementation, arguments)[0]


def picture(path: Path, samples: np.ndarray, rate: int, results: dict, wanted: dict, out_rate: int) -> None:
    """Draws the whole recording, a piece of it before and after, and the error of every dtype in that piece."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    ink, grey, colours = (
        "#1b2a41",
        "#8795a8",
        {"float32": "#0a7d8c", "float16": "#e07a1f", "bfloat16": "#b5304a"},
    )
    plt.rcParams.update({"font.size": 9.5, "axes.edgecolor": grey, "axes.labelcolor": ink, "text.color": ink})
    plt.rcParams.update(
        {"xtick.color": ink, "ytick.color": ink, "axes.spines.top": False, "axes.spines.right": False}
    )
    figure, axes = plt.subplots(3, 1, figsize=(10, 8.2), height_ratios=[1, 1.9, 1], layout="constrained")
    figure.suptitle(
        "A recording resampled by UpsampleLinear1d on the simulated Ascend NPU", fontsize=13, weight="bold"
    )

    # The picture shows twenty input samples around the loudest moment, which can be told apart.
    loudest = int(np.argmax(np.abs(samples)))
    start, stop = loudest - 9, loudest + 15
    seconds = np.arange(len(samples)) / rate
    # Samples have centres, as pixels do: the first output lies half an output's width behind the edge of the first
    # input.
    out_seconds = (np.arange(wanted["float32"].size) + 0.5) / out_rate - 0.5 / rate
    inside = (out_seconds >= seconds[start]) & (out_seconds <= seconds[stop])

    whole, zoom, errors = axes
    whole.plot(seconds, samples, color=ink, linewidth=0.4)
    whole.axvline(seconds[loudest], color=colours["bfloat16"], linewidth=1)
    whole.set(xlim=(0, seconds[-1]), xlabel="seconds", ylabel="amplitude")
    title = (
        f"CMU ARCTIC a0007, {len(samples):,} samples at {rate / 1000:g} kHz; the line marks the stretch below"
    )
    whole.set_title(title, loc="left", fontsize=10)

    milliseconds = 1e3 * (out_seconds[inside] - seconds[start])
    before = 1e3 * (seconds[start : stop + 1] - seconds[start])
    style = {"color": ink, "markersize": 8, "markerfacecolor": "white", "markeredgewidth": 1.5, "zorder": 3}
    zoom.plot(before, samples[start : stop + 1], "o", label=f"recording, {rate / 1000:g} kHz", **style)
    for dtype, size in zip(DTYPES, (11, 6, 2), strict=True):
        after = results[dtype]["aclnn"].astype(np.float64).reshape(-1)[inside]
        style = {"color": colours[dtype], "markersize": size + 2, "linewidth": 0.8, "zorder": 4}
        zoom.plot(milliseconds, after, ".-", label=f"{dtype}, {out_rate / 1000:g} kHz", **style)
    zoom.set(xlabel="milliseconds", ylabel="amplitude")
    zoom.set_title("Before and after, AscendC kernel through aclnnUpsampleLinear1d", loc="left", fontsize=10)
    zoom.legend(frameon=False, ncols=2, loc="upper right")

    for dtype in DTYPES:
        after = results[dtype]["aclnn"].astype(np.float64).reshape(-1)
        error = np.abs(after - wanted[dtype].reshape(-1))
        blocks = error[: error.size // 512 * 512].reshape(-1, 512).max(axis=1)
        at = np.arange(blocks.size) * 512 / out_rate
        errors.semilogy(at, np.maximum(blocks, 1e-12), color=colours[dtype], linewidth=0.9, label=dtype)
    errors.set(xlim=(0, seconds[-1]), xlabel="seconds", ylabel="|error|")
    title = "Difference from the float64 reference on the same input, largest of 512 samples"
    errors.set_title(title, loc="left", fontsize=10)
    errors.set_ylim(top=errors.get_ylim()[1] * 30)
    errors.legend(frameon=False, ncols=3, loc="upper right")
    figure.savefig(path, dpi=120, facecolor="white")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rate", type=int, default=44100, help="sampling rate of the result (44100)")
    parser.add_argument("--out", type=Path, default=Path("demo_output"), metavar="DIR")
    parser.add_argument(
        "--cache", type=Path, default=Path("build/recordings"), metavar="DIR", help="keeps the recording"
    )
    options = parser.parse_args()

    path = RECORDING.fetch(options.cache)
    samples, rate = read_wave(path)
    out_length = len(samples) * options.rate // rate
    out = console()
    out.print(f"{path.name}: {len(samples):,} samples at {rate} Hz -> {out_length:,} at {options.rate} Hz\n")

    spec = spec_of("upsample_linear1d")
    parity = table("dtype", "implementation", ">max error", "tolerance", "verdict")
    costs = table(
        "dtype", ">cores", ">GM bytes / least", ">modelled us", ">roofline us", ">modelled / roofline"
    )
    results: dict[str, dict[str, np.ndarray]] = {}
    wanted, wrong = {}, 0
    for dtype in DTYPES:
        signal = samples.astype(numpy_dtype(dtype)).reshape(1, 1, -1)
        wanted[dtype] = expected("upsample_linear1d", {"self": signal, "output_size": [out_length]})[0]
        results[dtype] = {name: resample(name, signal, out_length) for name in IMPLEMENTATIONS}
        for name, title in IMPLEMENTATIONS.items():
            tolerance = spec.tolerance[dtype]
            verdict: Comparison = compare(results[dtype][name], wanted[dtype], numpy_dtype(dtype), tolerance)
            wrong += not verdict.ok
            word = "[green]ok[/]" if verdict.ok else f"[red]{verdict.message}[/]"
            parity.add_row(dtype, title, f"{verdict.max_error:.3g}", str(tolerance), word)
        figures = profiling.profile("upsample_linear1d", {"self": signal, "output_size": [out_length]})
        costs.add_row(
            dtype, f"{figures.cores} of {figures.device['vector_cores']}", f"{figures.bytes_over_least:.3f}",
            ranged(figures.microseconds, figures.microseconds_range, unit=""),
            f"{figures.roofline_microseconds:.2f}", f"{figures.time_over_roofline:.2f}"
        )  # fmt: skip
    out.print("Against the float64 reference on the same input:")
    out.print(parity)
    out.print(f"\nThe kernel on the simulated {figures.device['soc']}:")
    out.print(costs)
    out.print(
        "(A recording of seconds is small: starting the cores takes longer than moving its bytes. "
        "`avo profile` shows larger calls.)"
    )
    options.out.mkdir(parents=True, exist_ok=True)
    image, audio = options.out / "resample_recording.png", options.out / f"{path.stem}_{options.rate}.wav"
    picture(image, samples, rate, results, wanted, options.rate)
    write_wave(audio, results["float32"]["aclnn"].reshape(-1), options.rate)
    out.print(f"\npicture: {image}\nrecording: {audio}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

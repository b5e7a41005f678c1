# SPDX-License-Identifier: Apache-2.0
"""The `atc` command that fits a model, and the configuration of AIPP for pre-processing that was cut off.

Both follow CANN's public pages (https://www.hiascend.com/document/detail/en/canncommercial/800/devaids/atc/):

    atlasatcparam_16_0018   --dynamic_batch_size: the first dimension is -1; not with other dynamic options
    atlasatcparam_16_0020   --dynamic_dims: 2 to 100 profiles; format ND; not with --insert_op_conf
    atlasatcparam_16_0044   --insert_op_conf: the input becomes uint8; not with a range of shapes of the only input;
                            with --dynamic_image_size, src_image_size_w and _h are 0
    atlasatcparam_16_0069   --precision_mode_v2; older releases have --precision_mode
    atlasatc_16_0022        AIPP's normalisation: (pixel - mean_chn_i - min_chn_i) * var_reci_chn_i

No ATC has run these commands here.
"""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import onnx_ir as ir

from ascend_vision_ops.onnx.execute import inputs_of
from ascend_vision_ops.onnx.files import ModelError
from ascend_vision_ops.onnx.passes._values import constant, label

# The names of the same modes in --precision_mode_v2 and, before it, in --precision_mode.
PRECISIONS = {
    "fp16": "force_fp16",
    "origin": "must_keep_origin_dtype",
    "mixed_float16": "allow_mix_precision",
}
FEWEST, MOST = 2, 100  # profiles
Profile = Mapping[str, int]


def open_dimensions(model: ir.Model) -> dict[str, list[tuple[ir.Value, int]]]:
    """The open dimensions of the inputs, by name, with input and axis of each. One without a name is `INPUT:AXIS`."""
    found: dict[str, list[tuple[ir.Value, int]]] = {}
    for value in inputs_of(model):
        for axis, dim in enumerate(value.shape or ()):
            if not isinstance(dim, int):
                found.setdefault(dim.value or f"{value.name}:{axis}", []).append((value, axis))
    return found


def check_profiles(model: ir.Model, profiles: Sequence[Profile]) -> None:
    """Raises ModelError where profiles do not say a size for each open dimension, or are too few or too many."""
    names = list(open_dimensions(model))
    if profiles and not FEWEST <= len(profiles) <= MOST:
        raise ModelError(f"--profile: ATC takes {FEWEST} to {MOST} profiles, got {len(profiles)}")
    for profile in profiles:
        if set(profile) != set(names):
            wanted = ",".join(f"{name}=N" for name in names) or "no profile, since no dimension is open"
            given = ",".join(f"{name}={size}" for name, size in profile.items())
            raise ModelError(f"--profile: expected {wanted}, got {given}")
        if any(size < 1 for size in profile.values()):
            raise ModelError(f"--profile: expected positive sizes, got {dict(profile)}")


def command(
    model: ir.Model,
    path: Path,
    soc: str,
    precision: str = "",
    profiles: Sequence[Profile] = (),
    aipp: Path | None = None,
    release: str = "8.0",
) -> list[str]:
    """The words of the `atc` command for a model that was written to `path`.

    soc: the name of the processor, as `npu-smi info` gives it after "Ascend".
    precision: a key of PRECISIONS; by default `origin` for a model with float16 in it, else `fp16`.
    profiles: sizes of the open dimensions by name (see `open_dimensions`). Without them, ATC compiles for any size.
    aipp: the configuration of AIPP, where the model needs one.
    release: the release of CANN; before 7.0 the option for the precision has another name.

    Raises ModelError where ATC has no options for this combination.
    """
    check_profiles(model, profiles)
    words = [
        "atc",
        "--framework=5",
        f"--model={path}",
        f"--output={path.with_suffix('')}",
        f"--soc_version={soc}",
    ]
    shaped = [value for value in inputs_of(model) if value.shape is not None and len(value.shape)]
    dynamic, layout = _dynamic(model, profiles, aipp is not None)
    words.append(f"--input_format={layout}")
    if shaped:
        shapes = (f"{value.name}:{','.join(_size(dim) for dim in value.shape)}" for value in shaped)
        words.append(f"--input_shape={';'.join(shapes)}")
    words += dynamic
    precision = precision or ("origin" if _has_float16(model) else "fp16")
    old = int(release.partition(".")[0]) < 7
    words.append(f"--precision_mode={PRECISIONS[precision]}" if old else f"--precision_mode_v2={precision}")
    return words + ([f"--insert_op_conf={aipp}"] if aipp else [])


def shell_text(words: Sequence[str]) -> str:
    """The command as a shell takes it, an option in each line."""
    return " \\\n    ".join(shlex.quote(word) for word in words)


def _size(dim) -> str:
    return str(dim) if isinstance(dim, int) else "-1"


def _has_float16(model: ir.Model) -> bool:
    values = (value for node in model.graph.all_nodes() for value in (*node.inputs, *node.outputs))
    return any(value is not None and value.dtype == ir.DataType.FLOAT16 for value in values)


def _dynamic(model: ir.Model, profiles: Sequence[Profile], aipp: bool) -> tuple[list[str], str]:
    """The options for open dimensions, and the format of the inputs."""
    dims = open_dimensions(model)
    images = all(value.shape is not None and len(value.shape) == 4 for value in inputs_of(model))
    layout = "NCHW" if images or aipp else "ND"
    if not profiles:
        if dims and aipp and len(inputs_of(model)) == 1:
            names = ", ".join(dims)
            raise ModelError(
                f"AIPP needs sizes where the model has one input: {names} is open; give --set {next(iter(dims))}=N "
                "or --profile"
            )
        return [], layout
    axes = {axis for places in dims.values() for _, axis in places}
    if axes == {0} and len(dims) == 1:
        (name,) = dims
        return [f"--dynamic_batch_size={','.join(str(profile[name]) for profile in profiles)}"], layout
    places = [place for group in dims.values() for place in group]
    if images and len(places) == 2 and axes == {2, 3} and places[0][0] is places[1][0]:
        height, width = (next(name for name, group in dims.items() if group[0][1] == axis) for axis in (2, 3))
        return [f"--dynamic_image_size={';'.join(f'{p[height]},{p[width]}' for p in profiles)}"], layout
    if aipp:
        raise ModelError(
            "ATC takes no AIPP together with --dynamic_dims, which these open dimensions need: "
            f"{', '.join(dims)}; leave out --aipp, or set all but the batch, or all but height and width"
        )
    # One number for each -1 in --input_shape, in that order.
    order = [
        dim.value or f"{value.name}:{axis}"
        for value in inputs_of(model)
        for axis, dim in enumerate(value.shape or ())
        if not isinstance(dim, int)
    ]
    rows = (",".join(str(profile[name]) for name in order) for profile in profiles)
    return [f"--dynamic_dims={';'.join(rows)}"], "ND"


# AIPP --------------------------------------------------------------------------------------------------------------

FORMATS = {1: "YUV400_U8", 3: "RGB888_U8"}


@dataclass(frozen=True)
class Aipp:
    """AIPP for one input.

    name: the model's input behind the pre-processing. rank: which input of the model this is.
    scale, offset: of each channel: a pixel x becomes scale * x + offset.
    height, width: of the image; 0 where they are open.
    was: the input before the pre-processing.
    """

    name: str
    rank: int
    scale: tuple[float, ...]
    offset: tuple[float, ...]
    height: int
    width: int
    was: str

    @property
    def rows(self) -> list[tuple[int, float, float]]:
        """For each channel mean_chn, a whole number, and min_chn and var_reci_chn, which are float16 numbers."""
        return [
            (int(-offset / scale), float(np.float16(-offset / scale % 1)), float(np.float16(scale)))
            for scale, offset in zip(self.scale, self.offset, strict=True)
        ]

    @property
    def error(self) -> float:
        """The largest difference to the nodes that AIPP replaces, over all pixels, because its numbers are float16."""
        pixels = np.arange(256.0)
        return max(
            float(np.abs((pixels - mean - low) * factor - (scale * pixels + offset)).max())
            for (mean, low, factor), scale, offset in zip(self.rows, self.scale, self.offset, strict=True)
        )

    def text(self) -> str:
        """The section of the configuration file."""
        lines = ["aipp_op {", "    aipp_mode: static", f"    related_input_rank: {self.rank}"]
        lines += [
            f"    input_format: {FORMATS[len(self.scale)]}",
            "    csc_switch: false",
            "    rbuv_swap_switch: false",
        ]
        lines += [f"    src_image_size_w: {self.width}", f"    src_image_size_h: {self.height}"]
        for channel, (mean, low, factor) in enumerate(self.rows):
            lines += [
                f"    mean_chn_{channel}: {mean}",
                f"    min_chn_{channel}: {low!r}",
                f"    var_reci_chn_{channel}: {factor!r}",
            ]
        return "\n".join([*lines, "}"])


def aipp_of(preprocessing: ir.Model, model: ir.Model) -> list[Aipp]:
    """AIPP for each input of `model` that the cut-off part makes.

    Raises ModelError, with the node, where AIPP cannot do what the part does: it takes uint8 images of 1 or 3 channels
    as N, H, W, C, subtracts at most 255 from each channel, multiplies, and gives N, C, H, W.
    """
    ranks = {value.name: rank for rank, value in enumerate(inputs_of(model))}
    found = []
    for value in preprocessing.graph.inputs:
        nodes = list(_chain(value))
        end = nodes[-1].outputs[0] if nodes else value
        if end.name in ranks:
            found.append(_aipp(value, nodes, end, ranks[end.name]))
    if not found:
        raise ModelError("no input of the model comes from the pre-processing that was cut off")
    return found


def _chain(value: ir.Value):
    while value.uses():
        node = next(iter(value.consumers()))
        yield node
        value = node.outputs[0]


def _aipp(value: ir.Value, nodes: list[ir.Node], end: ir.Value, rank: int) -> Aipp:
    shape = end.shape
    if shape is None or len(shape) != 4 or shape[1] not in FORMATS:
        raise ModelError(f"AIPP gives images N, C, H, W of 1 or 3 channels; {end.name!r} is {shape}")
    channels = shape[1]
    scale, offset = np.ones(channels), np.zeros(channels)
    transposes = [node for node in nodes if node.op_type == "Transpose"]
    axis = 3 if transposes else 1
    for node in nodes:
        if node.op_type == "Transpose":
            perm = list(node.attributes.get_ints("perm", ()))
            if perm != [0, 3, 1, 2] or node is not transposes[0]:
                raise ModelError(
                    f"{label(node)}: AIPP takes N, H, W, C and gives N, C, H, W, got perm {perm}"
                )
            axis = 1
        elif node.op_type in ("Sub", "Add", "Mul", "Div"):
            number = _per_channel(node, next(iter(node.inputs)), axis, channels)
            if node.op_type == "Sub":
                offset = offset - number
            elif node.op_type == "Add":
                offset = offset + number
            else:
                factor = number if node.op_type == "Mul" else 1 / number
                scale, offset = scale * factor, offset * factor
    lows = -offset / np.where(scale, scale, 1)
    if not np.all(scale) or not np.all(np.isfinite(lows)) or lows.min() < 0 or lows.max() > 255:
        raise ModelError(
            f"input {value.name!r}: AIPP subtracts 0 to 255 from a channel and multiplies by another number than 0, "
            f"this needs {[f'(x - {low:.4g}) * {factor:.4g}' for low, factor in zip(lows, scale, strict=True)]}"
        )
    height, width = (dim if isinstance(dim, int) else 0 for dim in shape[2:])
    return Aipp(
        end.name, rank, tuple(map(float, scale)), tuple(map(float, offset)), height, width, value.name
    )


def _per_channel(node: ir.Node, first: ir.Value | None, axis: int, channels: int) -> np.ndarray:
    array = next((constant(value) for value in node.inputs if constant(value) is not None), None)
    if array is None:
        raise ModelError(f"{label(node)}: AIPP needs a constant")
    wide = array.astype(np.float64)
    full = wide.reshape((1,) * (4 - wide.ndim) + wide.shape) if wide.ndim <= 4 else wide
    expected = tuple(channels if index == axis else 1 for index in range(4))
    if full.size != 1 and full.shape != expected:
        raise ModelError(
            f"{label(node)}: AIPP has one number for each channel, got a constant of shape {array.shape}"
        )
    return np.broadcast_to(full.reshape(-1), channels)

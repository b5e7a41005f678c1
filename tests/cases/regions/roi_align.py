# SPDX-License-Identifier: Apache-2.0
from itertools import product

from hypothesis import strategies as st

from ascend_vision_ops.testing import Array, Case, cases_module

ROIS = cases_module("_rois")
inside, on_pixels, irregular, sparse = ROIS.inside, ROIS.on_pixels, ROIS.irregular, ROIS.sparse
some_irregular = ROIS.some_irregular
MODES = ("avg", "max", "onnx_max")


def _case(name, shape, rois=None, bins=(2, 2), out="", **args):
    input = shape if isinstance(shape, Array) else Array(*shape)
    rois = rois or Array(4, 5, values=inside)
    args = {"input": input, "rois": rois, "output_height": bins[0], "output_width": bins[1], **args}
    return Case(f"{name} {input.shape} {bins} {list(args.values())[4:]}", args, out=out)


def cases():
    rois = Array(70, 5, values=on_pixels, layout="strided")
    for mode, ratio, aligned in product(MODES, (0, 2, 3), (True, False)):
        args = {"sampling_ratio": ratio, "mode": mode, "aligned": aligned}
        yield _case("regions", (2, 20, 24, 32), Array(9, 5, values=inside), (3, 5), **args)
        yield _case("irregular", (2, 20, 24, 32), Array(11, 5, values=irregular), (2, 3), **args)
        yield _case("on pixels", Array(2, 18, 24, 32, values="special"), rois, (7, 3), **args)
    for bins, scale, ratio in product(((1, 1), (7, 7), (1, 17), (14, 2), (9, 35)), (1.0, 3.0), (0, 2)):
        maps = Array(2, 5, 24, 90, values=sparse)
        yield _case("bins", maps, bins=bins, spatial_scale=scale, sampling_ratio=ratio)
    # Channels: around what is transposed at once, a group, and what a copy moves. Columns: around vectors.
    for channels, layout in product((1, 15, 17, 64, 257, 1030), ("dense", "channels_last")):
        yield _case("channels", Array(2, channels, 9, 10, values=sparse, layout=layout), sampling_ratio=2)
    for channels, columns in enumerate((1, 3, 4, 5, 8, 9, 15, 16, 17, 33, 700), 1):
        yield _case("size", (2, channels, 36 % columns + 1, columns), bins=(9, 5))
    for ratio, mode in product((1, 3, 7, 40), ("avg", "max")):
        yield _case("ratio", Array(2, 4, 24, 32, values="wide"), sampling_ratio=ratio, mode=mode)
    yield _case("far", (2, 2, 500, 480), bins=(5, 5), spatial_scale=16.0, sampling_ratio=2)
    for layout in ("dense", "strided", "transposed", "offset", "broadcast", "channels_last"):
        yield _case(layout, Array(2, 3, 24, 32, layout=layout), rois, spatial_scale=0.75, out="transposed")
        for mode in MODES:
            yield _case(
                "crowd", Array(2, 35, 17, 19, layout=layout), rois, (8, 17), mode=mode
            )  # regions share a copy
            yield _case(layout, Array(2, 35, 24, 32, values="special", layout=layout), rois, mode=mode)
    # Bins that share most of what they read: CPUs read rows by vectors instead of bin by bin.
    for layout, mode in product(("dense", "channels_last"), MODES):
        maps = Array(2, 300, 24, 32, values="special", layout=layout)
        yield _case("shared", maps, bins=(8, 8), sampling_ratio=2, mode=mode)
    # Regions for each core of most devices, and some more: cores get whole ones, and parts of these.
    for channels, bins, values in product((20, 130), ((4, 4), (7, 3)), ("normal", "special")):
        maps = Array(2, channels, 24, 31, values=values)
        for regions in (on_pixels, inside, some_irregular):
            many = Array(64, 5, values=regions)
            yield _case("whole", maps, many, bins, sampling_ratio=2, aligned=bins == (4, 4))
    yield _case("large", (2, 6, 200, 64), Array(70, 5, values=inside), (51, 50), sampling_ratio=1)
    yield _case("no regions", (2, 3, 4, 5), Array(0, 5))


def oracle(input, rois, output_height, output_width, spatial_scale=1.0, sampling_ratio=0, mode="avg", **args):
    bins, aligned = (output_height, output_width), args.get("aligned", True)
    return ROIS.onnx_roi_align(input, rois, *bins, spatial_scale, sampling_ratio, mode, aligned)


@st.composite
def strategy(draw):
    return {
        "input": Array(2, draw(st.integers(1, 40)), draw(st.integers(1, 30)), draw(st.integers(1, 30))),
        "rois": Array(draw(st.integers(0, 12)), 5, values=inside),
        "output_height": draw(st.integers(1, 8)), "output_width": draw(st.integers(1, 8)),
        "spatial_scale": draw(st.sampled_from([1.0, 0.25, 1.75])), "sampling_ratio": draw(st.integers(0, 4)),
        "mode": draw(st.sampled_from(MODES)), "aligned": draw(st.booleans()),
    }  # fmt: skip

# SPDX-License-Identifier: Apache-2.0
from itertools import product

from hypothesis import strategies as st

from ascend_vision_ops.testing import Array, Case, cases_module

ROIS = cases_module("_rois")
inside, on_pixels, irregular = ROIS.inside, ROIS.on_pixels, ROIS.irregular
MODES = ("avg", "max", "onnx_max")


def _case(name, size, rois=(4, inside), bins=(2, 3), layout="dense", out="", values="normal", **args):
    count, generator = rois
    args = {
        "grad_output": Array(count, size[1], *bins, values=values, layout=layout),
        "rois": Array(count, 5, values=generator),
        "input_size": list(size),
        "output_height": bins[0],
        "output_width": bins[1],
        **args,
    }
    if args.get("mode", "avg") != "avg":
        args["input"] = Array(*size, layout=layout)
    extras = [value for key, value in args.items() if key in ("sampling_ratio", "mode", "aligned")]
    return Case(f"{name} {size} {bins} {extras}", args, out=out)


def cases():
    for mode, ratio, aligned in product(MODES, (0, 2), (True, False)):
        args = {"sampling_ratio": ratio, "mode": mode, "aligned": aligned}
        yield _case("regions", (2, 20, 24, 32), (9, inside), (3, 5), **args)
        yield _case("irregular", (2, 3, 24, 32), (11, irregular), **args)
    for channels, mode in product((1, 17, 257), ("avg", "max")):
        yield _case("channels", (2, channels, 9, 10), sampling_ratio=2, mode=mode)
    for size in ((2, 3, 1, 40), (2, 3, 40, 1), (2, 2, 3, 200), (2, 40, 5, 70)):
        yield _case("size", size, sampling_ratio=2, spatial_scale=1.5)
    for ratio, mode in product((1, 7, 14), ("avg", "max")):
        yield _case("ratio", (2, 4, 24, 32), sampling_ratio=ratio, mode=mode)
    for layout in ("strided", "transposed", "offset"):
        yield _case(layout, (2, 3, 24, 32), (70, inside), layout=layout, out="transposed", mode="max")
    for mode, ratio in product(MODES, (0, 1, 3)):
        args = {"mode": mode, "sampling_ratio": ratio}
        yield _case("on pixels", (2, 3, 24, 32), (12, on_pixels), (3, 7), values="special", **args)
    yield _case("many regions", (2, 2, 24, 32), (600, inside), (1, 2), sampling_ratio=1)
    yield _case("no regions", (2, 3, 4, 5), (0, inside))


@st.composite
def strategy(draw):
    size = [2, draw(st.integers(1, 20)), draw(st.integers(1, 30)), draw(st.integers(1, 30))]
    bins, mode = [draw(st.integers(1, 6)), draw(st.integers(1, 6))], draw(st.sampled_from(MODES))
    case = _case("random", size, (draw(st.integers(0, 12)), inside), bins, mode=mode)
    return {**case.args, "sampling_ratio": draw(st.integers(0, 3)), "aligned": draw(st.booleans())}

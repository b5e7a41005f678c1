# SPDX-License-Identifier: Apache-2.0
"""mmcv: its CPU operators in C++, which its package for CPUs leaves out, and its functions that only use torch.

`python benchmarks/peers/mmcv.py SOURCES` compiles four of the operators from an unpacked source distribution, into the
environment of the Python that runs it.
"""

from __future__ import annotations

import functools
import sys
from pathlib import Path

import torch

VERSION = "2.2.0"
LIBRARY = Path(sys.prefix) / "lib" / "avo_peer_mmcv" / "avo_peer_mmcv.so"
KINDS = ("nms", "roi_align", "modulated_deform_conv")


def build(sources: Path) -> None:
    from torch.utils import cpp_extension

    root, folder = sources / "mmcv" / "ops" / "csrc", LIBRARY.parent
    folder.mkdir(parents=True, exist_ok=True)
    files = [Path(__file__).with_name("mmcv_ops.cpp")]
    # An object gets the name of its source, and the two sources of a kind have the same name.
    for kind in KINDS:
        for part in (root / "pytorch", root / "pytorch" / "cpu"):
            files.append(folder / f"{part.name}_{kind}.cpp")
            files[-1].unlink(missing_ok=True)
            files[-1].symlink_to(part / f"{kind}.cpp")
    cpp_extension.load(
        LIBRARY.stem,
        [str(file) for file in files],
        extra_cflags=["-O3", "-w"],
        extra_include_paths=[str(root), str(root / "common")],
        build_directory=str(folder),
        is_python_module=False,
        verbose=True,
    )


@functools.cache
def operators():
    """Gives torch.ops.avo_peer_mmcv with nms, softnms, roi_align and modulated_deform_conv."""
    if not LIBRARY.exists():
        raise ImportError("mmcv's operators are not compiled: ./build.sh bench setup")
    torch.ops.load_library(LIBRARY)
    return torch.ops.avo_peer_mmcv


if __name__ == "__main__":
    build(Path(sys.argv[1]))

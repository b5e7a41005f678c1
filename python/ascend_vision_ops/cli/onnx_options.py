# SPDX-License-Identifier: Apache-2.0
"""The options of `avo onnx view`, and those of `avo onnx convert` that are about deployment."""

from __future__ import annotations

import argparse

VIEW_EXAMPLES = """\
examples:
  avo onnx view detector.onnx -o detector.html
  avo onnx view detector.onnx --after small.onnx -o both.html
  avo onnx view detector.onnx --passes default,prelu_to_relu -o both.html
"""


def add_to(commands: argparse._SubParsersAction) -> None:
    """Adds the verb and the options to the parsers of `avo onnx`."""
    _view(commands)
    _deployment(commands.choices["convert"])


def _deployment(made: argparse.ArgumentParser) -> None:
    text = "the size of an open dimension, by its name, or by INPUT:AXIS where it has none; repeat it for several"
    made.add_argument("--set", action="append", default=[], metavar="NAME=N", help=text)
    made.add_argument(
        "--float16", action="store_true", help="compute in float16, except for nodes that cannot"
    )
    text = "a type or a name of nodes that stay float32; repeat it for several"
    made.add_argument("--keep-float32", action="append", default=[], metavar="NAME", help=text)
    text = (
        "cut off leading Cast, Sub, Div, … of images, and write what does them on the device to OUT.aipp.cfg"
    )
    made.add_argument("--aipp", action="store_true", help=text)
    text = "for the atc command: the sizes of all open dimensions in one profile; repeat it, at least twice"
    made.add_argument("--profile", action="append", default=[], metavar="NAME=N,…", help=text)
    text = "for the atc command: the processor, as npu-smi info names it (default: Ascend910B1)"
    made.add_argument("--soc", default="Ascend910B1", metavar="NAME", help=text)
    text = "for the atc command: the types to compute in (default: origin after --float16, else fp16)"
    made.add_argument("--precision", choices=("fp16", "origin", "mixed_float16"), help=text)
    _cann(made)


def _view(commands: argparse._SubParsersAction) -> None:
    text = "writes the graph of a model as one page, also before and after passes, which needs no network"
    made = commands.add_parser(
        "view", help=text, description=text[0].upper() + text[1:] + ".", epilog=VIEW_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )  # fmt: skip
    made.set_defaults(name="view")
    made.add_argument("model", metavar="MODEL", help="the ONNX file")
    made.add_argument("-o", "--output", required=True, metavar="PAGE", help="the file to write, as view.html")
    other = made.add_mutually_exclusive_group()
    other.add_argument("--after", metavar="MODEL", help="a second model, to show what is different")
    other.add_argument(
        "--passes", metavar="A,B=ARG,…", help="show what these passes or presets make of the model"
    )
    _cann(made)


def _cann(made: argparse.ArgumentParser) -> None:
    text = "the release of CANN whose public list of operators counts: 5.0.4 or 8.0 (default: 8.0)"
    made.add_argument("--cann", default="8.0", metavar="RELEASE", help=text)

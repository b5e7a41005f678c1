# SPDX-License-Identifier: Apache-2.0
"""`avo`: what is here, whether it is right, what it costs, and how to build against it."""

from __future__ import annotations

import argparse
import sys

import ascend_vision_ops
from ascend_vision_ops.opgen.__main__ import new_options

EXAMPLES = """\
examples:
  avo list
  avo parity upsample_linear1d
  avo profile upsample_linear1d --shape 8,512,1024 --attr output_size=[4096] --dtype float16
  avo profile 'upsample_linear1d(self=f32[1,80,1500],output_size=[3000])' --trace trace.json
  avo tiling upsample_linear1d --shape 1,80,1500 --attr output_size=[3000] --cores 3
  c++ program.cpp $(avo config --cflags --libs)
  avo onnx simplify detector.onnx -o small.onnx --check 3
"""


class Failure(Exception):
    """Ends the command with one line on stderr."""


def _call_arguments(sub: argparse.ArgumentParser, required: bool = True) -> None:
    call = "operator, or a whole call: op(self=f16[1,8,7],…)"
    sub.add_argument("call", metavar="OP", nargs=None if required else "?", help=call)
    shape = "shape of a tensor, the first one without NAME"
    sub.add_argument("--shape", action="append", default=[], metavar="[NAME=]N,…", help=shape)
    sub.add_argument("--dtype", help="dtype of the first tensor (float32)")
    attribute = "attribute, in Python's notation"
    sub.add_argument("--attr", action="append", default=[], metavar="NAME=VALUE", help=attribute)
    sub.add_argument("--soc", help="device to simulate, such as Ascend910B1")


def _onnx_commands(sub: argparse.ArgumentParser) -> None:
    commands = sub.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, text: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        made.set_defaults(name=name)
        made.add_argument(
            "model", metavar="MODEL", nargs="?" if name == "simplify" else None, help="ONNX file"
        )
        return made

    def checks(made: argparse.ArgumentParser, count: int) -> None:
        text = f"made-up inputs to compare each pass's result on ({count}; 0 for none)"
        made.add_argument("--check", type=int, default=count, metavar="N", help=text)
        shapes(made)

    def shapes(made: argparse.ArgumentParser) -> None:
        text = "shape of a made-up input, where the model leaves it open"
        made.add_argument("--shape", action="append", default=[], metavar="NAME=N,…", help=text)
        made.add_argument("--seed", type=int, default=0, help="of made-up inputs (0)")

    command("info", "nodes by type and what runs each; operator sets, open dimensions, weights")

    made = command("simplify", "runs passes over a model until nothing changes any more")
    made.add_argument("-o", "--output", metavar="OUT", help="file to write; none is written without")
    made.add_argument("--passes", default="default", metavar="A,B=ARG,…", help="passes or presets (default)")
    made.add_argument("--list", action="store_true", help="lists passes and presets")
    made.add_argument(
        "--batch", metavar="N|dynamic", help="another batch size; the same as --passes set_batch=N,…"
    )
    made.add_argument("--once", action="store_true", help="runs each pass once")
    checks(made, 1)

    made = command("convert", "renames custom nodes for Ascend's ATC, or back for ONNX Runtime")
    made.add_argument("--flavour", required=True, choices=("atc", "ort"), help="who is to read the model")
    made.add_argument("--opset", type=int, metavar="V", help="standard operator set (atc: at most 18)")
    made.add_argument("-o", "--output", required=True, metavar="OUT", help="file to write")
    checks(made, 1)

    made = command("run", "runs a model with ONNX Runtime and our operators")
    text = "file.npy, or random:1,3,64,64; inputs that are left out are made up"
    made.add_argument("--input", action="append", default=[], metavar="NAME=VALUE", help=text)
    made.add_argument("-o", "--output", metavar="OUT", help="folder to write NAME.npy of each output to")
    made.add_argument("--seed", type=int, default=0, help="of random inputs (0)")

    shapes(command("parity", "ONNX Runtime against onnx's reference evaluator, node by node"))


def parser() -> argparse.ArgumentParser:
    top = argparse.ArgumentParser(
        prog="avo", description=__doc__, epilog=EXAMPLES, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    top.add_argument(
        "--version", action="version", version=f"ascend-vision-ops {ascend_vision_ops.__version__}"
    )
    commands = top.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, module: str, text: str) -> argparse.ArgumentParser:
        sub = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        sub.set_defaults(module=module, name=name)
        return sub

    command("list", "show", "operators, their dtypes, targets and entry points")

    sub = command("parity", "parity", "CPU and AscendC kernels against the reference, on all cases")
    sub.add_argument("operators", metavar="OP", nargs="*", help="operators (all)")

    sub = command("profile", "profile", "what one call costs on the simulated device")
    _call_arguments(sub, required=False)
    sub.add_argument("--trace", metavar="FILE", help="writes a trace for chrome://tracing or ui.perfetto.dev")
    sub.add_argument("--calibration", action="store_true", help="the model beside published measurements")

    sub = command("tiling", "show", "the tiling that a call gets, field by field; needs no device")
    _call_arguments(sub)
    sub.add_argument("--cores", type=int, help="vector cores, instead of the device's")
    sub.add_argument("--ub", type=int, metavar="BYTES", help="Unified Buffer, instead of the device's")

    sub = command("config", "show", "what a compiler needs to build ACL programs, and where libraries are")
    for option in ("cflags", "libs", "includedir", "libdir", "cmakedir"):
        sub.add_argument(f"--{option}", action="store_true")
    library = "the library of custom operators, for RegisterCustomOpsLibrary_V2 of ONNX Runtime"
    sub.add_argument("--onnxruntime", action="store_true", help=library)

    sub = command("onnx", "onnx", "ONNX models: simplify, convert for ATC, run, compare")
    _onnx_commands(sub)

    sub = command(
        "new", "show", "writes the files of a new operator in a source tree, as stubs that build and run"
    )
    new_options(sub)
    sub.add_argument("--root", default=".", metavar="DIR", help="source tree (the current folder)")
    return top


def main(argv: list[str] | None = None) -> int:
    """Runs a command; wrong use and failures print one line and give 1 or 2."""
    import importlib

    options = parser().parse_args(argv)
    try:
        module = importlib.import_module(f"{__name__}.{options.module}")
        return getattr(module, f"run_{options.name}")(options)
    except (Failure, ValueError, FileNotFoundError, RuntimeError) as error:
        print(f"avo: {error}", file=sys.stderr)
        return 1
    except ImportError as error:
        print(f"avo: the package is not built ({error}); ./build.sh build makes it", file=sys.stderr)
        return 1
    except BrokenPipeError:  # `avo list | head`
        sys.stderr.close()
        return 0

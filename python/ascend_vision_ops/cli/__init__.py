# SPDX-License-Identifier: Apache-2.0
"""`avo` lists the operators, compares them with their references, profiles them, and helps to add and to use them."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys

import ascend_vision_ops
from ascend_vision_ops import ascend_headers
from ascend_vision_ops._extras import advice
from ascend_vision_ops.cli import onnx_options
from ascend_vision_ops.opgen.__main__ import new_options

EXAMPLES = """\
examples:
  avo list
  avo parity upsample_linear1d
  avo doctor
  avo parity --device npu --report report.json.gz
  avo profile upsample_linear1d --shape 8,512,1024 --attr output_size=[4096] --dtype float16
  avo profile 'upsample_linear1d(self=f32[1,80,1500],output_size=[3000])' --html profile.html
  avo tiling upsample_linear1d --shape 1,80,1500 --attr output_size=[3000] --cores 3
  avo parity upsample_linear1d --ascend-headers /usr/local/Ascend/ascend-toolkit/latest
  c++ program.cpp $(avo config --cflags --libs)
  avo sim run add.asc
  avo onnx simplify detector.onnx -o small.onnx --check 3
"""


class Failure(Exception):
    """Ends the command with status 1; the message is its one line on stderr."""


def _headers_option(sub: argparse.ArgumentParser) -> None:
    text = "run kernels that are compiled against CANN's own AscendC headers in DIR (default: AVO_ASCEND_HEADERS)"
    sub.add_argument("--ascend-headers", metavar="DIR", help=text)


def _device_options(sub: argparse.ArgumentParser) -> None:
    case = "only this case, as a report prints it; repeat it for several cases"
    sub.add_argument("--case", action="append", default=[], metavar="LINE", help=case)
    sub.add_argument(
        "--quick", action="store_true", help="twelve cases of each operator, spread over all its cases"
    )
    device = (
        "run the torch operators on an NPU (npu), or on the simulated device under torch_npu (sim), in processes that "
        "may die; the options below belong to it"
    )
    sub.add_argument("--device", choices=("npu", "sim"), help=device)
    sub.add_argument(
        "--report", metavar="FILE", help="write one line of JSON for each case; .gz compresses it"
    )
    sub.add_argument(
        "--resume", action="store_true", help="go on with FILE, and leave out the cases that it has"
    )
    sub.add_argument(
        "--timeout", type=float, default=120, metavar="S", help="a case hangs after S seconds (default: 120)"
    )
    repeat = "turns of ten calls that are timed for a case; 0 times nothing (default: 10 on npu, 0 on sim)"
    sub.add_argument("--repeat", type=int, metavar="N", help=repeat)
    sub.add_argument(
        "--no-model", action="store_true", help="leave out the modelled times, which take a while"
    )


def _call_arguments(sub: argparse.ArgumentParser, required: bool = True) -> None:
    call = "the operator; or a whole call, such as 'op(self=f16[1,8,7],…)', which needs no further option"
    sub.add_argument("call", metavar="OP", nargs=None if required else "?", help=call)
    shape = "the shape of tensor NAME, or of the first tensor if there is no NAME; repeat it for each tensor"
    sub.add_argument("--shape", action="append", default=[], metavar="[NAME=]N,…", help=shape)
    sub.add_argument("--dtype", help="the dtype of the first tensor (default: float32)")
    attribute = "the value of an attribute, written as in Python; repeat it for each attribute"
    sub.add_argument("--attr", action="append", default=[], metavar="NAME=VALUE", help=attribute)
    sub.add_argument("--soc", help="the device to simulate, such as Ascend910B1")


def _onnx_commands(sub: argparse.ArgumentParser) -> None:
    commands = sub.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, text: str) -> argparse.ArgumentParser:
        made = commands.add_parser(name, help=text, description=text[0].upper() + text[1:] + ".")
        made.set_defaults(name=name)
        made.add_argument(
            "model", metavar="MODEL", nargs="?" if name == "simplify" else None, help="the ONNX file"
        )
        return made

    def checks(made: argparse.ArgumentParser, count: int) -> None:
        text = f"compare the model before and after each pass on N random inputs; 0 compares nothing (default: {count})"
        made.add_argument("--check", type=int, default=count, metavar="N", help=text)
        values(made)
        shapes(made)

    def values(made: argparse.ArgumentParser) -> None:
        text = "an input: file.npy, random:1,3,64,64 or 1x3x64x64 for random numbers, or literal numbers as in sr=16000"
        made.add_argument("--input", action="append", default=[], metavar="NAME=VALUE", help=text)

    def shapes(made: argparse.ArgumentParser) -> None:
        text = "the shape of a random input, where the model leaves it open; repeat it for each input"
        made.add_argument("--shape", action="append", default=[], metavar="NAME=N,…", help=text)
        made.add_argument("--seed", type=int, default=0, help="the seed of random inputs (default: 0)")

    command(
        "info",
        "lists the node types with who can run them, operator sets, inputs with open dimensions, and weights",
    )

    made = command("simplify", "runs passes over a model until no pass changes it")
    made.add_argument(
        "-o", "--output", metavar="OUT", help="the file to write; without it, nothing is written"
    )
    made.add_argument(
        "--passes",
        default="default",
        metavar="A,B=ARG,…",
        help="passes or presets, in this order (default: the preset 'default')",
    )
    made.add_argument("--list", action="store_true", help="list all passes and presets")
    made.add_argument(
        "--batch", metavar="N|dynamic", help="set the batch size first; short for --passes set_batch=N,…"
    )
    made.add_argument("--once", action="store_true", help="run each pass only once")
    checks(made, 1)

    made = command(
        "convert",
        "renames custom nodes so that Ascend's ATC reads the model, or back so that ONNX Runtime does",
    )
    made.add_argument("--flavour", required=True, choices=("atc", "ort"), help="who will read the model")
    made.add_argument(
        "--opset",
        type=int,
        metavar="V",
        help="convert to this version of the standard operator set (atc reads at most 18)",
    )
    made.add_argument("-o", "--output", required=True, metavar="OUT", help="the file to write")
    checks(made, 1)

    made = command("run", "runs a model with ONNX Runtime and this package's operators")
    values(made)
    shapes(made)
    made.add_argument("-o", "--output", metavar="OUT", help="write each output as NAME.npy into this folder")

    made = command("parity", "compares ONNX Runtime with the reference evaluator of onnx, node by node")
    values(made)
    shapes(made)
    onnx_options.add_to(commands)


def _sim_commands(sub: argparse.ArgumentParser) -> None:
    commands = sub.add_subparsers(required=True, metavar="COMMAND")
    text = "compares what kernels issue on the package's own AscendC headers and on CANN's"
    made = commands.add_parser("compare", help=text, description=text[0].upper() + text[1:] + ".")
    made.set_defaults(name="compare")
    _call_arguments(made, required=False)
    made.add_argument("--case", metavar="NAME", help="only the case of this name (default: all cases)")
    _headers_option(made)
    libraries = "kernel libraries that were compiled against CANN's headers, in the place of --ascend-headers"
    made.add_argument("--kernels", metavar="PATH", help=libraries)
    scalar = "compare accesses of the scalar unit too, which the compiler merges"
    made.add_argument("--scalar", action="store_true", help=scalar)
    text = "shows what the judges said about a program (AVO_SIM_REPORT names the file); status 1 where it has errors"
    made = commands.add_parser("report", help=text, description=text[0].upper() + text[1:] + ".")
    made.set_defaults(module="sim_report", name="judgements")
    made.add_argument("file", metavar="FILE", help="the report")
    made.add_argument("--junit", metavar="XML", help="write JUnit's XML: a test case for each launch")
    made.add_argument("--json", metavar="JSON", help="write one object with the totals and the launches")
    _program_commands(commands)


RUN_EXAMPLES = """\
examples:
  avo sim run add.asc                                        build and run; the status is 1 where a judge finds an error
  avo sim run main.cpp kernel.asc -I include -D TILE=128 -- --length 4096
  avo sim run add.asc --on-fault abort --junit faults.xml --html run.html
  avo sim run add.asc --ascend-headers /usr/local/Ascend/ascend-toolkit/latest
"""
BUILD_EXAMPLES = """\
examples:
  avo sim build add.asc -o add && ./add
  avo sim build main.cpp kernel.asc -I include -o program
  avo sim build -c kernel.asc -o kernel.o                    an object, for the linker of another build
  avo sim build kernel.asc -X=-shared -o libkernel.so
"""


def _program_commands(commands: argparse._SubParsersAction) -> None:
    def command(name: str, text: str, examples: str) -> argparse.ArgumentParser:
        made = commands.add_parser(
            name, help=text, description=text[0].upper() + text[1:] + ".", epilog=examples,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )  # fmt: skip
        made.set_defaults(module="sim_run", name=name)
        files = (
            "sources with kernels (.asc), sources of the host (.cpp), objects and libraries; they stand together, "
            "before the options or behind them"
        )
        made.add_argument("files", metavar="FILE", nargs="+", help=files)
        made.add_argument(
            "-I", dest="include", action="append", default=[], metavar="DIR", help="a folder of headers"
        )
        made.add_argument(
            "-D", dest="define", action="append", default=[], metavar="NAME[=VALUE]", help="a macro"
        )
        text = "defines DTYPE_NAME, ORIG_DTYPE_NAME and FORMAT_NAME as CANN does for a tensor of an operator"
        made.add_argument("--dtype", action="append", default=[], metavar="NAME=DTYPE", help=text)
        text = "one more option for the compiler, the linker, or both, such as -X=-O2, -X=-lm or -X=-fopenmp"
        made.add_argument(
            "-X", dest="compiler_options", action="append", default=[], metavar="OPTION", help=text
        )
        _headers_option(made)
        return made

    made = command(
        "run", "builds a CANN program with kernels in it and runs it on the simulated device", RUN_EXAMPLES
    )
    _run_options(made)
    made = command(
        "build", "builds a CANN program with kernels in it for the simulated device", BUILD_EXAMPLES
    )
    made.add_argument("-o", "--output", required=True, metavar="PROGRAM", help="the file to write")
    made.add_argument("-c", dest="object", action="store_true", help="write the object of one source")


def _run_options(made: argparse.ArgumentParser) -> None:
    made.set_defaults(arguments=[])
    text = (
        "what an error does: ends the core (stop), nothing (continue), ends the program (abort); default: "
        "AVO_SIM_ON_FAULT, else stop"
    )
    made.add_argument("--on-fault", choices=("stop", "continue", "abort"), help=text)
    made.add_argument("--suppressions", metavar="FILE", help="faults that are known and not to be reported")
    made.add_argument("--report", metavar="FILE", help="write a line of JSON for each launch")
    made.add_argument("--junit", metavar="FILE", help="write JUnit's XML")
    made.add_argument(
        "--html", metavar="FILE", help="write a page with the timeline, the faults and the counters"
    )
    made.add_argument(
        "--soc", metavar="NAME", help="the device to simulate (default: AVO_SIM_SOC, else Ascend910B1)"
    )
    made.usage = "avo sim run FILE [FILE …] [options] [-- ARGUMENT …]"


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

    command(
        "list",
        "show",
        "lists the operators with their dtypes and C entry points, and the targets that can run here",
    )

    sub = command(
        "doctor", "doctor", "says what is there to run the operators, what does not fit, what to do"
    )
    sub.add_argument("--json", action="store_true", help="print JSON")

    sub = command("parity", "parity", "compares CPU and AscendC kernels with the reference, on all cases")
    sub.add_argument("operators", metavar="OP", nargs="*", help="the operators to compare (default: all)")
    sub.add_argument(
        "--op", action="append", default=[], metavar="OP", help="the same, as other commands have it"
    )
    _headers_option(sub)
    _device_options(sub)

    sub = command("report", "report", "reads what parity --report wrote, or compares two such files")
    sub.add_argument(
        "files", metavar="FILE", nargs="+", help="a report; of two, the second is compared with the first"
    )
    sub.add_argument("--markdown", action="store_true", help="print Markdown, for an issue")

    sub = command("profile", "profile", "shows what one call costs on the simulated device")
    _call_arguments(sub, required=False)
    sub.add_argument(
        "--trace", metavar="FILE", help="write a trace that ui.perfetto.dev and chrome://tracing open"
    )
    sub.add_argument(
        "--html", metavar="FILE", help="write a page with a timeline of all pipes, counters and source lines"
    )
    sub.add_argument(
        "--calibration", action="store_true", help="compare the simulator's times with published measurements"
    )

    _headers_option(sub)

    sub = command("tiling", "show", "shows how a call is tiled, field by field; it needs no device")
    _call_arguments(sub)
    sub.add_argument(
        "--cores", type=int, help="plan for this number of vector cores, not for that of the device"
    )
    sub.add_argument(
        "--ub",
        type=int,
        metavar="BYTES",
        help="plan for a Unified Buffer of this size, not for that of the device",
    )

    sub = command(
        "config",
        "show",
        "prints compiler and linker options of ACL programs, and where headers and libraries are",
    )
    options = {
        "cflags": "options of the compiler",
        "libs": "options of the linker",
        "includedir": "the folder of headers",
        "libdir": "the folder of libraries",
        "cmakedir": "the folder to add to CMAKE_PREFIX_PATH for find_package(ascend_vision_ops)",
    }
    for option, meaning in options.items():
        sub.add_argument(f"--{option}", action="store_true", help=meaning)
    library = "the library of custom operators for ONNX Runtime (RegisterCustomOpsLibrary_V2)"
    sub.add_argument("--onnxruntime", action="store_true", help=library)
    kernels = (
        "the list of kernel libraries for AVO_SIM_KERNELS, compiled against CANN's headers (--ascend-headers)"
    )
    sub.add_argument("--kernels", action="store_true", help=kernels)
    _headers_option(sub)

    sub = command("onnx", "onnx", "shows, simplifies, converts, runs and compares ONNX models")
    _onnx_commands(sub)

    sub = command(
        "sim", "sim", "runs programs with kernels of your own; compares the device with CANN's own headers"
    )
    _sim_commands(sub)

    sub = command(
        "new", "show", "writes the files of a new operator in a source tree, as stubs that build and run"
    )
    new_options(sub)
    sub.add_argument(
        "--root", default=".", metavar="DIR", help="the source tree (default: the current folder)"
    )
    return top


def import_advice(error: ImportError) -> str:
    """Says what to do about a module that cannot be imported: another package's, or one of ours that is not built."""
    top = (error.name or "").partition(".")[0]
    if isinstance(error, ModuleNotFoundError) and top not in ("", ascend_vision_ops.__name__):
        return advice("this command", top)
    if "undefined symbol" in str(error) and "torch_npu" in sys.modules:
        return (
            f"torch_npu has loaded CANN's runtime, beside which the simulated one cannot be loaded ({error})"
        )
    return f"the package is not built ({error}); ./build.sh build builds it"


def main(argv: list[str] | None = None) -> int:
    """Runs a command and returns its status: 0; 1 after a failure, which is told in one line; 2 after wrong use."""
    import importlib

    if sys.stdout is None:  # `avo list >&-`
        if sys.stderr is not None:
            print("avo: the standard output is closed", file=sys.stderr)
        return 1
    # Beside CANN, torch would import torch_npu, whose runtime has the names of the simulated one of this process.
    os.environ.setdefault("TORCH_DEVICE_BACKEND_AUTOLOAD", "0")
    words = list(sys.argv[1:] if argv is None else argv)
    behind = words.index("--") if words[:2] == ["sim", "run"] and "--" in words else len(words)
    options = parser().parse_args(words[:behind])
    if words[behind + 1 :]:
        options.arguments = words[behind + 1 :]
    if getattr(options, "ascend_headers", None):
        # Given here, the folder counts more than lists and folders of the environment.
        os.environ[ascend_headers.VARIABLE] = options.ascend_headers
        os.environ.pop(ascend_headers.LIST_VARIABLE, None)
    try:
        module = importlib.import_module(f"{__name__}.{options.module}")
        # A module may have failures of its own to tell.
        with getattr(module, "told_in_one_line", contextlib.nullcontext)(options):
            status = getattr(module, f"run_{options.name}")(options)
        sys.stdout.flush()
        return status
    except BrokenPipeError:  # `avo list | head`
        # What is left in the buffer goes nowhere, so that the interpreter does not fail on it when it ends.
        with contextlib.suppress(OSError, ValueError):  # a replaced output has no file
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except (Failure, ValueError, OSError, RuntimeError, MemoryError) as error:
        print(f"avo: {str(error) or 'out of memory'}", file=sys.stderr)
        return 1
    except ImportError as error:
        print(f"avo: {import_advice(error)}", file=sys.stderr)
        return 1

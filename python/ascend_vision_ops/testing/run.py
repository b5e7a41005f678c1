# SPDX-License-Identifier: Apache-2.0
"""Runs a case on a target and compares every result with the reference."""

from __future__ import annotations

import functools
import importlib.util
import os
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

from ascend_vision_ops import reference
from ascend_vision_ops.opgen import Spec, load_spec
from ascend_vision_ops.opgen.calls import sizes_of_arguments
from ascend_vision_ops.opgen.model import Tolerance
from ascend_vision_ops.paths import contract_files, device_nodes, library_dir
from ascend_vision_ops.testing import npu_project, sanitizers
from ascend_vision_ops.testing.cases import LAYOUTS, BoundCase, bound_cases, numpy_dtype, parse_case
from ascend_vision_ops.testing.compare import EXACT, POISON_BYTE, Comparison, compare, is_float, poisoned

TARGETS = {
    "cpu": "the CPU kernel, NumPy arrays",
    "torch": "the CPU kernel, torch tensors",
    "aclnn": "the aclnn entry point and the AscendC kernel on the simulated device",
    "npu": "npu tensors, in processes of their own: avo parity --device npu",
}
# Entry points of the project take the place of the package's own, so it is the only target of such a process.
if npu_project.folder() is not None:
    TARGETS = {"npu_project": "the same as aclnn, through the project that users build with CANN"}


@functools.cache
def spec_of(operator: str) -> Spec:
    """Reads the contract of an operator, once."""
    return load_spec(contract_files()[operator])


def missing(target: str) -> str:
    """Says why a target cannot run here; empty if it can."""
    library = {"torch": "libavo_torch.so", "aclnn": "libcust_opapi.so"}.get(target)
    if library and not (library_dir() / library).exists():
        return "not built"
    if target == "torch" and importlib.util.find_spec("torch") is None:
        return "no torch"
    if target == "npu" and "torch_npu" not in sys.modules:
        # Its runtime and the simulated one have the same names, so that a process can have only one of them.
        return "avo parity --device npu" if device_nodes() else "no device"
    return ""


def combinations_of(spec: Spec) -> list[dict[str, str]]:
    """Lists the combinations of dtypes that an operator has kernels for.

    Each names the dtype of every tensor, and of a result only if it is not the dtype that a caller gets by default.
    """
    tensors = [parameter.name for parameter in spec.tensors]
    results = tuple(name for name in spec.outputs if name in spec.typenames)
    instances = list(spec.instances)
    for tensor, extra in spec.cpu_dtypes.items():
        instances += [{**spec.instances[0], tensor: dtype} for dtype in extra]
    return [
        {name: spec.dtype_of(name, instance) for name in tensors}
        | {name: instance[name] for name in results if instance[name] != spec.dtypes[name][0]}
        for instance in instances
    ]


def cases_of(operator: str) -> list[BoundCase]:
    """Lists every case of an operator in every combination of dtypes that it has kernels for."""
    spec = spec_of(operator)
    results = tuple(name for name in spec.outputs if name in spec.typenames)
    return list(bound_cases(operator, combinations_of(spec), results))


def common(case: BoundCase) -> bool:
    """Says whether the dtypes of a case are those of all devices; CPU kernels support more."""
    extra = spec_of(case.operator).cpu_dtypes
    return not any(case.dtypes.get(name) in more for name, more in extra.items())


def takes(target: str, case: BoundCase) -> bool:
    """Says whether a target has the operator of a case, and supports the dtypes."""
    return target in ("cpu", "torch") or (spec_of(case.operator).on_device and common(case))


def smallest_call(operator: str) -> dict[str, object]:
    """Returns the smallest case whose tensors have elements, as torch arguments that all devices support."""
    calls = [c.arguments() for c in cases_of(operator) if common(c)]
    sizes = [[value.size for value in call.values() if isinstance(value, np.ndarray)] for call in calls]
    place = min((sum(size), index) for index, size in enumerate(sizes) if min(size) > 0)[1]
    return {k: to_torch(v) if isinstance(v, np.ndarray) else v for k, v in calls[place].items()}


def to_torch(array: np.ndarray):
    """Returns a torch tensor with the memory, shape and strides of an array, which may be bfloat16."""
    import torch

    if array.dtype == numpy_dtype("bfloat16"):
        return torch.from_numpy(array.view(np.int16)).view(torch.bfloat16)
    return torch.from_numpy(array)


def from_torch(tensor) -> np.ndarray:
    """Returns an array with the memory of a CPU tensor; bfloat16 is that of ml_dtypes."""
    import torch

    if tensor.dtype == torch.bfloat16:
        return tensor.view(torch.int16).numpy().view(numpy_dtype("bfloat16"))
    return tensor.numpy()


def as_tuple(results) -> tuple:
    return tuple(results) if isinstance(results, (tuple, list)) else (results,)


def run(operator: str, target: str, arguments: dict[str, object]) -> tuple[np.ndarray, ...]:
    """Calls an operator on a target; arguments and results are arrays."""
    if target == "torch":
        function = getattr(importlib.import_module("ascend_vision_ops.ops"), operator)

        def tensors(value):
            if isinstance(value, tuple):
                return tuple(map(tensors, value))
            return to_torch(value) if isinstance(value, np.ndarray) else value

        results = function(**{name: tensors(value) for name, value in arguments.items()})
        return tuple(map(from_torch, as_tuple(results)))
    if target == "npu":
        return importlib.import_module("ascend_vision_ops.testing.on_npu").run(operator, arguments)
    face = importlib.import_module(f"ascend_vision_ops.{'cpu' if target == 'cpu' else 'aclnn'}")
    results = as_tuple(getattr(face, operator)(**arguments))
    sanitizers.check()
    return results


def expected(operator: str, arguments: dict[str, object]) -> tuple[np.ndarray, ...]:
    """Computes the results by the reference. Floating results are float64, not rounded to the dtype of the result.

    Floating arguments become float64 too, except those that the function names in its attribute ``kept``. Optional
    tensors that are not given are None.
    """
    absent = {p.name: None for p in spec_of(operator).visible if p.is_tensor and p.optional}
    arguments = absent | arguments
    function = getattr(reference, operator)
    kept = getattr(function, "kept", ())
    wide = {
        name: value.astype(np.float64)
        if isinstance(value, np.ndarray) and is_float(value.dtype) and name not in kept
        else value
        for name, value in arguments.items()
    }
    return as_tuple(function(**wide))


@functools.lru_cache(maxsize=2)
def _expected_of(text: str) -> dict[str, np.ndarray]:
    """Computes the results of a case by name. The targets of a case are judged one after the other and share them."""
    case = parse_case(text)
    return dict(zip(spec_of(case.operator).outputs, expected(case.operator, case.arguments()), strict=True))


def tolerance_of(spec: Spec, dtype: str, arguments: dict[str, object]) -> Tolerance:
    """Returns the tolerance that the contract grants results of a dtype in a call."""
    return spec.tolerance.get(dtype, EXACT).at(sizes_of_arguments(spec, arguments))


def judge(case: BoundCase, target: str) -> dict[str, Comparison]:
    """Compares each result of a case on a target with the reference.

    On the target cpu this is done for each instruction set of the processor. The results of the best one must also be
    equal bit by bit, however the threads share the work.
    """
    spec = spec_of(case.operator)
    arguments = case.arguments()
    wanted = _expected_of(case.text)
    if target != "cpu":
        return _judge(case, target, arguments, wanted)
    from ascend_vision_ops._native import processor

    verdicts: dict[str, Comparison] = {}
    best, *others = processor.targets()

    def keep(found: dict[str, Comparison], how: str) -> None:
        for name, verdict in found.items():
            if name not in verdicts or verdicts[name].ok:
                verdicts[name] = replace(verdict, message=verdict.message and f"{how}: {verdict.message}")

    try:
        for instructions in (*reversed(others), best):
            processor.use(instructions)
            keep(_judge(case, target, dict(arguments), wanted), f"with {instructions}")
        bits = None
        for sharing in ("serial", "finest"):
            processor.share(sharing)
            # The face allocates these results; an element that no kernel writes differs from run to run.
            bits, before = run(case.operator, target, dict(arguments)), bits
            for name, result, other in zip(spec.outputs, bits, before or bits, strict=True):
                if result.tobytes() != other.tobytes():
                    keep(
                        {name: Comparison(False, message="results differ with the number of threads")},
                        "on all threads",
                    )
    except sanitizers.SanitizerError as error:
        keep({name: Comparison(False, message=str(error)) for name in spec.outputs}, "sanitizer")
    finally:
        processor.use(best)
        processor.share("usual")
    return verdicts


def _judge(case, target, arguments, wanted) -> dict[str, Comparison]:
    spec = spec_of(case.operator)
    dtypes = {name: spec.dtype_of(name, case.dtypes) for name in spec.outputs}
    views = {}
    # Fresh memory of the simulated device is poison; other memory is not, so the caller gives poisoned results.
    bare = target in ("cpu", "npu") and not spec.composite
    if bare or case.case.out or any(name in case.dtypes for name in spec.outputs):
        for name, want in wanted.items():
            layout = LAYOUTS[case.case.out or "dense"]
            views[name] = layout(poisoned(want.shape, numpy_dtype(dtypes[name])))
    if views:
        arguments["out"] = tuple(views.values()) if len(views) > 1 else next(iter(views.values()))
    results = dict(zip(spec.outputs, run(case.operator, target, arguments), strict=True))
    verdicts = {}
    for name, want in wanted.items():
        tolerance = tolerance_of(spec, dtypes[name], arguments)
        verdicts[name] = compare(results[name], want, numpy_dtype(dtypes[name]), tolerance)
        if name in views and verdicts[name].ok:
            verdicts[name] = _beside(views[name], results[name], verdicts[name])
    return verdicts


def _beside(view: np.ndarray, result: np.ndarray, verdict: Comparison) -> Comparison:
    """Returns the verdict; a failure if bytes between the elements were written, or the results went elsewhere."""
    if not np.shares_memory(view, result) and view.size:
        return Comparison(False, message="results are not in the caller's array")
    whole = view
    while isinstance(whole.base, np.ndarray):
        whole = whole.base
    view[...] = poisoned((), view.dtype)
    touched = int((whole.view(np.uint8) != POISON_BYTE).sum())
    return (
        Comparison(False, message=f"{touched} bytes beside the result were written") if touched else verdict
    )


def rerun_line(case: BoundCase, target: str) -> str:
    """Returns the shell command that runs one case again."""
    kind, _, sanitize = Path(os.environ.get("AVO_BUILD", "sim")).name.partition("-")
    options = (" --cpu" if kind == "cpu" else "") + (
        f" --sanitize {sanitize.replace('-', ',')}" if sanitize else ""
    )
    options += " --target npu" if target == "npu_project" else ""
    return f"./build.sh test{options} -- tests/test_ops.py --case '{target}:{case.text}'"

# SPDX-License-Identifier: Apache-2.0
"""Examines torch, torch_npu and the optional Python packages."""

from __future__ import annotations

from collections.abc import Iterator

from .cann import toolkit_version
from .machine import ATTENTION, MISSING, OK, Finding, Machine, numbers

LEAST_TORCH = (2, 10)
# The CANN that each torch_npu is published for, as the table of versions of Ascend/pytorch has it (its page
# COMPATIBILITY). Older ones do not fit the torch that this package needs.
CANN_OF = {(2, 10, 0): (9, 0), (2, 11, 0): (9, 1), (2, 12, 0): (9, 1)}

OPTIONAL = {
    "onnx": "ONNX models",
    "onnxruntime": "ONNX models in ONNX Runtime",
    "onnxscript": "export of ONNX models",
    "hypothesis": "avo parity and tests",
    "pytest": "tests",
    "opencv-python-headless": "examples",
}


def find_frameworks(machine: Machine) -> Iterator[Finding]:
    torch = machine.version_of("torch")
    if not torch:
        yield Finding("torch", "torch", MISSING, "", "pip install 'torch>=2.10', for torch operators only")
    elif numbers(torch)[:2] < LEAST_TORCH:
        yield Finding(
            "torch", "torch", ATTENTION, torch, "install torch 2.10 or newer for the torch operators"
        )
    else:
        yield Finding("torch", "torch", OK, torch)
    yield torch_npu(machine, torch)


def torch_npu(machine: Machine, torch: str) -> Finding:
    version = machine.version_of("torch_npu") or machine.version_of("torch-npu")
    wanted = ".".join(map(str, numbers(torch)[:3])) or "2.10.0"
    if not version:
        advice = f"pip install --no-deps torch_npu=={wanted}, for npu tensors only"
        return Finding("torch", "torch_npu", MISSING, "", advice)
    if torch and numbers(version)[:3] != numbers(torch)[:3]:
        advice = f"install torch_npu {wanted}: its first three numbers must be those of torch {torch}"
        return Finding("torch", "torch_npu", ATTENTION, version, advice)
    least, cann = CANN_OF.get(numbers(version)[:3]), numbers(toolkit_version(machine))
    if least and cann and cann[:2] < least:
        wanted = ".".join(map(str, least))
        advice = f"install CANN {wanted}, which torch_npu {version} is published for, or an older torch_npu"
        return Finding("torch", "torch_npu", ATTENTION, version, advice)
    return Finding("torch", "torch_npu", OK, version)


def find_optional(machine: Machine) -> Iterator[Finding]:
    for name, purpose in OPTIONAL.items():
        version = machine.version_of(name)
        advice = "" if version else f"pip install {name}, for {purpose} only"
        yield Finding("optional", name, OK if version else MISSING, version, advice)

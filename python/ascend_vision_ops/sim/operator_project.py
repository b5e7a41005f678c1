# SPDX-License-Identifier: Apache-2.0
"""Operators of a folder as CANN's projects have them, as functions of NumPy arrays on the simulated device."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from ..profiling import Figures
from . import DEFAULT_SOC, SOC_VARIABLE
from . import operator_native as native
from .compile import back_end
from .errors import FrameworkError
from .operator_build import KernelLibrary, OperatorFolder
from .operator_call import PreparedCall
from .operator_definition import Definition, definitions

_chosen_soc = ""


@dataclass(frozen=True)
class Tiling:
    """What an operator's tiling function chose. workspace: in bytes; data: the tiling struct."""

    block_dim: int
    key: int
    workspace: int
    schedule_mode: int
    data: bytes


class Operator:
    """An operator whose own host code and kernel run on the simulated device.

    Calling it takes the inputs in the order of the definition, or by name, and attributes by name, and returns the
    results: an array, or a tuple where there are several. Optional inputs may be None or left out; a dynamic input is a
    list of arrays.

    Other arguments of a call:
        out: arrays for the results, one or a sequence. The kernel finds what they hold, and they get what it writes.
            An optional result is absent where None stands for its array, and where nothing tells its shape.
        shapes: the shapes of the results, one or a sequence, where the operator has no inference of shapes.

    A call raises TypeError for missing, unknown and ill-typed arguments, ValueError for dtypes and arrays that do not
    fit the definition, CompileError where the kernel does not compile for these dtypes, FrameworkError where tiling or
    inference refuse the call, and KernelFault for faults; after an error `out` is as before. With
    AVO_SIM_ON_FAULT=continue a KernelFault has what the kernel computed all the same.
    """

    def __init__(self, folder: OperatorFolder, library: Path, definition: Definition, structs: dict):
        self.definition = definition
        self._folder, self._library, self._structs = folder, library, structs
        self._kernels: dict[tuple, KernelLibrary] = {}

    def __call__(self, *inputs: object, out: object = None, shapes: object = None, **attributes: object):
        results = self._run(inputs, attributes, out, shapes)[1]
        return results[0] if len(results) == 1 else tuple(results)

    def profile(
        self,
        *inputs: object,
        out: object = None,
        shapes: object = None,
        trace: bool = False,
        **attributes: object,
    ) -> Figures:
        """Runs a call and returns what the simulated device counted, as `avo profile` shows it (Figures.show)."""
        runtime = native.runtime()
        runtime.simKeepReports(1)
        runtime.simSetTrace(int(trace))
        native.take_reports()
        try:
            arrays, results = self._run(inputs, attributes, out, shapes)
            reports = native.take_reports()
            text = runtime.simTakeTrace().decode() if trace else ""
        finally:
            runtime.simKeepReports(0)
            runtime.simSetTrace(0)
        from ascend_vision_ops import _native

        written = [
            array for result in results for array in (result if isinstance(result, list) else [result])
        ]
        written = [array for array in written if array is not None]
        moved = sum(array.nbytes for array in (*arrays, *written))
        device = _native.sim.device(reports[0]["soc"])
        return Figures(reports, moved, sum(array.size for array in written), device, trace=text)

    def tiling(
        self, *inputs: object, out: object = None, shapes: object = None, **attributes: object
    ) -> Tiling:
        """What the operator's tiling chooses for a call, which is not run."""
        prepared = PreparedCall(self.definition, self._library, inputs, attributes, out, shapes)
        return _tiling(prepared.call.tile())

    def _run(
        self, inputs: Sequence[object], attributes: dict, out: object, shapes: object
    ) -> tuple[list[np.ndarray], list[np.ndarray]]:
        """Returns the arrays of the inputs, and the results."""
        prepared = PreparedCall(self.definition, self._library, inputs, attributes, out, shapes)
        tiling = _tiling(prepared.call.tile())
        kernel = self._kernel(prepared.dtypes, tiling.key)
        kernel.register()
        prepared.launch(kernel)
        return prepared.arrays, prepared.take_results()

    def _kernel(self, dtypes: dict[str, tuple[int, int]], key: int) -> KernelLibrary:
        wanted = (tuple(sorted(dtypes.items())), key)
        if wanted not in self._kernels:
            self._kernels[wanted] = self._folder.kernel_library(self.definition, dtypes, self._structs, key)
        return self._kernels[wanted]


def open_operator(
    path: str | Path,
    name: str | None = None,
    soc: str | None = None,
    ascend_headers: str | Path | None = None,
    include: Sequence[str | Path] = (),
    host_sources: Sequence[str | Path] = (),
) -> Operator:
    """What ascend_vision_ops.sim.operator does; its docstring describes the arguments."""
    folder = Path(path).resolve()
    if not (folder / "op_kernel").is_dir():
        raise ValueError(f"path: expected a folder with op_host and op_kernel, got {path}")
    if not (folder / "op_host").is_dir() and not host_sources:
        raise ValueError(
            f"path: expected a folder with op_host, or host_sources= that define the operator, got {path}"
        )
    device = wanted_soc(soc)
    project = OperatorFolder(
        folder,
        back_end(ascend_headers),
        [Path(given).resolve() for given in include],
        [Path(given).resolve() for given in host_sources],
    )
    library = project.host_library()
    try:
        loaded = native.load(library)
    except FrameworkError as error:
        if not project.failed:
            raise
        raise next(iter(project.failed.values())) from error  # a source that was left out is needed
    known = definitions(loaded, device)
    if name is None and len(known) == 1:
        name = next(iter(known))
    if name not in known:
        for error in project.failed.values():
            raise error
        every = ", ".join(entry["type"] for entry in loaded["operators"])
        if name is None and known:
            raise ValueError(
                f"name: expected one of {', '.join(known)}, which {folder.name} defines, got none"
            )
        raise ValueError(
            f"{folder.name}: expected a definition of {name or 'an operator'} for {device}, its sources define "
            f"{every or 'no operator'}"
        )
    use_soc(device)
    return Operator(project, library, known[name], loaded["structs"])


def wanted_soc(soc: str | None) -> str:
    """The device to simulate; raises ValueError where this process has another one."""
    wanted = soc or _chosen_soc or os.environ.get(SOC_VARIABLE) or DEFAULT_SOC
    if _chosen_soc and wanted != _chosen_soc:
        raise ValueError(f"soc: this process simulates {_chosen_soc} already, got {wanted}")
    return wanted


def use_soc(soc: str) -> None:
    """Chooses the device of this process, which has one from now on; raises ValueError for one that nobody knows."""
    global _chosen_soc
    if soc != _chosen_soc:
        from ascend_vision_ops import _native

        _native.sim.device(soc)
        native.runtime().simSetSoc(soc.encode())
        _chosen_soc = soc


def _tiling(answer: dict) -> Tiling:
    return Tiling(
        answer["block_dim"],
        answer["key"],
        answer["workspace"],
        answer["schedule_mode"],
        bytes.fromhex(answer["tiling"]),
    )

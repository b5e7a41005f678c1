# SPDX-License-Identifier: Apache-2.0
"""Raises an ImportError where the extra `onnx` is not installed. Modules that need the extra import this one first."""

from importlib.util import find_spec

_absent = [name for name in ("onnx", "onnx_ir", "onnxscript") if find_spec(name) is None]
if _absent:
    raise ImportError(
        f"ONNX models need {', '.join(_absent)}: pip install 'ascend-vision-ops[onnx]'", name=_absent[0]
    )

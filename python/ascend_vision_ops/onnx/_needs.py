# SPDX-License-Identifier: Apache-2.0
"""Imported first by each module that needs the extra `onnx`: says so where it is not installed."""

from importlib.util import find_spec

_absent = [name for name in ("onnx", "onnx_ir", "onnxscript") if find_spec(name) is None]
if _absent:
    raise ImportError(
        f"ONNX models need {', '.join(_absent)}: pip install 'ascend-vision-ops[onnx]'", name=_absent[0]
    )

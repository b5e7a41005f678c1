# SPDX-License-Identifier: Apache-2.0
"""Where the installed package keeps its libraries, headers, contracts and test cases."""

from __future__ import annotations

from pathlib import Path

# The path is not resolved, because in a development tree the package is a folder of links beside the built libraries.
PACKAGE = Path(__file__).parent


def _first(*candidates: Path) -> Path:
    return next((path for path in candidates if path.is_dir()), candidates[0])


def device_nodes(root: Path = Path("/")) -> list[Path]:
    """Lists the NPUs that the driver shows: /dev/davinci0 and so on. root: the folder that stands for /."""
    return sorted((root / "dev").glob("davinci[0-9]*"))


def library_dir() -> Path:
    """Returns the folder of shared libraries: libascendcl, libnnopbase, libcust_opapi, libascendc_sim, libavo_torch."""
    return PACKAGE / "lib"


def onnxruntime_library() -> Path:
    """Returns the path of the custom-op library for ONNX Runtime."""
    return library_dir() / "libavo_onnxruntime.so"


def include_dir() -> Path:
    """Returns the folder of headers of C and C++ programs: acl/, aclnn/, aclnnop/."""
    return PACKAGE / "include"


def cmake_dir() -> Path:
    """Returns the folder to add to CMAKE_PREFIX_PATH for find_package(ascend_vision_ops)."""
    return PACKAGE / "lib" / "cmake" / "ascend_vision_ops"


def specs_dir() -> Path:
    """Returns the folder of contracts: _specs in the package, op_host in a source tree that is not built."""
    return _first(PACKAGE / "_specs", PACKAGE.parents[1] / "op_host")


def contract_files(folder: Path | None = None) -> dict[str, Path]:
    """The contract of each operator, by name and in the order of names; the folder that a contract lies in is named
    after the operator's family.

    folder: the root of the contracts, those of this package where it is not given.
    """
    found = (folder or specs_dir()).glob("*/*.yaml")
    return {path.stem: path for path in sorted(found, key=lambda path: path.stem)}


def cases_dir() -> Path:
    """Returns the folder of case files: _cases in the package, tests/cases in a source tree that is not built."""
    return _first(PACKAGE / "_cases", PACKAGE.parents[1] / "tests" / "cases")

# SPDX-License-Identifier: Apache-2.0
"""Stand-ins for libraries that a peer is linked with and that are not installed."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys

import pytest

from ascend_vision_ops.testing import peers

# A function with a version, one without, and a variable, from libraries that are removed before the module is loaded.
ABSENT = "int absent_function(void) { return 1; }\n"
VERSIONED = "int __cudaBegin(void) { return 1; }\n"
MODULE = """
int absent_function(void);
int __cudaBegin(void);
__attribute__((constructor)) static void Begin(void) { __cudaBegin(); }
int own(void) { return 42; }
int foreign(void) { return absent_function(); }
"""

USE = """
import ctypes, sys
from pathlib import Path
from ascend_vision_ops.testing.peers import load_stand_ins
names = load_stand_ins([Path(sys.argv[1])])
assert sorted(names) == ["libavo_absent.so", "libavo_versioned.so.3"], names
module = ctypes.CDLL(sys.argv[1])
assert module.own() == 42
module.foreign()
"""


@pytest.fixture
def module(tmp_path):
    """Builds a module that needs two libraries which are gone."""
    if shutil.which("cc") is None:
        pytest.skip("no C compiler cc")

    def compiled(name, source, *options):
        file = tmp_path / f"{name}.c"
        file.write_text(source)
        command = ["cc", "-shared", "-fPIC", "-o", str(tmp_path / name), f"-Wl,-soname,{name}", str(file)]
        subprocess.run([*command, *options], check=True)
        return tmp_path / name

    versions = tmp_path / "versions.map"
    versions.write_text("libavo_versioned.so.3 { *; };\n")
    libraries = [
        compiled("libavo_absent.so", ABSENT),
        compiled("libavo_versioned.so.3", VERSIONED, f"-Wl,--version-script={versions}"),
    ]
    module = compiled("module.so", MODULE, *map(str, libraries))
    for library in libraries:
        library.unlink()
    return module


def test_what_a_module_needs(module):
    assert {"libavo_absent.so", "libavo_versioned.so.3"} <= set(peers.needed(module))
    wanted = {("absent_function", ""), ("__cudaBegin", "libavo_versioned.so.3")}
    assert wanted <= set(peers.undefined(module))


def test_a_module_loads_with_stand_ins_and_their_functions_say_their_names(module):
    done = subprocess.run([sys.executable, "-c", USE, str(module)], capture_output=True, text=True)
    assert "absent_function: a stand-in without CUDA" in done.stderr, done.stderr
    assert done.returncode < 0


def test_without_a_compiler(module, monkeypatch):
    monkeypatch.setattr(peers.shutil, "which", lambda name: None)
    with pytest.raises(ImportError, match=r"libavo_\S+ is not installed, and there is no C compiler"):
        peers.load_stand_ins([module])


@pytest.mark.skipif(importlib.util.find_spec("torchvision") is None, reason="torchvision is not installed")
def test_torchvision_has_its_kernels():
    code = """
from ascend_vision_ops.testing.peers import import_torchvision
import torch
vision = import_torchvision()
boxes = torch.tensor([[0, 0, 2, 2], [0, 0, 2, 2.1], [5, 5, 6, 6]])
assert vision.ops.nms(boxes, torch.tensor([0.5, 0.6, 0.1]), 0.5).tolist() == [1, 2]
"""
    subprocess.run([sys.executable, "-c", code], check=True, env=dict(os.environ))

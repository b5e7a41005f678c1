# SPDX-License-Identifier: Apache-2.0
"""Kernels give the same bits in whatever order blocks run, on however many threads of the host.

CPU kernels also do so with every instruction set of x86-64.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys

import numpy as np
import pytest

from ascend_vision_ops import operators
from ascend_vision_ops._native import processor
from ascend_vision_ops.testing import bits
from ascend_vision_ops.testing.run import cases_of, missing, spec_of

cpu_kernels = pytest.mark.cpu_kernels
with_several_sets = pytest.mark.skipif(
    platform.machine() != "x86_64" or len(processor.targets()) < 2,
    reason="needs a processor of x86-64 with several instruction sets",
)
COMPUTING = [name for name in operators() if not spec_of(name).composite]
WITH_KERNEL = [name for name in COMPUTING if spec_of(name).has_kernel]


@cpu_kernels
@with_several_sets
@pytest.mark.parametrize("operator", COMPUTING)
def test_instruction_sets_give_the_same_bits(operator):
    targets = [target for target in processor.targets() if target != "AMX"]
    differing = (pair for case in bits.cases(operator, 25, 15) for pair in bits.differing(case, targets))
    assert next(differing, None) is None


@cpu_kernels
def test_one_other_bit_is_found(monkeypatch):
    right, case, used = bits.run, cases_of(COMPUTING[0])[0], []
    twice = [processor.targets()[0]] * 2
    assert not bits.differing(case, twice)

    def wrong(operator, target, arguments):
        results = right(operator, target, arguments)
        used.append(None)
        if len(used) == 2:
            results[0].reshape(-1).view(np.uint8)[0] ^= 1
        return results

    monkeypatch.setattr(bits, "run", wrong)
    assert bits.differing(case, twice)


def test_nan_is_nan_but_zeros_have_signs():
    one, other = (
        np.array([bits_of_nan, 0x3F800000], np.uint32).view(np.float32)
        for bits_of_nan in (0x7FC00000, 0xFFC00001)
    )
    assert bits._bits(one) == bits._bits(other)
    assert bits._bits(np.float32([0.0])) != bits._bits(np.float32([-0.0]))


# --- the simulated device

# Makes the largest of some drawn calls of each operator, twice, and prints a digest of each result.
PROGRAM = """
import hashlib, sys
from ascend_vision_ops.testing.run import run
from ascend_vision_ops.testing.soak import small_calls

for operator in sys.argv[1:]:
    drawn = small_calls(operator, 12, 7)
    case = max(drawn, key=lambda case: sum(getattr(value, 'size', 0) for value in case.arguments().values()))
    for _ in range(2):
        for result in run(operator, 'aclnn', case.arguments()):
            print(operator, hashlib.sha256(result.tobytes()).hexdigest())
"""


def digests(**settings: str) -> list[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("AVO_SIM_")}
    command = [sys.executable, "-c", PROGRAM, *WITH_KERNEL]
    done = subprocess.run(command, capture_output=True, text=True, env=environment | settings, timeout=900)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.skipif(bool(missing("aclnn")), reason=f"entry points: {missing('aclnn')}")
def test_threads_and_the_order_of_blocks_do_not_matter():
    alone = digests(AVO_SIM_THREADS="1")
    assert {line.split()[0] for line in alone} == set(WITH_KERNEL)
    # Each call was made twice, with equal results.
    assert all(alone.count(line) % 2 == 0 for line in alone)
    for seed, threads in (("3", "2"), ("8", "7")):
        assert digests(AVO_SIM_SEED=seed, AVO_SIM_THREADS=threads) == alone

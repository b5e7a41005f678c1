# SPDX-License-Identifier: Apache-2.0
"""CPU kernels run with each instruction set of the processor, and a failure names the one that is wrong."""

import os
import platform
import subprocess
import sys

import numpy as np
import pytest

import ascend_vision_ops as avo
from ascend_vision_ops._native import processor
from ascend_vision_ops.testing import parse_case, run

CASE = "upsample_linear1d(self=f32[2,3,40],output_size=[100])"
CALL = (
    "import numpy as np, ascend_vision_ops as avo; avo.cpu.upsample_linear1d(np.ones((1, 1, 40), 'f'), [80])"
)


def test_the_baseline_is_among_them():
    assert processor.targets()[-1] == {"x86_64": "SSE2", "aarch64": "NEON_WITHOUT_AES"}[platform.machine()]


@pytest.mark.skipif(platform.machine() != "x86_64", reason="other processors have no gathers to choose from")
def test_both_ways_to_gather_are_there():
    """The one that takes less time comes first, beside the other: so every test compares them."""
    names = [name for name in processor.targets() if name != "AMX"]
    if names == ["SSE2"]:
        pytest.skip("this processor has no gathers")
    best = names[0].removesuffix("_LOADS")
    assert {best, f"{best}_LOADS"} == set(names[:2])
    assert not any(name.endswith("_LOADS") for name in names[2:])


# A case runs with each instruction set, the best one last, and then with the best one on one thread and on all.
RUNS = len(processor.targets()) + 2


def judged_with_a_fault(monkeypatch, at):
    """Judges a case in whose run number `at` an element is wrong."""
    used, right = [], run.run

    def wrong_once(operator, target, arguments):
        results = right(operator, target, arguments)
        used.append(None)
        if len(used) == at:
            results[0].flat[7] += 1
        return results

    monkeypatch.setattr(run, "run", wrong_once)
    verdict = run.judge(parse_case(CASE), "cpu")["out"]
    assert len(used) == RUNS
    return verdict


def test_a_wrong_result_names_its_instruction_set(monkeypatch):
    verdict = judged_with_a_fault(monkeypatch, at=1)
    assert not verdict.ok
    assert verdict.message.startswith(
        f"with {processor.targets()[-1]}: 1 of 600 elements wrong, first [0, 0, 7]"
    )


def test_other_results_on_all_threads_are_wrong(monkeypatch):
    verdict = judged_with_a_fault(monkeypatch, at=RUNS)
    assert not verdict.ok
    assert verdict.message == "on all threads: results differ with the number of threads"


def test_elements_that_no_kernel_writes_show(monkeypatch):
    right = run.run
    monkeypatch.setattr(
        run,
        "run",
        lambda operator, target, arguments: (
            (arguments["out"],) if "out" in arguments else right(operator, target, arguments)
        ),
    )
    assert "never written" in run.judge(parse_case(CASE), "cpu")["out"].message


@pytest.mark.skipif(
    "AMX" not in processor.targets(), reason="this processor has no tiles, or Linux keeps them"
)
@pytest.mark.parametrize(("dtype", "part"), [("bf16", 8e-3), ("f16", 2**-10)])
def test_tiles_multiply_parts_of_samples_and_other_instruction_sets_do_not(dtype, part):
    text = "modulated_deform_conv2d(input=D[1,9,9,9],offset=D[1,18,9,9],mask=None,weight=D[8,9,3,3],padding=[1,1])"
    call = parse_case(text.replace("D[", f"{dtype}[")).arguments()
    results = []
    try:
        for target in ("AMX", "AVX3", "AVX2"):
            processor.use(target)
            results.append(avo.cpu.modulated_deform_conv2d(**call).astype(np.float32))
    finally:
        processor.use(processor.targets()[0])
    tiles, vectors, narrow = results
    assert (tiles != vectors).any()
    np.testing.assert_allclose(vectors, narrow, rtol=part, atol=part / 1000)
    np.testing.assert_allclose(tiles, vectors, rtol=0, atol=part * np.abs(vectors).max())


def call_with(target):
    environment = {**os.environ, "AVO_CPU_TARGET": target}
    return subprocess.run([sys.executable, "-c", CALL], env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("target", processor.targets())
def test_the_environment_chooses(target):
    assert call_with(target).returncode == 0


def test_the_environment_cannot_choose_what_is_not_there():
    names = ", ".join(processor.targets())
    assert f"ValueError: AVO_CPU_TARGET: expected one of {names}, got MMX" in call_with("MMX").stderr

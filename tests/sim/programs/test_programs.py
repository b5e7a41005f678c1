# SPDX-License-Identifier: Apache-2.0
"""`avo sim run` and `avo sim build` on programs of our own: right ones, and ones with a deliberate fault.

Each test runs with our headers, and with CANN's own where AVO_ASCEND_HEADERS names them.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ascend_vision_ops.cli import sim_run
from ascend_vision_ops.sim import program
from ascend_vision_ops.sim.compile import CompileError, cores_of, forget_old

HERE = Path(__file__).parent

pytestmark = pytest.mark.usefixtures("ascendc")


@pytest.fixture
def own_api(ascendc):
    """Skips a test of names that CANN's own headers lack, or that are CANN's there."""
    if ascendc == "cann":
        pytest.skip("CANN's headers do not have these names: CPU debug mode, or names of CANN 9 and our API")


def avo(*words: str | Path, folder: Path | None = None, **settings: str) -> subprocess.CompletedProcess[str]:
    variables = {key: value for key, value in os.environ.items() if not key.startswith("AVO_SIM_")} | settings
    command = [sys.executable, "-m", "ascend_vision_ops", "sim", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False, env=variables, cwd=folder)


def run(program: str, *words: str, **settings: str) -> subprocess.CompletedProcess[str]:
    done = avo("run", HERE / program, *words, **settings)
    assert done.returncode == 0, done.stderr
    return done


def lines(done: subprocess.CompletedProcess[str]) -> dict[str, str]:
    """What the program printed: the text behind each title."""
    pairs = (line.partition(": ") for line in done.stdout.splitlines())
    return {title: text for title, _, text in pairs if text}


@pytest.mark.parametrize("length", ["256", "8"])
def test_a_right_program_runs_with_its_arguments(length):
    done = run("add.asc", "--", length)
    assert f"0 of {8 * int(length)} sums are wrong" in done.stdout
    assert "1 launch, 0 errors" in done.stderr


def test_the_first_program_of_the_documentation(ascendc):
    program = HERE.parents[2] / "examples" / "scale.asc"
    wrong = avo("run", program)
    assert wrong.returncode == 1
    assert "7 times 3 is 21" in wrong.stdout
    named = " of buffer" if ascendc == "own" else ""  # CANN's TPipe does not say its buffers
    assert f"Muls (scale.asc:28 scale) on V writes dst, UB bytes [0, 4096){named}, which" in wrong.stderr
    assert "missing SetFlag/WaitFlag<HardEvent::MTE2_V>" in wrong.stderr
    right = avo("run", program, "-D", "ORDERED")
    assert right.returncode == 0, right.stderr
    assert "1 launch, 0 errors" in right.stderr


def test_each_form_of_kernel_and_launch():
    done = run("forms.asc")
    found = lines(done)

    def numbers(title: str) -> np.ndarray:
        return np.array(found[title].split(), dtype=int)[::16]

    np.testing.assert_array_equal(numbers("plain"), [100, 101])
    np.testing.assert_array_equal(numbers("by value"), 10 * np.arange(3) + 5 + 2)
    np.testing.assert_array_equal(numbers("sized"), [10 + 5 * 8])
    np.testing.assert_array_equal(numbers("deduced"), [30 + 3 * 4])
    np.testing.assert_array_equal(numbers("deduced in place of a default"), [6])
    np.testing.assert_array_equal(numbers("default"), [8])
    np.testing.assert_array_equal(numbers("macro"), [9])
    np.testing.assert_array_equal(numbers("pointer"), [100])
    assert "no launch: plain<<<2, 0, 0>>>(out) '<<<' 1'000" in done.stdout
    assert "kernel plain: expected at least 1 block, got 0" in found["no blocks"]


def test_printf_has_the_core_in_front_and_whole_lines():
    assert "[AIV Block 1/2] half a line, 7 and 1.5\n" in run("forms.asc").stdout


def test_kernel_types_start_their_cores():
    found = lines(run("mixed.asc"))
    one_one = "1001 1101 2001 2101 0 0"
    assert found == {
        "one_two": "1001 1101 2002 2112 2202 2312",
        "one_one": one_one,
        "mix_word": one_one,
        "cubes": "1001 1101 0 0 0 0",
        "vectors": "0 0 2001 2101 0 0",
    }


def test_the_cube_core_serves_the_vector_cores_of_its_block():
    done = run("product.asc")
    assert lines(done)["right sums"] == str(64 * 48)
    assert "1 launch, 0 errors, 0 warnings" in done.stderr


def test_cube_cores_convert_only_what_becomes_fractals(tmp_path):
    """Blocks that follow each other are one run; rows of 32 bytes that become fractals are short rows."""
    report = tmp_path / "report.json"
    run("cube_reads.asc", "--report", str(report))
    times = {one["kernel"]: one["microseconds"] for one in map(json.loads, report.read_text().splitlines())}
    assert times["blocks"] == pytest.approx(times["one_run"], rel=0.01)
    assert times["matrix"] > 2 * times["one_run"]


def test_the_c_interface(own_api):
    done = run("c_api.asc")
    expected = [2 * (i * i + i) + (100 if i % 64 == 1 else 0) for i in range(128)]
    assert [int(word) for word in lines(done)["squares"].split()] == expected
    assert "1 launch, 0 errors, 0 warnings" in done.stderr
    wrong = avo("run", HERE / "c_api.asc", "-D", "FORGET")
    assert wrong.returncode == 1
    assert re.search(r"MissingSync: .* Mul \(c_api.asc:\d+ squares\) on V reads src0", wrong.stderr), (
        wrong.stderr
    )


def matrix(values: np.ndarray) -> np.ndarray:
    """8 rows of 48 elements, of columns of fractals that lie one behind the other."""
    return values.reshape(3, 8, 16).transpose(1, 0, 2).reshape(8, 48)


def test_softmax_of_a_matrix_in_fractals(own_api):
    """Elements behind the last column stay as they are."""
    found = lines(run("softmax_fractals.asc"))
    numbers = np.arange(8 * 48) ** 2 % 7
    powers = np.exp(matrix(numbers)[:, :40].astype(float))
    want = 1e6 * powers / powers.sum(axis=1, keepdims=True)
    for title, tolerance in (("floats", 2), ("halfs", 200)):  # in millionths; half has 11 bits
        got = matrix(np.array(found[title].split(), dtype=int))
        np.testing.assert_allclose(got[:, :40], want, atol=tolerance)
        np.testing.assert_array_equal(got[:, 40:], 10**6 * matrix(numbers)[:, 40:])


@pytest.mark.parametrize("title,lanes,relative", [("floats", 8, 1e-5), ("halfs", 16, 2e-3)])
@pytest.mark.usefixtures("own_api")
def test_the_family_of_softmax_on_fractals(title, lanes, relative):
    """Numbers come as whole ones of a scale; half has 11 bits, and its results are rounded once or twice."""
    got = np.array(lines(run("softmax_family_fractals.asc"))[title].split(), dtype=int)
    parts = np.split(got, np.cumsum([384, 384, *[8 * lanes] * 3, 384, *[8 * lanes] * 2]))
    logarithm, y, total, top, factor, gradient, front, grad_front, adjusted = parts
    x = matrix(np.arange(8 * 48) ** 2 % 7).astype(float)
    columns = x[:, :40]
    powers = np.exp(columns - columns.max(1, keepdims=True))
    dots = (columns * columns / 8).sum(1)

    def same_matrix(found: np.ndarray, want: np.ndarray, scale: float) -> None:
        np.testing.assert_allclose(matrix(found)[:, :40], want * scale, relative, 1)
        np.testing.assert_array_equal(matrix(found)[:, 40:], 0)

    def same_blocks(found: np.ndarray, want: np.ndarray, scale: float) -> None:
        np.testing.assert_allclose(
            found.reshape(8, lanes), np.repeat(want[:, None] * scale, lanes, 1), relative, 1
        )

    same_matrix(logarithm, np.log10(powers / powers.sum(1, keepdims=True)), 1e4)
    new_top = np.maximum(columns.max(1), 3)
    results = np.exp(columns - new_top[:, None])
    same_matrix(y, results, 1e4)
    same_blocks(top, new_top, 1e4)
    same_blocks(factor, np.exp(3 - new_top), 1e4)
    same_blocks(total, 2 * np.exp(3 - new_top) + results.sum(1), 1e4)
    same_matrix(gradient, (columns - dots[:, None]) * columns / 8, 64)
    same_blocks(front, dots, 64)
    same_blocks(grad_front, dots, 64)
    x[[2, 5]] = 9
    np.testing.assert_array_equal(matrix(adjusted), x)


def test_arrays_in_ub_fit(own_api):
    wrong = avo("run", HERE / "c_api.asc", "-D", "TOO_MANY")
    rows = 3 * 64 * 4
    text = f"arrays in the Unified Buffer must have at most 196608 bytes together, got {196608 + rows}"
    assert wrong.returncode == 1
    assert text in wrong.stderr


def test_how_often_a_core_polls_takes_no_time(tmp_path):
    """On CANN's headers the cube core asks for messages, the more often the fewer threads the host has."""
    times = []
    for threads in ("1", "3"):
        report = tmp_path / f"{threads}.json"
        run("product.asc", "--report", str(report), AVO_SIM_THREADS=threads)
        times.append(json.loads(report.read_text())["microseconds"])
    assert times[0] == pytest.approx(times[1], rel=0.2)


@pytest.mark.parametrize(
    "define, fault",
    [
        ("FLAG", r"Flag: .* CrossCoreSetFlag \(product.asc:\d+ product\): flag 9 is set, but nobody waits"),
        ("EARLY", r"BlockConflict: .* GetValue \(product.asc:\d+ product\) reads GM bytes \[0, \d+\)"),
    ],
)
def test_faults_beside_a_product(define, fault):
    """What Matmul does for itself is right, and what the kernel does wrong beside it is found."""
    done = avo("run", HERE / "product.asc", "-D", define)
    assert done.returncode == 1
    assert re.search(fault, done.stderr), done.stderr
    assert len(set(re.findall(r"^(\w+): kernel", done.stderr, re.MULTILINE))) == 1, done.stderr


def test_cores_of_a_pair_meet():
    assert lines(run("meet.asc"))["meet"].split()[::16] == ["40", "41"]
    done = avo("run", HERE / "meet.asc", "-D", "FORGET")
    assert done.returncode == 1
    assert re.search(r"Flag: kernel meet, block 0: CrossCoreWaitFlag .*flag 3 never came", done.stderr)


def test_fresh_memory_is_a_poison_or_zero():
    poison = int.from_bytes(b"\xa5" * 4, "little", signed=True)
    assert lines(run("fresh.asc"))["fresh"] == f"{poison} {poison}"
    assert lines(run("fresh.asc", AVO_SIM_ZERO="1"))["fresh"] == "0 0"


@pytest.fixture
def words_beside_counts(ascendc, tmp_path):
    """Suppresses that CANN's GroupBarrier adds 32 bytes to each count, of which it has written 4."""
    if ascendc == "own":
        return {}
    known = tmp_path / "known.txt"
    known.write_text("{\n  words beside the counts\n  kind:Uninitialised\n  kernel:grouped\n}\n")
    return {"AVO_SIM_SUPPRESSIONS": str(known)}


def test_pools_of_a_kernel_groups_of_cores_and_pointers_to_tiling(words_beside_counts):
    done = run("pools.asc", **words_beside_counts)
    found = {title: np.array(text.split(), dtype=int) for title, text in lines(done).items()}
    np.testing.assert_array_equal(found["pooled"], 3 * np.arange(128) + 7 + 8)
    np.testing.assert_array_equal(found["grouped"], np.repeat([10 + 20, 11 + 21], 3 * 8))
    np.testing.assert_array_equal(found["pointed"], [60, 6, 9, 1, 0])


@pytest.mark.usefixtures("own_api")
def test_host_and_kernels_share_memory_as_in_the_cpu_debug_mode():
    assert lines(run("shared.asc")) == {"no key": "30 31 0", "key": "35 36", "instance": "90 93"}
    done = avo("run", HERE / "shared.asc", "-D", "BEYOND")
    assert done.returncode == 1
    assert "nothing launches" not in done.stderr
    assert re.search(r"GmBounds: kernel added, block \d: SetValue \(shared.asc:21 added\)", done.stderr), (
        done.stderr
    )


@pytest.mark.parametrize(
    "define, settings, text",
    [
        ("FULL", {}, r"ICPU_RUN_KF: 128 bytes of GmAlloc do not fit on the device: .*out of memory"),
        ("WITHOUT", {"AVO_SIM_SOC": "Nothing"}, "ICPU_RUN_KF: there is no device: "),
        ("FOREIGN", {}, r"GmFree: ptr 0x\w+ is not the start of memory of GmAlloc \(freed already\?\)"),
    ],
)
@pytest.mark.usefixtures("own_api")
def test_shared_memory_that_is_not_there_ends_the_program(define, settings, text):
    done = avo("run", HERE / "shared.asc", "-D", define, **settings)
    assert done.returncode == 1
    assert re.search(text, done.stderr), done.stderr


@pytest.mark.usefixtures("own_api")
def test_memory_beside_ub_and_tensors_in_files(tmp_path):
    done = avo("run", HERE / "memory.asc", folder=tmp_path)
    assert done.returncode == 0, done.stderr
    numbers = np.full(64, 7)
    numbers[:16], numbers[32:48] = np.arange(100, 116), np.arange(132, 148)
    found = lines(done)
    np.testing.assert_array_equal(np.array(found["kept"].split(), dtype=int), numbers)
    np.testing.assert_array_equal(np.fromfile(tmp_path / "kept.bin", np.int32), numbers)
    assert "[AIV Block 0/1] 0008: 108 109 110 111 112 113 114 115\n[AIV Block 0/1] 0016: 7 7\n" in done.stdout
    assert found["trait"] == "20 100 1 0"
    rounded = avo("run", HERE / "memory.asc", "-D", "ROUNDED", folder=tmp_path)
    assert rounded.returncode == 0, rounded.stderr
    assert re.search("RoundedCopy: .*got 260: the device copies 256 bytes", rounded.stderr), rounded.stderr
    forgotten = avo("run", HERE / "memory.asc", "-D", "FORGET", folder=tmp_path)
    assert forgotten.returncode == 1
    assert (
        "WriteSpmBuffer (memory.asc:24 kept): the TPipe has no memory for it: missing InitSpmBuffer"
        in forgotten.stderr
    )


@pytest.mark.parametrize(
    "define, fault",
    [
        (
            "SMALL",
            r"UbCapacity: kernel pooled, .*InitBufHandle .*UB bytes \[0, 512\), got UB bytes \[512, 768\)",
        ),
        ("FORGET", r"Flag: kernel grouped, .*GroupBarrier::Wait .*arriveIndex 1 .*missing Arrive"),
        ("RACE", r"BlockConflict: kernel grouped, .*DataCopy .*nothing orders the two blocks"),
    ],
)
def test_faults_of_pools_and_groups(define, fault, ascendc):
    if ascendc == "cann" and define != "RACE":
        pytest.skip("CANN's headers place no limit on a pool, and poll for a block that never arrives")
    done = avo("run", HERE / "pools.asc", "-D", define)
    assert done.returncode == 1
    assert re.search(fault, done.stderr), done.stderr


def test_names_of_dtypes_and_examples_of_commands():
    wrong = avo("run", HERE / "tiling.asc", "--dtype", "x=int5")
    assert "expected NAME=DTYPE with one of float32, float16, int8, " in wrong.stderr
    assert "float64" in wrong.stderr
    assert "avo sim run" not in avo("build", "--help").stdout


def test_options_reach_compiler_and_linker():
    options = argparse.Namespace(
        compiler_options=["-O2", "-fopenmp", "-lm"], include=[], define=[], dtype=[], ascend_headers=None
    )
    assert sim_run._settings(options).options == ("-O2", "-fopenmp")
    assert sim_run._link_words(options) == ["-fopenmp", "-lm"]


@pytest.mark.parametrize(("folder", "defined"), [(None, True), ("/headers", False)])
def test_dtypes_are_macros_without_headers_alone(folder, defined, monkeypatch):
    """CANN's headers of 9.x have enumerators of these names in a program."""
    monkeypatch.delenv("AVO_ASCEND_HEADERS", raising=False)
    options = argparse.Namespace(
        compiler_options=[], include=[], define=[], dtype=["x=int32"], ascend_headers=folder
    )
    words = sim_run._settings(options).options
    assert ("-DDT_INT32=3" in words) == defined
    assert {"-DDTYPE_X=int32_t", "-DORIG_DTYPE_X=3", "-DFORMAT_X=2"} <= set(words)


def test_tiling_data_macros_of_dtypes_and_dumps():
    done = run("tiling.asc", "--dtype", "x=int32")
    assert lines(done)["planned"] == "42 42"
    assert (
        "[AIV Block 0/1] DumpTensor: desc=5, addr=0x0, data_type=int32, position=UB, dump_size=3\n"
        in done.stdout
    )
    assert "[AIV Block 0/1] [42, 42, 42]\n" in done.stdout
    assert "[AIV Block 0/1] [[42, 42],\n[AIV Block 0/1] [42, -]]\n" in done.stdout
    assert "desc=7, addr=0x38" in done.stdout
    assert "[AIV Block 0/1] dtype 3\n" in done.stdout


def test_a_class_of_the_host_is_the_tiling_data_of_the_kernel():
    found = lines(run("tiling_class.asc"))
    total = 60000 + 3 + 250 + 5 - 7 + 100 + 300 + 1000 + 10000
    assert found["planned"] == f"{total} {total} -200 250 251"
    assert found["got"] == "60000 300"
    assert found["placed"] == "60000 9 1"  # SetDataPtr: what the buffer has, and setters write there
    short = avo("run", HERE / "tiling_class.asc", "-D", "SHORT")
    assert short.returncode == 1
    assert re.search(
        r"GET_TILING_DATA \(tiling_class.asc:43 planned\).* nothing wrote byte 292", short.stderr
    )


def test_groups_of_cube_cores_answer_messages():
    """Products of whole numbers, which float holds exactly; each core adds 1 when its answer is there."""
    found = {title: np.array(text.split(), np.int32) for title, text in lines(run("cube_groups.asc")).items()}
    row, k = np.arange(6 * 16)[:, None], np.arange(16)[None, :]
    left = ((row * row + 3 * k) % 8).reshape(6, 16, 16)
    matrix, k, n = np.ogrid[:6, :16, :16]
    right = (5 * k + n * n + matrix * (k + 2 * n)) % 7
    each = np.einsum("cmk,rkn->crmn", left[:5], right)
    np.testing.assert_array_equal(found["each"].view(np.float32), each.ravel() + 1)
    np.testing.assert_array_equal(found["together"].view(np.float32), (left @ right[0]).ravel() + 1)
    assert run("cube_groups.asc", "-D", "POLL").stdout == run("cube_groups.asc", AVO_SIM_SEED="3").stdout


@pytest.mark.parametrize(
    "macro,expected",
    [
        ("STALE", r"Coherence: .* cube_groups.asc:\d+ Call\) reads GM bytes \[64, 72\)"),
        ("EARLY", r"BlockConflict: .* AddOne\) writes GM bytes .* writes in Fixpipe"),
        ("FORGET", r"BlockConflict: .* AddOne\) reads GM bytes .* block 2 writes in Fixpipe"),
        ("ODD", r"CubeResGroupHandle \(.*\): blockSize must be even and in \[2, 6\], got 3"),
        ("FAR", r"AssignQueue \(.*\): queueIdIn must be in \[0, 4\], got 5"),
        ("UNBOUND", r"AllocMessage \(.*\): the handle needs AssignQueue before"),
        ("SKIP", r"SetSkipMsg \(.*\): skipCnt must be in \[0, 5\], got 6"),
    ],
)
@pytest.mark.usefixtures("own_api")
def test_faults_of_groups_of_cube_cores(macro, expected):
    """Cores that wait for one that has ended end soon: AVO_SIM_TIMEOUT."""
    done = avo("run", HERE / "cube_groups.asc", "-D", macro, AVO_SIM_TIMEOUT="0.2")
    assert done.returncode == 1
    assert re.search(expected, done.stderr), done.stderr


def test_pictures_on_their_way_to_l1():
    """AIPP: part, swap of channels, colours, types, padding around and of channels."""
    words = {title: np.array(text.split(), np.int32) for title, text in lines(run("picture.asc")).items()}
    picture = words.pop("picture").view(np.uint8).astype(int)
    plane = picture[:96].reshape(8, 12)
    pairs = picture[96:144].reshape(4, 6, 2).repeat(2, 0).repeat(2, 1)
    yuv = np.concatenate([plane[:, :, None], pairs], 2)[2:7, 4:11]
    rgb = picture[:288].reshape(8, 12, 3)
    matrix = np.array([[298, 0, 409], [298, -100, -208], [298, 516, 0]])
    coloured = np.clip((yuv - [16, 128, 128]) @ matrix.T >> 8, 0, 255)

    def pixels(numbers: np.ndarray, fill: float, dtype: type, channels: int) -> np.ndarray:
        full = np.full((*numbers.shape[:2], channels), fill)
        full[:, :, : numbers.shape[2]] = numbers
        return full.astype(dtype)

    def around(numbers: np.ndarray, left: int, right: int, mode: str) -> np.ndarray:
        return np.pad(numbers, ((2, 2), (left, right), (0, 0)), mode)

    block = plane[2:7, 4:11, None]
    wide = np.concatenate([block[:, :4], block, block[:, -1:]], 1)
    signed = np.clip(rgb[2:7, 4:11, ::-1], -128, 127)
    edges = [np.broadcast_to([1, 2, 3], (5, count, 3)) for count in (5, 4)]
    xrgb = picture[:384].reshape(8, 12, 4)[2:7, 4:11, 1:] - [3, 0, 0]
    scaled = (xrgb - [0, -20.5, 0]) * [1, 0.25, 1]
    expected = {
        "colours": pixels(np.clip(coloured - [128, 100, 7], -128, 127), -3, np.int8, 32),
        "constant": pixels(np.concatenate([edges[0], signed, edges[1]], 1), 9, np.int8, 4),
        "nearest": pixels(around(scaled, 3, 2, "edge"), 0.5, np.float16, 16),
        "again": pixels(np.concatenate([wide[:2], wide, wide[-2:]]), -1, np.float16, 4),
        "mirror": pixels(around(yuv[:, :, [0, 2, 1]], 4, 1, "symmetric"), 2, np.float16, 4),
        "line": pixels(np.clip(rgb[:1], -128, 127), 0, np.int8, 32),
    }
    for title, numbers in expected.items():
        got = words[title].view(np.uint8)
        assert (got[numbers.nbytes :] == 0x5C).all(), title
        np.testing.assert_array_equal(
            got[: numbers.nbytes].view(numbers.dtype).reshape(numbers.shape), numbers, title
        )


@pytest.mark.parametrize(
    "macro,expected",
    [
        ("FORGET", r"MissingSync: kernel colours.* DataCopy .* LoadImageToLocal .* on MTE2 writes"),
        ("WIDE", r"LoadImageToLocal \(.*\): the part from pixel 4 on with horizSize 9 leaves the picture"),
        ("TALL", r"kernel constant.*: topPadSize must be in \[0, 0\], got 2"),
        (
            "ODD",
            r"SetAippFunctions \(.*\): src1 of a picture of YUV420SP must start on a multiple of 2 bytes",
        ),
    ],
)
@pytest.mark.usefixtures("own_api")
def test_faults_of_pictures(macro, expected):
    done = avo("run", HERE / "picture.asc", "-D", macro)
    assert done.returncode == 1
    assert re.search(expected, done.stderr), done.stderr


def test_time_stamps_program_counter_and_a_mask_of_the_kernel(own_api):
    done = run("aids.asc", "-D", "ASCENDC_TIME_STAMP_ON")
    stamp = r"descId is {}, rsv is 0, timeStamp is (\d+), pcPtr is (\d+), entry is 0\.\n"
    first, second = (re.search(stamp.format(number), done.stdout) for number in (70001, 70002))
    # 100 instructions of 16 repeats take at least a cycle for each repeat; the counter has 50 MHz for 1.85 GHz.
    assert int(second[1]) - int(first[1]) >= 1600 * 50 / 1850
    assert first[2] != second[2]
    assert "descId" not in run("aids.asc").stdout
    places = lines(done)["places"].split()
    assert places[0] != "0"
    assert len(set(places)) == 1
    lanes = np.arange(64)
    # (-20 + i + 4) / 2 is whole where i is a multiple of 4; other lanes stay 7.
    want = np.where(lanes % 4 == 0, np.maximum((lanes - 16) // 2, 0), 7)
    np.testing.assert_array_equal([int(word) for word in lines(done)["masked"].split()], want)


def test_powers_of_integers():
    """Exact; those of negative exponents lose their fraction, and are 0 for 0."""
    got = np.array(lines(run("integer_powers.asc"))["powers"].split(), dtype=int).reshape(4, 200)
    bases, exponents = np.arange(200) % 9 - 4, np.arange(200) % 17 - 3

    def power(base: int, exponent: int) -> int:
        if exponent >= 0:
            return base**exponent
        return {1: 1, -1: 1 if exponent % 2 == 0 else -1}.get(base, 0)

    want = [
        [power(int(x), int(y)) for x, y in zip(bases, exponents, strict=True)],
        [power(int(x), 3) for x in bases],
        [power(-2, int(y)) for y in exponents],
        [power(int(x), -1) for x in bases],
    ]
    np.testing.assert_array_equal(got, want)


def test_race_is_found_and_the_right_program_beside_it_passes(tmp_path):
    assert lines(run("race.asc"))["doubled"] == "42 42"
    report, junit = tmp_path / "report.json", tmp_path / "report.xml"
    done = avo("run", HERE / "race.asc", "-D", "RACE", "--report", report, "--junit", junit)
    assert done.returncode == 1
    assert "MissingSync: kernel doubled, block 0: Add (race.asc:19 doubled)" in done.stderr
    (launch,) = [json.loads(line) for line in report.read_text().splitlines()]
    assert launch["kernel"] == "doubled"
    assert {fault["kind"] for fault in launch["faults"]} == {"MissingSync"}
    assert "<failure" in junit.read_text()


def test_page_of_a_run_shows_the_fault_and_its_source(tmp_path):
    page = tmp_path / "run.html"
    assert avo("run", HERE / "race.asc", "-D", "RACE", "--html", page).returncode == 1
    text = page.read_text(encoding="utf-8")
    assert "MissingSync" in text
    assert "race.asc" in text


def test_a_fault_can_go_on_or_end_the_program():
    going_on = avo("run", HERE / "race.asc", "-D", "RACE", "--on-fault", "continue")
    aborted = avo("run", HERE / "race.asc", "-D", "RACE", "--on-fault", "abort")
    assert going_on.returncode == aborted.returncode == 1
    assert "doubled:" in going_on.stdout
    assert "doubled:" not in aborted.stdout


@pytest.mark.parametrize("macro", ["DEVICE_ASSERT", "C_ASSERT"])
def test_assertion_is_a_fault_and_does_not_end_the_program(macro):
    done = avo("run", HERE / "asserts.asc", "-D", macro)
    assert done.returncode == 1
    assert lines(done)["right"] == "3"
    assert "goes on" in done.stdout
    assert "Assert: kernel checked" in done.stderr
    text = "number == 3 does not hold" + (": got 4" if macro == "DEVICE_ASSERT" else "")
    assert text in done.stderr


def test_build_writes_a_program_and_an_object(tmp_path):
    assert avo("build", HERE / "race.asc", "-o", tmp_path / "race").returncode == 0
    assert subprocess.run([tmp_path / "race"], capture_output=True, text=True).stdout == "doubled: 42 42\n"
    seven = HERE / "project" / "seven.asc"
    assert avo("build", "-c", seven, "-o", tmp_path / "seven.o").returncode == 0
    done = avo("run", HERE / "project" / "main.cpp", tmp_path / "seven.o", "-I", HERE)
    assert done.stdout == "seven: 7 1\n"


def wrong_program(tmp_path: Path, kernel: str, launch: str = "") -> subprocess.CompletedProcess[str]:
    source = tmp_path / "wrong.asc"
    source.write_text(
        f'#include "acl/acl.h"\n#include "kernel_operator.h"\n{kernel}\nint main() {{ {launch} return 0; }}\n'
    )
    return avo("run", source, folder=tmp_path)


def test_messages_of_wrong_programs(tmp_path):
    absent = wrong_program(tmp_path, "__global__ __vector__ void f() { AscendC::NoSuchName(1); }")
    assert absent.returncode == 1
    assert "wrong.asc:3:" in absent.stderr.splitlines()[-1]
    assert "NoSuchName" in absent.stderr.splitlines()[-1]
    kind = wrong_program(tmp_path, "__global__ void f() { KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_NONE); }")
    assert kind.stderr.splitlines()[-1] == "avo: kernel f: there is no kernel type KERNEL_TYPE_NONE"
    mix = wrong_program(tmp_path, "__global__ __mix__(1, 3) void f() {}")
    assert "kernel f: expected __mix__(1, 2), (1, 1), (1, 0) or (0, 1), got __mix__(1, 3)" in mix.stderr
    alone = wrong_program(tmp_path, "__global__ __vector__ void f() {}")
    assert "avo: nothing launches f: no source has f<<<…>>>(…)" in alone.stderr
    declared = wrong_program(
        tmp_path,
        "__global__ void f(int);",
        "aclrtSetDevice(0); f<<<1, nullptr, nullptr>>>(1);",
    )
    assert "undefined reference to `f(int)'" in declared.stderr
    assert (
        avo("run", tmp_path / "absent.asc").stderr == f"avo: {tmp_path}/absent.asc: there is no such file\n"
    )


def test_no_compiler_is_told(monkeypatch, tmp_path):
    monkeypatch.setenv("CXX", "no-such-compiler")
    done = avo("run", HERE / "race.asc")
    assert done.returncode == 1
    assert "there is no compiler no-such-compiler (CXX names one)" in done.stderr


def configured(tmp_path: Path, project: str) -> Path:
    """A built CMake project of this folder. All paths have spaces in them."""
    from ascend_vision_ops.paths import PACKAGE, cmake_dir

    build = tmp_path / "built here" / project
    package = tmp_path / "the package"
    package.symlink_to(PACKAGE.parent)
    found = package / cmake_dir().relative_to(PACKAGE.parent)
    options = [f"-DCMAKE_PREFIX_PATH={found}", f"-DAVO_PYTHON={sys.executable}", "-G", "Ninja"]
    for words in (["-S", HERE / project, "-B", build, *options], ["--build", build]):
        done = subprocess.run(["cmake", *map(str, words)], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stdout + done.stderr
    return build


def printed(program: Path, status: int = 0) -> str:
    done = subprocess.run([program], capture_output=True, text=True, check=False)
    assert done.returncode == status, done.stderr
    return done.stdout + done.stderr


def test_cmake_project_of_the_language_asc(tmp_path):
    build = configured(tmp_path, "project")
    assert printed(build / "race") == "doubled: 42 42\n"
    assert printed(build / "main") == "seven: 7 1\n"


def test_cmake_library_of_kernels(tmp_path):
    build = configured(tmp_path, "library")
    assert printed(build / "main") == "scaled: 17 1\n"
    assert "MissingSync: kernel doubled" in printed(build / "race")


def test_cmake_finds_the_package_in_each_of_two_folders(tmp_path):
    build = configured(tmp_path, "folders")
    assert printed(build / "first" / "first") == printed(build / "second" / "second") == "doubled: 42 42\n"


def test_cmake_says_what_a_library_of_kernels_can_be(tmp_path):
    from ascend_vision_ops.paths import cmake_dir

    text = "find_package(ascend_vision_ops REQUIRED)\nascendc_library(kernels OBJECT a.cpp)\n"
    (tmp_path / "CMakeLists.txt").write_text(f"cmake_minimum_required(VERSION 3.16)\nproject(p CXX)\n{text}")
    words = ["cmake", "-S", tmp_path, "-B", tmp_path / "build", f"-DCMAKE_PREFIX_PATH={cmake_dir()}"]
    done = subprocess.run(words, capture_output=True, text=True, check=False)
    assert "ascendc_library: expected STATIC or SHARED for kernels, got OBJECT" in done.stderr


def test_a_program_may_be_named_as_a_file_of_the_run(tmp_path):
    program = tmp_path / "timeline.asc"
    program.write_bytes((HERE / "add.asc").read_bytes())
    done = avo("run", program, "-I", HERE, "--html", tmp_path / "run.html", "--", "8")
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "run.html").is_file()
    absent = avo("run", program, "-I", HERE, "--html", tmp_path, "--", "8")
    assert absent.stderr.splitlines()[-1] == f"avo: [Errno 21] Is a directory: '{tmp_path}'"


def test_a_list_of_files_has_those_of_both_sides(tmp_path):
    first, second = tmp_path / "a.d", tmp_path / "a.d.cube"
    first.write_text("a.o: \\\n a.asc vector.h\n")
    second.write_text("a.o: a.asc cube.h\n")
    program._join_depends(first, second)
    assert first.read_text().replace("\\\n", "").split() == ["a.o:", "a.asc", "vector.h", "a.asc", "cube.h"]
    assert not second.exists()


def test_a_cache_forgets_what_was_not_touched(tmp_path):
    for age, name in enumerate(("new", "older", "oldest")):
        (tmp_path / name).mkdir()
        os.utime(tmp_path / name, (1e9 - age, 1e9 - age))
    forget_old([*tmp_path.iterdir(), tmp_path / "gone"], 2)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "older"]


def test_an_unknown_kernel_type_is_told():
    with pytest.raises(CompileError, match="kernel k: there is no kernel type KERNEL_TYPE_NONE"):
        cores_of("k", "KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_NONE);")

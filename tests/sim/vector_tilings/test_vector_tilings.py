# SPDX-License-Identifier: Apache-2.0
"""Host functions of vector functions: bytes of work memory, and tilings, as a struct and as a class."""

from __future__ import annotations

import re
import subprocess
from itertools import accumulate
from pathlib import Path

import pytest

from tests.built import BUILD


def answer(line: str) -> str:
    program = BUILD / "tests" / "sim_vector_tilings"
    done = subprocess.run([program], input=f"{line}\n", capture_output=True, text=True, check=True)
    assert "differ" not in done.stdout, done.stdout
    return done.stdout


def ask(name: str, rows: int, columns: int, type_bytes: int, work: int = 0, *more: bool) -> list[int]:
    words = [rows, columns, type_bytes, work, *map(int, more)]
    return [int(word) for word in answer(f"{name} {' '.join(map(str, words))}").split()]


SIZES = [
    # A float for each of 16 repeats; a half for each of 8.
    ("Sum", 1, 1000, 4, [64, 64]),
    ("Sum", 1, 1000, 2, [32, 32]),
    # A byte for each of 16 repeats; for half the row as floats too.
    ("Mean", 1, 1000, 4, [32, 32]),
    ("Mean", 1, 1000, 2, [32 + 4 * 1008, 32 + 4 * 1008]),
    ("ReduceMax", 3, 8, 4, [0, 0]),
    ("ReduceMax", 3, 40, 4, [96, 96]),
    ("ReduceMax", 3, 1000, 4, [768, 768]),
    ("ReduceSum", 3, 64, 4, [0, 0]),
    ("ReduceSum", 3, 100, 4, [3 * 64 * 4, 3 * 64 * 4]),
    ("RmsNorm", 3, 64, 4, [(3 * 64 + 8) * 4, (64 + 8) * 4]),
    ("RmsNorm", 3, 64, 2, [(2 * 3 * 64 + 16) * 4, (2 * 64 + 8) * 4]),
    ("AscendDequant", 3, 64, 4, [(64 + 4 * 64) * 4, (64 + 2 * 64) * 4]),
    ("Power", 1, 1000, 4, [5 * 4000 + 256, 6 * 256]),
    ("Gelu", 1, 1000, 2, [12000, 768]),
    ("SoftMax", 3, 64, 4, [3 * (8 + 64 + 64) * 4, (8 + 64 + 64) * 4]),
]


@pytest.mark.parametrize("name,rows,columns,type_bytes,want", SIZES)
def test_sizes_of_work_memory(name, rows, columns, type_bytes, want):
    assert ask(name, rows, columns, type_bytes) == want


def fields_of_cann() -> dict[str, str]:
    """Of each struct what the program prints: types, names and places. No struct has gaps."""
    text = re.sub(
        r"^#.*\n", "", (Path(__file__).parent / "fields.txt").read_text(encoding="utf-8"), flags=re.M
    )
    structs = {}
    for name, _, fields in (line.partition(": ") for line in re.sub(r"\n +", " ", text).splitlines()):
        typed = [field if " " in field else f"uint32_t {field}" for field in fields.split(", ")]
        ends = [0, *accumulate(2 if field.startswith("uint16_t") else 4 for field in typed)]
        structs[name] = " ".join(f"{field} {begin}" for field, begin in zip(typed, ends[:-1], strict=True))
    return structs


def test_fields_of_all_structs():
    """Host code of a project may have been written for the struct of CANN, word by word."""
    got = dict(line.split(" alike ") for line in answer("Fields").splitlines())
    assert len(got) > 10
    assert got == fields_of_cann()


def test_unpad_tiling():
    assert ask("UnPadTiling", 6, 32, 4) == [6, 32, 0, 0, 0, 0, 0, 0]


def test_softmax_tiling():
    """Work memory for 20 of 70 rows: 16 at once, as more than eight rows come in eights."""
    row = (8 + 64 + 64) * 4
    got = ask("SoftMaxTiling", 70, 64, 4, 20 * row)
    assert got == [70, 64, 70 * 64, 70, 8, 70 * 8, 16, 64, 16 * 64, 16, 8, 16 * 8, 4, 6, 6 * 64, 6 * 8]


@pytest.mark.parametrize("groups,columns", [(True, 32), (False, 32), (False, 256)])
@pytest.mark.parametrize("indexed", [False, True])
@pytest.mark.parametrize("largest", [False, True])
@pytest.mark.parametrize("type_bytes", [2, 4])
@pytest.mark.parametrize("rows", [1, 2, 5])
def test_work_memory_holds_what_the_tiling_of_topk_places_there(
    rows, type_bytes, largest, indexed, columns, groups
):
    most, least = ask("TopK", rows, columns, type_bytes, 3, groups, indexed, largest)
    elements = ask("TopKTiling", rows, columns, type_bytes, 3, groups, indexed, largest)[0]
    assert most == least
    assert 0 < elements * type_bytes <= least


def test_groups_of_topk_have_32_elements():
    """In the struct the bits for the first k of 32 pairs would be those of other elements."""
    assert ask("TopK", 2, 32, 4, 3, True, False, True) > [0, 0]
    assert ask("TopK", 2, 64, 4, 3, True, False, True) == [0, 0]
    assert any(ask("TopKTiling", 2, 32, 4, 3, True, False, True))
    assert not any(ask("TopKTiling", 2, 64, 4, 3, True, False, True))


def test_rms_norm_tiling():
    got = ask("RmsNormTiling", 5, 64, 4, 1 << 14)
    quarter_of_sixteenth = 0x3C800000  # 1 / 64 as a float
    assert got == [1, 5, 64, 64, quarter_of_sixteenth, 64, 1, 8, 5, 320, 0, 0]


def test_rms_norm_with_too_little_work_memory():
    assert ask("RmsNormTiling", 5, 64, 4, 100) == [0] * 12


def test_layer_norm_of_no_rows():
    """Two rounds of two rows in work memory for three copies of two rows; no rows take none."""
    rounds, at_once = 16, 24  # fields
    got = ask("LayerNormTiling", 4, 16, 4, 2 * 3 * 64)
    assert (got[rounds], got[at_once]) == (2, 2)
    got = ask("LayerNormTiling", 0, 16, 4, 2 * 3 * 64)
    assert (got[0:2], got[rounds]) == ([1, 0], 0)


def fields_by_name(name: str, values: list[int]) -> dict[str, int]:
    names = re.findall(r"(\w+) \d+(?= |$)", dict(fields_of_cann())[name])
    return dict(zip(names, values, strict=True))


def test_layer_norm_grad_computes_rows_that_fill_data_blocks():
    """There is room for 3 of 20 rows: 8 at once, as values of rows are read where a piece begins. CANN's kernel
    reads 2 pieces of 8 rows and one of 4, with 6 copies of a piece of floats."""
    work = 3 * 16 * 4 * 6
    got = fields_by_name("LayerNormGradTiling", ask("LayerNormGradTiling", 20, 16, 4, work))
    assert (got["nohCalSize"], got["loopNum"], got["nohTailSize"], got["tailSize"]) == (8, 2, 4, 4 * 16)
    places = ("tmpTensorBSH", "pdVarTensor", "pdMeanTensor", "x1Tensor", "x2Tensor", "x3Tensor")
    assert [got[f"{place}Pos"] for place in places] == [i * 8 * 16 for i in range(6)]
    assert {got[f"{place}Size"] for place in places} == {8 * 16}


@pytest.mark.parametrize("type_bytes,at_once,places", [(4, 6, [0, 0, 0, 0]), (2, 2, [0, 16, 32, 32 + 32])])
def test_layer_norm_grad_beta(type_bytes, at_once, places):
    """Room for 6 rows of 16 floats: half takes two of them for the results, and two for each row."""
    work = 6 * 16 * 4
    got = fields_by_name("LayerNormGradBetaTiling", ask("LayerNormGradBetaTiling", 20, 16, type_bytes, work))
    assert (got["bsCurLength"], got["bshCurLength"]) == (at_once, at_once * 16)
    assert (got["loopRound"], got["bsTailSize"]) == divmod(20, at_once)
    names = ("gammaTempTensorPos", "betaTempTensorPos", "inputDyTmpTensorPos", "resForGammaTmpTensorPos")
    assert [got[name] for name in names] == places


def test_transpose_of_fractals():
    """[2, 3, 40, 20] of half: 48 x 32 with padding, three fractals in a column, of which two fit at once."""
    got = ask("SwapTiling", 40, 20, 2, 2 * 256 * 2)
    sizes, at_once, rounds = [16, 2, 3, 32, 48, 2], [512, 32], [48 * 16, 1, 256]
    strides = [48 * 32, 3 * 48 * 32, 3 * 32, 3 * 16, 32 * 3 * 32]
    assert got == [*sizes, *at_once, *rounds, *strides, 40, 20]


def test_group_norm_without_groups():
    assert ask("GroupNorm", 8, 16, 4, 4)[1] > 0
    assert any(ask("GroupNormTiling", 8, 16, 4, 4))
    assert ask("GroupNorm", 8, 16, 4, 0) == [0, 0]
    assert not any(ask("GroupNormTiling", 8, 16, 4, 0))

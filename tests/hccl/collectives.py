# SPDX-License-Identifier: Apache-2.0
"""What ranks do in tests, and what NumPy says that they get."""

from __future__ import annotations

from functools import reduce

import ml_dtypes
import numpy as np

from tests.hccl.library import OPS, TYPES, Item, Rank, c_int32, c_uint32, c_void_p, dtype, number, numbers

COMBINE = {"sum": np.add, "prod": np.multiply, "max": np.maximum, "min": np.minimum}


def drawn(name: str, seed: int, size: int) -> np.ndarray:
    """Values whose sums depend on their order where the type is a float, and overflow where it is an integer."""
    generator, kind = np.random.default_rng(seed), dtype(name)
    if kind.kind in "iu":
        limits = np.iinfo(kind)
        return generator.integers(limits.min, limits.max, size, kind, endpoint=True)
    values = generator.standard_normal(size) * 10.0 ** generator.integers(-3, 3, size)
    return values.astype(kind)


def combined(op: str, arrays: list[np.ndarray]) -> np.ndarray:
    """((rank 0 op rank 1) op rank 2) …, each step rounded to the type."""
    with np.errstate(over="ignore", invalid="ignore"):
        return reduce(COMBINE[op], arrays).astype(arrays[0].dtype)


def same_bits(result: np.ndarray, expected: np.ndarray) -> bool:
    """A NaN has many bit patterns; any of them equals another."""
    width = f"u{result.dtype.itemsize}"
    nan = (
        np.isnan(expected.astype(np.float64))
        if expected.dtype.kind not in "iu"
        else np.zeros(expected.shape, bool)
    )
    if nan.any() and not np.isnan(result[nan].astype(np.float64)).all():
        return False
    return result.shape == expected.shape and np.array_equal(
        result.view(width)[~nan], expected.view(width)[~nan]
    )


class Collectives:
    """Each method makes one call, on one rank, with inputs that follow from a seed, and returns (result, expected)."""

    def __init__(
        self, rank: Rank, index: int, ranks: int, kind: str = "float32", size: int = 1000, seed: int = 0
    ):
        self.rank, self.index, self.ranks, self.kind, self.size, self.seed = (
            rank,
            index,
            ranks,
            kind,
            size,
            seed,
        )
        self.number = c_int32(number(dtype(kind)))

    def input(self, rank: int, size: int | None = None) -> np.ndarray:
        return drawn(self.kind, self.seed * 100 + rank, self.size if size is None else size)

    def inputs(self, size: int | None = None) -> list[np.ndarray]:
        return [self.input(rank, size) for rank in range(self.ranks)]

    def empty(self, size: int) -> np.ndarray:
        return np.zeros(size, dtype(self.kind))

    def _finish(self, out: c_void_p, expected: np.ndarray):
        self.rank.synchronize()
        return self.rank.get(out, expected), expected

    def all_reduce(self, op: str = "sum", in_place: bool = False):
        mine = self.rank.put(self.input(self.index))
        out = mine if in_place else self.rank.put(self.empty(self.size))
        self.rank.call("HcclAllReduce", mine, out, self.size, self.number, c_int32(OPS[op]))
        return self._finish(out, combined(op, self.inputs()))

    def reduce(self, op: str = "sum", root: int = 0):
        mine, out = self.rank.put(self.input(self.index)), self.rank.put(self.empty(self.size))
        self.rank.call("HcclReduce", mine, out, self.size, self.number, c_int32(OPS[op]), c_uint32(root))
        expected = combined(op, self.inputs()) if self.index == root else self.empty(self.size)
        return self._finish(out, expected)

    def broadcast(self, root: int = 0):
        buffer = self.rank.put(self.input(self.index))
        self.rank.call("HcclBroadcast", buffer, self.size, self.number, c_uint32(root))
        return self._finish(buffer, self.input(root))

    def scatter(self, root: int = 0):
        whole = self.input(root, self.size * self.ranks)
        given = self.rank.put(whole) if self.index == root else c_void_p()
        out = self.rank.put(self.empty(self.size))
        self.rank.call("HcclScatter", given, out, self.size, self.number, c_uint32(root))
        return self._finish(out, whole.reshape(self.ranks, -1)[self.index])

    def all_gather(self):
        mine, out = self.rank.put(self.input(self.index)), self.rank.put(self.empty(self.size * self.ranks))
        self.rank.call("HcclAllGather", mine, out, self.size, self.number)
        return self._finish(out, np.concatenate(self.inputs()))

    def all_gather_v(self):
        """Blocks of 0, 1, 2 … times 100 elements, the last rank's first and one unused element before each."""
        counts = [100 * rank for rank in range(self.ranks)]
        starts = [1 + sum(counts[rank + 1 :]) + (self.ranks - 1 - rank) for rank in range(self.ranks)]
        expected = self.empty(sum(counts) + self.ranks)
        for rank in range(self.ranks):
            expected[starts[rank] : starts[rank] + counts[rank]] = self.input(rank, counts[rank])
        mine, out = (
            self.rank.put(self.input(self.index, counts[self.index])),
            self.rank.put(self.empty(expected.size)),
        )
        arguments = (mine, counts[self.index], out, numbers(counts), numbers(starts))
        self.rank.call("HcclAllGatherV", *arguments, self.number)
        return self._finish(out, expected)

    def reduce_scatter(self, op: str = "sum"):
        inputs = self.inputs(self.size * self.ranks)
        mine, out = self.rank.put(inputs[self.index]), self.rank.put(self.empty(self.size))
        self.rank.call("HcclReduceScatter", mine, out, self.size, self.number, c_int32(OPS[op]))
        return self._finish(out, combined(op, inputs).reshape(self.ranks, -1)[self.index])

    def reduce_scatter_v(self, op: str = "sum"):
        counts = [70 * (rank + 1) for rank in range(self.ranks)]
        starts = [sum(counts[:rank]) for rank in range(self.ranks)]
        inputs = self.inputs(sum(counts))
        mine, out = self.rank.put(inputs[self.index]), self.rank.put(self.empty(counts[self.index]))
        arguments = (mine, numbers(counts), numbers(starts), out, counts[self.index])
        self.rank.call("HcclReduceScatterV", *arguments, self.number, c_int32(OPS[op]))
        start = starts[self.index]
        return self._finish(out, combined(op, inputs)[start : start + counts[self.index]])

    def all_to_all(self):
        inputs = self.inputs(self.size * self.ranks)
        mine, out = self.rank.put(inputs[self.index]), self.rank.put(self.empty(self.size * self.ranks))
        self.rank.call("HcclAlltoAll", mine, self.size, self.number, out, self.size, self.number)
        return self._finish(
            out, np.concatenate([given.reshape(self.ranks, -1)[self.index] for given in inputs])
        )

    def _counts(self) -> list[list[int]]:
        """What rank i sends to rank j; some send nothing to some."""
        return [[13 * (i + 2 * j) % 37 for j in range(self.ranks)] for i in range(self.ranks)]

    def _blocks(self, counts) -> list[np.ndarray]:
        """What this rank gets from each."""
        blocks = []
        for sender, row in enumerate(counts):
            start = sum(row[: self.index])
            blocks.append(self.input(sender, sum(row))[start : start + row[self.index]])
        return blocks

    def all_to_all_v(self):
        counts = self._counts()
        sent, received = counts[self.index], [row[self.index] for row in counts]
        starts = [sum(sent[:rank]) for rank in range(self.ranks)]
        places = [sum(received[rank + 1 :]) for rank in range(self.ranks)]  # in reverse order
        mine, out = self.rank.put(self.input(self.index, sum(sent))), self.rank.put(self.empty(sum(received)))
        first = (mine, numbers(sent), numbers(starts), self.number)
        self.rank.call("HcclAlltoAllV", *first, out, numbers(received), numbers(places), self.number)
        return self._finish(out, np.concatenate(self._blocks(counts)[::-1]))

    def all_to_all_vc(self):
        counts = self._counts()
        received = [row[self.index] for row in counts]
        mine, out = (
            self.rank.put(self.input(self.index, sum(counts[self.index]))),
            self.rank.put(self.empty(sum(received))),
        )
        matrix = numbers([count for row in counts for count in row])
        self.rank.call("HcclAlltoAllVC", mine, matrix, self.number, out, self.number)
        return self._finish(out, np.concatenate(self._blocks(counts)))

    def send(self, to: int):
        self.rank.call(
            "HcclSend", self.rank.put(self.input(self.index)), self.size, self.number, c_uint32(to)
        )
        self.rank.synchronize()

    def receive(self, source: int):
        out = self.rank.put(self.empty(self.size))
        self.rank.call("HcclRecv", out, self.size, self.number, c_uint32(source))
        return self._finish(out, self.input(source))

    def batch(self):
        """Every rank sends to every rank, itself too, and receives from every rank."""
        outs = [self.rank.put(self.empty(self.size)) for _ in range(self.ranks)]
        mine = self.rank.put(self.input(self.index))
        sends = [Item(0, mine, self.size, self.number, rank) for rank in range(self.ranks)]
        receives = [Item(1, out, self.size, self.number, rank) for rank, out in enumerate(outs)]
        items = (Item * (2 * self.ranks))(*sends, *receives)
        self.rank.call("HcclBatchSendRecv", items, c_uint32(2 * self.ranks))
        self.rank.synchronize()
        expected = np.concatenate(self.inputs())
        return np.concatenate([self.rank.get(out, self.empty(self.size)) for out in outs]), expected


MOVES = (
    "broadcast",
    "scatter",
    "all_gather",
    "all_gather_v",
    "all_to_all",
    "all_to_all_v",
    "all_to_all_vc",
    "batch",
)
REDUCTIONS = ("all_reduce", "reduce", "reduce_scatter", "reduce_scatter_v")
FLOATS = [name for name in TYPES if "float" in name]
NAN = {name: dtype(name).type(ml_dtypes.bfloat16("nan")) for name in FLOATS}

# SPDX-License-Identifier: Apache-2.0
"""The checker: compares a result with the reference, within the tolerance that the contract grants its dtype."""

from __future__ import annotations

import math
from dataclasses import dataclass

import ml_dtypes
import numpy as np

from ascend_vision_ops.opgen.model import Tolerance

POISON_BYTE = 0xA5
EXACT = Tolerance(why="indices and copies are exact")


@dataclass(frozen=True)
class Comparison:
    """The verdict on one result.

    max_error, max_ulp: the largest differences, over finite elements.
    share: what part of the tolerance the worst element needs; above 1 it is wrong, and 0 where all have the nearest
        value of their dtype.
    message: says what is wrong; empty if `ok`.
    """

    ok: bool
    max_error: float = 0.0
    max_ulp: int = 0
    share: float = 0.0
    message: str = ""


def poisoned(shape: tuple[int, ...], dtype: np.dtype) -> np.ndarray:
    """Makes an array whose bytes are all 0xA5, as in fresh device memory; aligned to 64 bytes, as torch tensors are."""
    dtype, alignment = np.dtype(dtype), 64
    size = math.prod(shape) * dtype.itemsize
    raw = np.full(size + alignment, POISON_BYTE, np.uint8)
    first = -raw.ctypes.data % alignment
    return raw[first : first + size].view(dtype).reshape(shape)


def is_float(dtype: np.dtype) -> bool:
    return np.issubdtype(dtype, np.floating) or dtype == ml_dtypes.bfloat16


def _bits(x: np.ndarray) -> np.ndarray:
    """Views an array as unsigned integers of the same size."""
    return x.view(f"u{x.dtype.itemsize}")


def ulp_distance(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Counts the representable values from a to b, which have one floating dtype; +0 and -0 are one value."""
    bits = np.dtype(f"i{a.dtype.itemsize}")

    def order(x: np.ndarray) -> np.ndarray:
        raw = x.view(bits).astype(np.int64)
        return np.where(raw < 0, np.int64(np.iinfo(bits).min) - raw, raw)

    # The result is unsigned, because the distance of two float64 of opposite sign does not fit int64.
    low, high = np.minimum(order(a), order(b)), np.maximum(order(a), order(b))
    return high.astype(np.uint64) - low.astype(np.uint64)


def compare(got: np.ndarray, want: np.ndarray, dtype: np.dtype, tolerance: Tolerance) -> Comparison:
    """Compares a result with that of the reference.

    got: the result; it must have the dtype `dtype` and the shape of `want`.
    want: the result of the reference, in float64 for a floating dtype. Integers must be equal.
    """
    got, want, dtype = np.asarray(got), np.asarray(want), np.dtype(dtype)
    if got.dtype != dtype:
        return Comparison(False, message=f"dtype {got.dtype}, expected {dtype}")
    if got.shape != want.shape:
        return Comparison(False, message=f"shape {list(got.shape)}, expected {list(want.shape)}")
    if not got.size:
        return Comparison(True)
    got = np.ascontiguousarray(got)
    with np.errstate(over="ignore", invalid="ignore"):
        rounded = np.ascontiguousarray(want.astype(dtype))

    if dtype.itemsize > 1 and (unwritten := _bits(got) == _bits(poisoned((), dtype))).any():
        unwritten &= ~_near_poison(rounded)
        if unwritten.any():
            index = _index(unwritten, got.shape)
            return Comparison(
                False, message=f"{unwritten.sum()} of {got.size} elements never written, first {index}"
            )

    if not is_float(dtype):
        wrong = got != rounded
        error = float(np.abs(got.astype(np.float64) - rounded.astype(np.float64)).max())
        return _verdict(wrong, got, rounded, error, 0, tolerance)

    got64 = got.astype(np.float64)
    with np.errstate(invalid="ignore", over="ignore"):
        error = np.where(np.isfinite(got64) & np.isfinite(want), np.abs(got64 - want), 0.0)
    # Nearly all results have the nearest value: stopping here keeps thousands of cases quick.
    if np.array_equal(_bits(got), _bits(rounded)):
        return Comparison(True, float(error.max()))
    ulp = np.where(np.isnan(got64) | np.isnan(want), np.uint64(0), ulp_distance(got, rounded))
    largest = np.abs(want[np.isfinite(want)]).max(initial=0.0)
    with np.errstate(invalid="ignore", divide="ignore"):
        bound = np.maximum(tolerance.absolute, tolerance.relative * np.abs(want))
        bound = np.maximum(bound, tolerance.largest * largest)
        near = (error <= bound) | (ulp <= tolerance.ulp)
        share = np.fmin(error / bound, ulp / np.float64(tolerance.ulp))
    # An infinity is one step from the largest finite value, but its difference is infinite: only `ulp` can grant it.
    finite = np.isfinite(got64) & np.isfinite(rounded.astype(np.float64))
    within = np.where(finite, near, ulp <= tolerance.ulp) & (np.isnan(got64) == np.isnan(want))
    worst = float(np.nan_to_num(share[finite], posinf=np.inf).max(initial=0))
    return _verdict(~within, got, want, float(error.max()), int(ulp[finite].max(initial=0)), tolerance, worst)


def _near_poison(want: np.ndarray) -> np.ndarray:
    """Says where the right result is near the poison itself, which is -0.022 in float16: results may well be that."""
    poison = poisoned((), want.dtype).astype(np.float64)
    room = abs(poison) / 8 if is_float(want.dtype) else 0
    with np.errstate(invalid="ignore"):
        return np.abs(want.astype(np.float64) - poison) <= room


def _index(mask: np.ndarray, shape: tuple[int, ...]) -> list[int]:
    return [int(i) for i in np.unravel_index(int(np.argmax(mask)), shape)]


def _verdict(
    wrong, got, want, error: float, ulp: int, tolerance: Tolerance, share: float = 0.0
) -> Comparison:
    if not wrong.any():
        return Comparison(True, error, ulp, share)
    first = _index(wrong, got.shape)
    reason = f" ({tolerance.why})" if tolerance.why else ""
    return Comparison(
        False,
        error,
        ulp,
        share,
        f"{wrong.sum()} of {got.size} elements wrong, first {first}: got {got[tuple(first)]}, "
        f"expected {want[tuple(first)]}; max error {error:.3g}, {ulp} ulp; tolerance {tolerance}{reason}",
    )

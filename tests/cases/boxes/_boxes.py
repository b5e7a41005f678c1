# SPDX-License-Identifier: Apache-2.0
"""Boxes, scores and classes for the cases of this family. Boxes are rows x1, y1, x2, y2."""

import numpy as np


def clustered(rng, shape):
    """Boxes in clusters of about eight that overlap each other."""
    centres = rng.uniform(0, 200, (max(1, shape[0] // 8), 2))
    middle = centres[rng.integers(0, len(centres), shape[0])] + rng.normal(0, 2, (shape[0], 2))
    half = rng.uniform(8, 14, (shape[0], 2))
    return np.concatenate([middle - half, middle + half], 1)


def apart(rng, shape):
    """Boxes on a grid; none suppresses another."""
    corner = np.stack(np.divmod(rng.permutation(shape[0]), 40), 1) * 4.0
    return np.concatenate([corner, corner + 3], 1)


def chain(rng, shape):
    """Boxes of which each suppresses only the next one: with descending scores, every other box is kept."""
    x = np.arange(shape[0])[:, None] * 4.0
    return np.concatenate([x, 0 * x, x + 16, 0 * x + 16], 1)


def of_all_sizes(rng, shape):
    """Squares of 1 to 1000 pixels; most of them lie within others."""
    corner = rng.uniform(0, 1000, (shape[0], 2))
    return np.concatenate([corner, corner + 10 ** rng.uniform(0, 3, (shape[0], 1))], 1)


def at_octaves(rng, shape):
    """Boxes with sides at powers of two, or one bit beside, at multiples of a quarter of their sides.

    Many of their overlaps are equal to a threshold.
    """
    side = 2.0 ** rng.integers(0, 5, (shape[0], 2)) * rng.choice([1 - 2**-24, 1, 1 + 2**-23], (shape[0], 2))
    corner = rng.integers(0, 24, (shape[0], 2)) * side / 4
    return np.concatenate([corner, corner + side], 1)


def all_over(rng, shape):
    """Boxes that lie almost on top of each other, one box far away, and one that is almost empty."""
    boxes = 100 + rng.uniform(0, 1, (shape[0], 1)) + np.array([0, 0, 100, 100])
    boxes[:1], boxes[1:2] = [6e4, 6e4, 6.1e4, 6.1e4], [0, 0, 2**-14, 2**-14]
    return boxes


def scattered(rng, shape):
    """Clusters and a few boxes far from them, some so far that the sum of two corners overflows; and huge boxes."""
    boxes = clustered(rng, shape)
    far, huge = rng.random((2, shape[0], 1)) < 0.03
    boxes = boxes + far * rng.choice([1e4, -1e6, 2e38, -3e38], (shape[0], 1))
    return boxes * np.where(huge, [[1e3, 1, 1e4, 1]], 1)


def infinitesimal(rng, shape):
    """Clusters so small that areas are rounded to few digits, or to 0."""
    return clustered(rng, shape) * 2.0**-70


def degenerate(rng, shape):
    """Empty, reversed, equal, infinite and NaN boxes."""
    boxes = rng.integers(0, 4, shape).astype(float)
    strange = rng.random(shape) < 0.05
    return np.where(strange, rng.choice([np.nan, np.inf, -np.inf, 6e4, -0.0], shape), boxes)


def descending(rng, shape):
    """Scores that descend: boxes are visited as they come."""
    return -np.arange(shape[0], dtype=float)


def few(rng, shape):
    """Scores of three values, so that many are equal."""
    return rng.integers(0, 3, shape) / 4


def classes(rng, shape):
    """Classes, some of which differ only in the low or only in the high half of their bits."""
    return rng.choice(np.array([0, 1, -1, 2**32, 2**32 + 1, -(2**63)]), shape)


def halves(rng, shape):
    """Two classes with about as many boxes each."""
    return rng.integers(0, 2, shape)

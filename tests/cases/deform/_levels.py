# SPDX-License-Identifier: Apache-2.0
"""Maps of several levels for the cases of multi-scale deformable attention: their sizes, and where they start."""

import numpy as np

# Rows and columns of the map of each level.
PYRAMIDS = {"one": [(7, 9)], "four": [(12, 10), (6, 5), (3, 3), (2, 1)], "odd": [(1, 1), (1, 30), (25, 1)]}


def in_turn(name):
    """Where maps start that lie one behind the other."""
    sizes = [height * width for height, width in PYRAMIDS[name]]
    return np.cumsum([0, *sizes])[:-1]


def fixed(name, numbers):
    """A generator of that name, which always gives these numbers."""

    def generator(rng, shape):
        return np.array(numbers)

    generator.__name__ = name
    return generator


one, four, odd = (fixed(name, PYRAMIDS[name]) for name in PYRAMIDS)
starts_of_one, starts_of_four, starts_of_odd = (
    fixed(f"starts_of_{name}", in_turn(name)) for name in PYRAMIDS
)


def apart(rng, shape):
    """Starts of `four` with gaps; the second map lies within the first one."""
    return np.array([0, 60, 130, 150])


def empty(rng, shape):
    """Maps without rows, columns or both, at the end of value."""
    return np.array([(0, 4), (3, 0), (0, 0)])


def at_the_end(rng, shape):
    return np.full(shape, 11)


LEVELS = {
    "one": (one, starts_of_one), "four": (four, starts_of_four), "odd": (odd, starts_of_odd),
    "apart": (four, apart), "empty": (empty, at_the_end),
}  # fmt: skip

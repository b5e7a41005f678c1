# SPDX-License-Identifier: Apache-2.0
"""Overlaps of rotated boxes, which are rows x, y, width, height, angle. Computed in float64."""

import numpy as np


def rotated_iou(box, boxes):
    """Intersection over union of one box (5) with each row of (N, 5) boxes.

    NaN where a box is not finite, or its width times height is below 1e-14. An intersection below 1e-12 of both areas
    together counts as 0.
    """
    (x, y, width, height, angle), others = np.asarray(box, np.float64), np.asarray(boxes, np.float64).T
    with np.errstate(all="ignore"):
        area, areas = width * height, others[2] * others[3]
        proper = np.isfinite(box).all() & np.isfinite(others).all(0) & (area >= 1e-14) & (areas >= 1e-14)
        # The corners of the other boxes along the sides of this one, in the order of their sides.
        cos, sin, to_x, to_y = np.cos(angle), np.sin(angle), others[0] - x, others[1] - y
        middle = cos * to_x + sin * to_y, cos * to_y - sin * to_x
        turn_cos = cos * np.cos(others[4]) + sin * np.sin(others[4])
        turn_sin = cos * np.sin(others[4]) - sin * np.cos(others[4])
        half_width, half_height = np.abs(others[2:4]) / 2
        u, v = (
            (turn_cos * half_width, turn_sin * half_width),
            (-turn_sin * half_height, turn_cos * half_height),
        )
        signs = [(1, 1), (-1, 1), (-1, -1), (1, -1)]
        corners = [tuple(m + i * a + j * b for m, a, b in zip(middle, u, v, strict=True)) for i, j in signs]
        sides = zip(corners, corners[1:] + corners[:1], strict=True)
        shared = np.abs(sum(_clamped_integral(*a, *b, abs(width) / 2, abs(height) / 2) for a, b in sides))
        shared = np.where(shared >= 1e-12 * (area + areas), shared, 0)
        return np.where(proper, shared / (area + areas - shared), np.nan)


def _clamped_integral(x0, y0, x1, y1, width, height):
    """The integral of the height of the line from (x0, y0) to (x1, y1), clamped to -height … height, over its part
    between -width and width. A line to the left counts the other way.

    The sum over the sides of a polygon is the area that it shares with the rectangle (-width, -height) to (width,
    height), since at each x the heights of the sides above and below are clamped to the rectangle.
    """
    start, end = np.clip(x0, -width, width), np.clip(x1, -width, width)
    slope, lowest, highest = (y1 - y0) / (x1 - x0), np.minimum(y0, y1), np.maximum(y0, y1)
    first, last = (np.clip(y0 + slope * (x - x0), lowest, highest) for x in (start, end))
    low, high = np.minimum(first, last), np.maximum(first, last)
    bottom, top = np.clip(low, -height, height), np.clip(high, -height, height)
    below, above = (
        np.maximum(0, np.minimum(high, -height) - low),
        np.maximum(0, high - np.maximum(low, height)),
    )
    mean = (height * (above - below) + (top - bottom) * (top + bottom) * 0.5) / (high - low)
    return np.where(end != start, (end - start) * np.where(high > low, mean, bottom), 0)

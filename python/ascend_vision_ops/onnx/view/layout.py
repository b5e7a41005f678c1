# SPDX-License-Identifier: Apache-2.0
"""Lays a directed graph out in layers, as Sugiyama, Tagawa and Toda do (1981): edges lead down, with few crossings.

layer 0     a     b          1. every node gets a layer below those of its sources
             \\   / \\         2. an edge over several layers gets a bend in each layer between
layer 1       c   .          3. sweeps order each layer by the middle of its neighbours
               \\ /           4. sweeps move nodes towards the middle of their neighbours, without a change of order
layer 2         d
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

# Distances in pixels at the scale 1.
GAP, BEND_GAP, LAYER = 18.0, 10.0, 92.0
ORDER_SWEEPS, PLACE_SWEEPS = 8, 8
# Longer edges, and those beyond this number of bends for each node, have no bends: the page draws them as jumps.
LONGEST, BENDS = 30, 4


@dataclass(frozen=True)
class Layout:
    """Where nodes and bends lie.

    x, layer: of each node, the middle of its box and its layer.
    bends: for each edge the x of its bends, from the layer below its source on; None for an edge that jumps, because it
        is one of the longest or leads up.
    layers: the number of layers.
    """

    x: list[float]
    layer: list[int]
    bends: list[list[float] | None]
    layers: int


def layout(widths: Sequence[float], edges: Sequence[tuple[int, int]]) -> Layout:
    """Lays a graph out.

    widths: of the boxes of all nodes, in pixels.
    edges: pairs of numbers of nodes. Cycles are allowed; an edge that closes one jumps.
    """
    count = len(widths)
    layer = _layers(count, edges)
    bends = _bent(layer, edges, BENDS * count)
    # From here on, a bend is a node without a width.
    sizes, at = list(widths), list(layer)
    above: list[list[int]] = [[] for _ in range(count)]
    below: list[list[int]] = [[] for _ in range(count)]
    chains: list[list[int] | None] = []
    for (source, target), is_bent in zip(edges, bends, strict=True):
        if not is_bent:
            chains.append(None)
            continue
        chain = list(range(len(at), len(at) + layer[target] - layer[source] - 1))
        for offset, _ in enumerate(chain):
            at.append(layer[source] + 1 + offset)
            sizes.append(0.0)
            above.append([])
            below.append([])
        path = [source, *chain, target]
        for first, second in pairwise(path):
            below[first].append(second)
            above[second].append(first)
        chains.append(chain)
    rows = _ordered(at, above, below)
    x = _placed(rows, sizes, above, below, count)
    return Layout(
        x[:count],
        layer,
        [None if chain is None else [x[bend] for bend in chain] for chain in chains],
        len(rows),
    )


def _layers(count: int, edges: Sequence[tuple[int, int]]) -> list[int]:
    """The layer of each node: the longest way from a source. Nodes that others only feed sink towards their users."""
    after: list[list[int]] = [[] for _ in range(count)]
    before: list[list[int]] = [[] for _ in range(count)]
    for source, target in edges:
        if source != target:
            after[source].append(target)
            before[target].append(source)
    waits = [len(sources) for sources in before]
    ready = [node for node in range(count) if not waits[node]]
    done, order = [False] * count, []
    layer = [0] * count
    following = 0
    while len(order) < count:
        if not ready:  # a cycle: its first node begins
            while done[following] or waits[following] <= 0:
                following += 1
            waits[following] = 0
            ready.append(following)
        node = ready.pop()
        if done[node]:
            continue
        done[node] = True
        order.append(node)
        for target in after[node]:
            if done[target]:
                continue
            layer[target] = max(layer[target], layer[node] + 1)
            waits[target] -= 1
            if waits[target] == 0:
                ready.append(target)
    for node in reversed(order):
        below = [layer[target] for target in after[node] if layer[target] > layer[node]]
        if below and len(after[node]) > len(before[node]):
            layer[node] = min(below) - 1
    return layer


def _bent(layer: list[int], edges: Sequence[tuple[int, int]], most: int) -> list[bool]:
    """Which edges get bends: the shortest ones, as long as there are not too many bends."""
    bent = [False] * len(edges)
    for edge in sorted(range(len(edges)), key=lambda edge: layer[edges[edge][1]] - layer[edges[edge][0]]):
        length = layer[edges[edge][1]] - layer[edges[edge][0]]
        if length < 1:
            continue
        most -= length - 1
        if most < 0 or length > LONGEST:
            break
        bent[edge] = True
    return bent


def _ordered(at: list[int], above: list[list[int]], below: list[list[int]]) -> list[list[int]]:
    """The layers with their nodes from left to right, such that few edges cross."""
    rows: list[list[int]] = [[] for _ in range(max(at, default=-1) + 1)]
    # Depth first, so that what belongs together begins side by side.
    seen = [False] * len(at)
    for start in sorted(range(len(at)), key=at.__getitem__):
        stack = [start]
        while stack:
            node = stack.pop()
            if not seen[node]:
                seen[node] = True
                rows[at[node]].append(node)
                stack += reversed(below[node])
    place = [0.0] * len(at)

    def number(row: list[int]) -> None:
        for index, node in enumerate(row):
            place[node] = (index + 0.5) / len(row)

    for row in rows:
        number(row)
    for sweep in range(ORDER_SWEEPS):
        down = sweep % 2 == 0
        near = above if down else below
        for row in rows if down else reversed(rows):
            if len(row) > 1:
                middle = {
                    node: sum(map(place.__getitem__, near[node])) / len(near[node])
                    if near[node]
                    else place[node]
                    for node in row
                }
                row.sort(key=middle.__getitem__)
                number(row)
    return rows


def _placed(
    rows: list[list[int]],
    sizes: list[float],
    above: list[list[int]],
    below: list[list[int]],
    nodes: int,
) -> list[float]:
    """The x of all nodes and bends: as near to the middle of their neighbours as the order in the layers allows."""
    x = [0.0] * len(sizes)
    steps: list[
        list[float]
    ] = []  # the distance of each node of a row from the first one, where they are packed
    for row in rows:
        step, offsets = 0.0, []
        for index, node in enumerate(row):
            if index:
                last = row[index - 1]
                gap = GAP if node < nodes and last < nodes else BEND_GAP
                step += (sizes[last] + sizes[node]) / 2 + gap
            offsets.append(step)
            x[node] = step
        steps.append(offsets)
        for node in row:
            x[node] -= step / 2
    for sweep in range(PLACE_SWEEPS):
        down = sweep % 2 == 0
        for index in range(len(rows)) if down else range(len(rows) - 1, -1, -1):
            wanted, weights = [], []
            for node in rows[index]:
                near = (above if down else below)[node] or (below if down else above)[node]
                wanted.append(sum(map(x.__getitem__, near)) / len(near) if near else x[node])
                # Long edges become straight.
                weights.append(4.0 if node >= nodes and any(one >= nodes for one in near) else 1.0)
            for node, value in zip(rows[index], _spread(wanted, weights, steps[index]), strict=True):
                x[node] = value
    return x


def _spread(wanted: list[float], weights: list[float], steps: list[float]) -> list[float]:
    """The places nearest to the wanted ones, by least squares, that keep order and distances of a row.

    Without the distances, this is a regression by a function that never falls: neighbours in the wrong order become one
    block at their weighted mean.
    """
    blocks: list[tuple[float, float, int]] = []  # mean, weight, number of nodes
    for want, weight, step in zip(wanted, weights, steps, strict=True):
        mean, count = want - step, 1
        while blocks and blocks[-1][0] > mean:
            last, heavy, many = blocks.pop()
            mean = (last * heavy + mean * weight) / (heavy + weight)
            weight, count = weight + heavy, count + many
        blocks.append((mean, weight, count))
    means = (mean for mean, _, count in blocks for _ in range(count))
    return [mean + step for mean, step in zip(means, steps, strict=True)]

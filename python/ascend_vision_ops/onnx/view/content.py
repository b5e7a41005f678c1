# SPDX-License-Identifier: Apache-2.0
"""What the page shows of one model, or of a model before and after: nodes with their places, edges and sentences."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field

import onnx_ir as ir

from ascend_vision_ops.onnx.execute import inputs_of
from ascend_vision_ops.onnx.passes._values import constant_tensor, node_count
from ascend_vision_ops.onnx.runners import KINDS, NEWEST, who_runs
from ascend_vision_ops.onnx.view.compare import differences, pairs
from ascend_vision_ops.onnx.view.layout import layout
from ascend_vision_ops.onnx.view.texts import attribute_text, size_text, tensor_text, type_text

KEPT, REMOVED, ADDED, CHANGED = "kept", "removed", "added", "changed"
# The width of a box for a number of letters, in pixels.
LETTER, MARGIN, LEAST = 7.4, 28, 76


def content_of(before: ir.Model, after: ir.Model | None, release: str = NEWEST) -> dict:
    """The data of the page.

    before, after: the models to compare; only the first one, where `after` is None.
    release: the release of CANN whose list of operators counts.
    """
    now = before if after is None else after
    makers = [_Texts(model, release) for model in ((before,) if after is None else (before, after))]
    graphs: list[dict] = []
    queue = [("", before.graph, None if after is None else after.graph)]
    for name, old, new in queue:  # it grows
        graph = _Union(old, new, makers, compared=after is not None)
        graphs.append({"name": name, **graph.content(queue)})
    count = Counter(
        who_runs(node.domain, node.op_type, makers[-1].functions, release).kind
        for node in now.graph.all_nodes()
    )
    return {
        "facts": [list(fact) for fact in _facts(before, after)],
        "kinds": KINDS,
        "count": dict(count),
        "release": release,
        "compared": after is not None,
        "graphs": graphs,
    }


def _facts(before: ir.Model, after: ir.Model | None) -> Iterator[tuple[str, str]]:
    now = before if after is None else after

    def both(text) -> str:
        old, new = text(before), text(now)
        return new if old == new else f"{old} → {new}"

    yield "nodes", both(lambda model: f"{node_count(model):,}")
    yield (
        "operator sets",
        both(
            lambda model: ", ".join(
                f"{name or 'ai.onnx'} {v}" for name, v in model.graph.opset_imports.items()
            )
        ),
    )
    yield "weights", both(lambda model: size_text(_weight_bytes(model)))
    yield (
        "inputs",
        both(lambda model: ", ".join(f"{one.name} {type_text(one)}" for one in inputs_of(model)) or "none"),
    )
    if now.producer_name:
        yield "producer", f"{now.producer_name} {now.producer_version or ''}".rstrip()


def _weight_bytes(model: ir.Model) -> int:
    from ascend_vision_ops.onnx.files import weight_bytes

    return weight_bytes(model)


class _Texts:
    """Says what the parts of one model are."""

    def __init__(self, model: ir.Model, release: str):
        self.functions = {(domain, name) for domain, name, _ in model.functions}
        self.release = release
        self.weights: dict[int, str] = {}

    def side(self, node: ir.Node, queued) -> dict:
        """Attributes, inputs and outputs of a node. `queued` gives the numbers of its graphs on the page."""
        found: dict = {
            "i": [self._value(value) for value in node.inputs],
            "o": [self._value(value) for value in node.outputs],
        }
        found["a"] = [[name, attribute_text(item)] for name, item in node.attributes.items()]
        numbers = queued(node)
        if numbers:
            found["g"] = numbers
        if node.doc_string:
            found["doc"] = node.doc_string[:500]
        return found

    def _value(self, value: ir.Value | None) -> list:
        if value is None:
            return []
        tensor = constant_tensor(value) if value.producer() is None else None
        if tensor is None:
            return [value.name or "", type_text(value)]
        if id(tensor) not in self.weights:
            self.weights[id(tensor)] = tensor_text(tensor)
        return [value.name or "", self.weights[id(tensor)], 1]

    def runs(self, node: ir.Node):
        return who_runs(node.domain, node.op_type, self.functions, self.release)


def _subgraphs(node: ir.Node) -> dict[str, ir.Graph]:
    found = {}
    for name, attribute in node.attributes.items():
        if attribute.type == ir.AttributeType.GRAPH and not attribute.is_ref():
            found[name] = attribute.value
        elif attribute.type == ir.AttributeType.GRAPHS and not attribute.is_ref():
            found |= {f"{name}[{index}]": graph for index, graph in enumerate(attribute.value)}
    return found


def _used(node: ir.Node) -> Iterator[ir.Value]:
    """The values that a node uses, also by the graphs in its attributes."""
    stack = [node]
    while stack:
        current = stack.pop()
        yield from (value for value in current.inputs if value is not None)
        for graph in _subgraphs(current).values():
            stack += graph
            yield from graph.outputs


@dataclass
class _Union:
    """One graph of the page: the nodes of both sides, each once."""

    before: ir.Graph | None
    after: ir.Graph | None
    makers: list[_Texts]
    compared: bool
    nodes: list[dict] = field(default_factory=list)
    widths: list[float] = field(default_factory=list)

    def content(self, queue: list) -> dict:
        found = {}
        if self.before is not None and self.after is not None:
            found = pairs(self.before, self.after)
        back = {new: old for old, new in found.items()}
        numbers: list[dict] = [{}, {}]  # for each side the number of what makes a value
        users: list[list[tuple[int, ir.Value]]] = [[], []]
        if self.after is not None:
            self._inputs(self.after, self.before, 1, ADDED, numbers, users)
            for node in self.after:
                old = back.get(node)
                changes = differences(old, node, found) if old is not None else []
                status = ADDED if old is None else CHANGED if changes else KEPT
                self._node(node, old, status, changes, queue, numbers, users)
        if self.before is not None:
            status = REMOVED if self.compared else KEPT
            self._inputs(self.before, self.after, 0, status, numbers, users)
            for node in self.before:
                if node not in found:
                    self._node(None, node, status, [], queue, numbers, users)
        self._outputs(numbers, users)
        edges = self._edges(numbers, users)
        where = layout(self.widths, [(source, target) for source, target, *_ in edges])
        for node, x, layer, width in zip(self.nodes, where.x, where.layer, self.widths, strict=True):
            node |= {"x": round(x), "l": layer, "w": round(width)}
        return {
            "nodes": self.nodes,
            "edges": [
                [*edge, None if bends is None else [round(x) for x in bends]]
                for edge, bends in zip(edges, where.bends, strict=True)
            ],
            "layers": where.layers,
        }

    def _add(self, node: dict, text: str) -> int:
        self.nodes.append(node)
        self.widths.append(max(LEAST, len(text) * LETTER + MARGIN))
        return len(self.nodes) - 1

    def _inputs(self, graph: ir.Graph, other: ir.Graph | None, side: int, alone: str, numbers, users) -> None:
        """Adds the inputs of one side, without those that the other side has already added."""
        made = {value.name: number for value, number in numbers[1 - side].items() if value.is_graph_input()}
        names = {value.name for value in other.inputs} if other is not None else set()
        for value in graph.inputs:
            if value.name in made:
                numbers[side][value] = made[value.name]
                continue
            status = KEPT if value.name in names else alone
            content = {
                "t": value.name,
                "k": "input",
                "s": status,
                "side": {"o": [[value.name, type_text(value)]]},
            }
            numbers[side][value] = self._add(content, value.name or "")

    def _node(
        self, new: ir.Node | None, old: ir.Node | None, status: str, changes, queue, numbers, users
    ) -> None:
        now = old if new is None else new
        runs = self.makers[0 if new is None else -1].runs(now)

        def queued(node: ir.Node) -> list:
            rows = []
            partners = _subgraphs(old) if old is not None and new is not None else {}
            for name, graph in _subgraphs(node).items():
                title = f"{node.op_type} {node.name or node.outputs[0].name}: {name}"
                sides = (partners.get(name), graph) if new is not None and self.compared else (graph, None)
                queue.append((title, *sides))
                rows.append([name, len(queue) - 1])
            return rows

        content = {
            "t": now.op_type,
            "d": now.domain,
            "n": now.name or "",
            "k": runs.kind,
            "s": status,
            "why": runs.why,
        }
        content["side"] = self.makers[0 if new is None else -1].side(now, queued)
        if changes:
            content["c"] = changes
            content["was"] = self.makers[0].side(old, lambda node: [])
        number = self._add(content, f"{now.domain}::{now.op_type}" if now.domain else now.op_type)
        for side, node in enumerate((old, new)):
            if node is not None:
                numbers[side] |= dict.fromkeys(node.outputs, number)
                users[side] += [(number, value) for value in _used(node)]

    def _outputs(self, numbers, users) -> None:
        graphs = self.before, self.after
        made: dict[str, int] = {}
        for side in (1, 0):
            graph, other = graphs[side], graphs[1 - side]
            names = {value.name for value in other.outputs} if other is not None else set()
            for value in graph.outputs if graph is not None else ():
                if value.name not in made:
                    alone = (REMOVED, ADDED)[side] if self.compared else KEPT
                    status = KEPT if value.name in names else alone
                    content = {
                        "t": value.name,
                        "k": "output",
                        "s": status,
                        "side": {"i": [[value.name, type_text(value)]]},
                    }
                    made[value.name] = self._add(content, value.name or "")
                users[side].append((made[value.name], value))

    def _edges(self, numbers, users) -> list[list]:
        """Source, target, status and the text of the value, once for each pair of nodes and status."""
        sides: list[dict[tuple[int, int], str]] = [{}, {}]
        for side in (0, 1):
            for number, value in users[side]:
                source = numbers[side].get(value)
                if source is not None and source != number:
                    sides[side].setdefault((source, number), type_text(value).partition(" ")[2])
        old, new = sides
        if not self.compared:
            return [[*edge, KEPT, text] for edge, text in old.items()]
        edges = [[*edge, KEPT if edge in old else ADDED, text] for edge, text in new.items()]
        return edges + [[*edge, REMOVED, text] for edge, text in old.items() if edge not in new]

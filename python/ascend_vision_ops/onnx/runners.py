# SPDX-License-Identifier: Apache-2.0
"""Who runs a node: a kernel of this package, an operator that CANN's ATC converts, the host's CPU, or nobody.

What ATC converts is a fact of the public lists of CANN, one for each release; nothing here asks an ATC.
"""

from __future__ import annotations

import functools
from collections.abc import Collection
from dataclasses import dataclass

from ascend_vision_ops.onnx import contracts, nodes
from ascend_vision_ops.opgen.npu import in_operator_order

# The operators in all lists below. They are in lower case, since the lists spell some of them differently from ONNX.
_ALWAYS = """
abs acos acosh adaptiveavgpool2d add affinegrid and argmax argmin ascendantiquant ascendquant asin asinh atan atanh
averagepool batchmulticlassnms batchnormalization bitshift cast ceil celu clip compress concat constant
constantofshape conv convtranspose cos cosh cumsum deformableconv2d depthtospace det div dropout elu embeddingbag
equal erf exp expand eyelike flatten floor gather gatherelements gathernd gemm globalaveragepool globallppool
globalmaxpool greater greaterorequal hardmax hardsigmoid hardswish identity if instancenormalization leakyrelu less
lessorequal log logsoftmax lpnormalization lppool lrn lstm matmul max maxpool maxroipool maxunpool mean
meanvariancenormalization min mod mul multinomial neg nonmaxsuppression nonzero not onehot or pad pow prelu
randomnormallike randomuniform randomuniformlike range reciprocal reducel1 reducel2 reducelogsum reducelogsumexp
reducemax reducemean reducemin reduceprod reducesum reducesumsquare relu reshape resize reversesequence roialign
roiextractor round scatter scatterelements scatternd selu shape shrink sigmoid sign sin sinh size slice softmax
softplus softsign spacetodepth split sqrt squeeze sub sum tanh tfidfvectorizer thresholdedrelu tile topk transpose
unsqueeze where xor
"""
_ONLY_5 = (
    "adaptivemaxpool2d addcmul ascenddequant ascenddequants16 ascendrequant ascendrequants16 batchmatmul"
)
_ONLY_8 = """
bitwiseand bitwisenot bitwiseor bitwisexor corr dynseqouter einsum gridsample gru isinf isnan layernormalization lstmp
movingsumwithsigmoid randomnormal softmaxcrossentropyloss tan trilu
"""


@dataclass(frozen=True)
class Release:
    """The list of ONNX operators of one release of CANN.

    operators: names in lower case.
    opset: the newest version of the standard operator set that the release's ATC reads.
    source: the page with the list.
    """

    name: str
    operators: frozenset[str]
    opset: int
    source: str


_PAGES = "https://www.hiascend.com/doc_center/source/zh/canncommercial"
RELEASES = {
    release.name: release
    for release in (
        Release(
            "5.0.4", frozenset((_ALWAYS + _ONLY_5).split()), 13,
            f"{_PAGES}/5046/reference/fwoperatorlist/operatorlist_0071.html",
        ),
        Release(
            "8.0", frozenset((_ALWAYS + _ONLY_8).split()), 18,
            f"{_PAGES}/800/apiref/aolapi/operatorlist_00176.html",
        ),
    )
}  # fmt: skip
NEWEST = "8.0"
ATC_OPSET = RELEASES[NEWEST].opset
# The names that some release knows: no custom node may have one of them.
ATC_OPERATORS = frozenset().union(*(release.operators for release in RELEASES.values()))


def release_of(name: str) -> Release:
    """The list of a release. Raises ValueError where there is none."""
    if name not in RELEASES:
        raise ValueError(f"expected a release of CANN of {', '.join(RELEASES)}, got {name!r}")
    return RELEASES[name]


def atc_runs(domain: str, op_type: str, release: str = NEWEST) -> bool:
    """Whether ATC converts a standard node by itself, by the list of a release of CANN."""
    return domain == "" and op_type.lower() in release_of(release).operators


@functools.cache
def names_of_ours() -> frozenset[tuple[str, str]]:
    """Domain and type of all nodes that mean an operator of this package."""
    return frozenset((node.domain, node.name) for node in nodes())


@functools.cache
def _on_cpus_alone() -> frozenset[tuple[str, str]]:
    """Domain and type of our nodes that ATC cannot run: those without an AscendC kernel, and those whose tensors stand
    in another order than the kernel's."""
    specs = contracts()
    return frozenset(
        (node.domain, node.name)
        for node in nodes()
        for spec in [specs[node.operator]]
        if not spec.on_device or (spec.has_kernel and not in_operator_order(spec, node))
    )


# What stands in place of a node's own kind, in the order in which pages and tables list them.
KINDS = {
    "atc": "CANN's ATC",
    "ours": "our kernels",
    "host": "host only",
    "function": "function of the model",
    "nobody": "nobody",
}


@dataclass(frozen=True)
class Runs:
    """Who runs nodes of one type.

    kind: a key of KINDS. `host` means that ONNX Runtime runs the node on the CPU, while ATC refuses it.
    npu, host: what tables say of an NPU and of ONNX Runtime.
    why: one sentence with the source of the answer.
    """

    kind: str
    npu: str
    host: str
    why: str


def who_runs(
    domain: str, op_type: str, functions: Collection[tuple[str, str]] = (), release: str = NEWEST
) -> Runs:
    """Says who runs nodes of a type.

    functions: domain and name of the functions of the model.
    release: the release of CANN whose list is asked; ValueError for an unknown one.
    """
    return _who_runs(domain, op_type, (domain, op_type) in functions, release_of(release).name)


@functools.lru_cache(maxsize=4096)
def _who_runs(domain: str, op_type: str, is_function: bool, release: str) -> Runs:
    from ascend_vision_ops.onnx.execute import standard_operators
    from ascend_vision_ops.onnx.flavours import from_atc_name

    if is_function:
        text = KINDS["function"]
        return Runs("function", text, text, "the model defines it; the pass inline_functions replaces it")
    listed = atc_runs(domain, op_type, release)
    key = (domain, op_type) if domain else (from_atc_name(op_type) or ("", op_type))
    ours = key in names_of_ours()
    on_host = "yes" if (domain, op_type) in standard_operators() else "our library" if ours else "-"
    source = f"the list of ONNX operators of CANN {release}"
    if listed:
        return Runs("atc", "yes", on_host, f"{source} has it: {RELEASES[release].source}")
    if key in _on_cpus_alone():
        why = "this package has no AscendC kernel for it, or none that ATC can pass its inputs to; ours runs on the CPU"
        return Runs("host", "-", on_host, why)
    if ours:
        why = (
            "this package has the kernel; ATC needs the plugin of its custom-operator package (--target npu)"
        )
        return Runs("ours", "our operator", on_host, why)
    if on_host != "-":
        return Runs(
            "host", "-", on_host, f"{source} lacks it, so ATC refuses it; ONNX Runtime runs it on the CPU"
        )
    why = f"neither {source}, nor this package, nor ONNX Runtime knows it"
    return Runs("nobody", "-", "-", why)

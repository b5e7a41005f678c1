# SPDX-License-Identifier: Apache-2.0
"""The rest of the calls of builtin_calls.py: attention, recurrent layers, norms, and operators of torch_npu's own.

The meanings of the operators follow their definitions in the documentation of torch_npu, on ATen.
"""

from __future__ import annotations

import torch
import torch.nn.functional as F
import torch_npu
from builtin_calls import _lines, grads, ours


def normal(*shape: int, seed: int = 3, device="cpu") -> torch.Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed)).to(device)


# Attention -----------------------------------------------------------------------------------------------------


def heads_first(x: torch.Tensor, layout: str, heads: int) -> torch.Tensor:
    """Turns a layout into [B, N, S, D]."""
    if layout == "BSND":
        return x.transpose(1, 2)
    if layout == "BSH":
        return x.unflatten(2, (heads, -1)).transpose(1, 2)
    if layout == "SBH":
        return x.unflatten(2, (heads, -1)).permute(1, 2, 0, 3)
    return x


def heads_back(x: torch.Tensor, layout: str) -> torch.Tensor:
    if layout == "BSND":
        return x.transpose(1, 2)
    if layout == "BSH":
        return x.transpose(1, 2).flatten(2)
    return x.permute(2, 0, 1, 3).flatten(2) if layout == "SBH" else x


def attention(q, k, v, heads, layout, *, pse=None, mask=None, scale=1.0, pse_type=1):
    """softmax(scale * (q @ k^T + pse)) @ v, where no pair of `mask` counts; pse_type 0 adds pse behind the scale."""
    per_head = q.shape[-1] // heads if layout in ("BSH", "SBH") else q.shape[-1]
    key_heads = k.shape[-1] // per_head if layout in ("BSH", "SBH") else k.shape[2 if layout == "BSND" else 1]
    q, k, v = (
        heads_first(q, layout, heads),
        heads_first(k, layout, key_heads),
        heads_first(v, layout, key_heads),
    )
    k, v = k.repeat_interleave(heads // key_heads, 1), v.repeat_interleave(heads // key_heads, 1)
    scores = q @ k.transpose(-2, -1)
    if pse is not None and pse_type == 1:
        scores = scores + pse
    scores = scores * scale
    if pse is not None and pse_type == 0:
        scores = scores + pse
    if mask is not None:
        scores = scores.masked_fill(mask, -torch.inf)
    return heads_back(torch.nan_to_num(scores.softmax(-1)) @ v, layout)


def fused(q, k, v, heads, layout, *, mask=None, given=None, pse_type=None, **keywords):
    """Calls npu_fusion_attention, or the second version of it; `given` is the mask for a mode, `mask` its meaning."""
    scale, pse = keywords.pop("scale", 1.0), keywords.pop("pse", None)
    if q.device.type != "npu":
        return attention(
            q, k, v, heads, layout, pse=pse, mask=mask, scale=scale,
            pse_type=1 if pse_type is None else pse_type,
        )  # fmt: skip
    given = mask if given is None else given
    if pse_type is not None:
        return torch_npu.npu_fusion_attention_v2(
            q, k, v, heads, layout, pse=pse, atten_mask=given, scale=scale, pse_type=pse_type, **keywords
        )[0]
    return torch_npu.npu_fusion_attention(
        q, k, v, heads, layout, pse=pse, atten_mask=given, scale=scale, **keywords
    )[0]


def qkv(device, layout="BNSD", heads=4, key_heads=4, queries=5, keys=7, width=8):
    """Makes query, key and value of batch 2."""

    def made(n, length, seed):
        shape = {"BNSD": (2, n, length, width), "BSND": (2, length, n, width), "BSH": (2, length, n * width),
                 "SBH": (length, 2, n * width)}[layout]  # fmt: skip
        return normal(*shape, seed=seed, device=device)

    return made(heads, queries, 1), made(key_heads, keys, 2), made(key_heads, keys, 3)


def masks(device, queries=5, keys=7):
    """Masks by name: random ones with a row that sees nothing, and those of the sparse modes."""
    row, column = torch.arange(queries, device=device)[:, None], torch.arange(keys, device=device)
    random = normal(2, 1, queries, keys, seed=5, device=device) > 0.3
    random[0, 0, 2] = True
    beyond = column - row - (keys - queries)
    return {
        "random": random, "flat": random[1, 0], "top": column > row, "bottom": beyond > 0,
        "band": (beyond > 1) | (beyond < -2), "full": torch.triu(torch.ones(2048, 2048, device=device), 1).bool(),
        "prefix": (beyond > 0) & (column >= torch.tensor([2, 4], device=device).view(2, 1, 1, 1)),
    }  # fmt: skip


def each_layout(device):
    return [
        grads(lambda *all, name=layout: fused(*all, 4, name, scale=0.4), *qkv(device, layout, key_heads=n))
        for layout in ("BNSD", "BSND", "BSH", "SBH") for n in (4, 2, 1)
    ]  # fmt: skip


def each_mask(device):
    known, calls = masks(device), []
    modes = [
        (0, "random", None, {}), (0, "flat", None, {}), (1, "random", None, {}), (2, "top", "full", {}),
        (3, "bottom", "full", {}), (4, "band", "full", {"pre_tockens": 2, "next_tockens": 1}),
        (5, "prefix", "prefix", {"prefix": [2, 4]}),
    ]  # fmt: skip
    for mode, meant, given, keywords in modes:
        keywords = {"mask": known[meant], "given": known[given or meant], "sparse_mode": mode, **keywords}
        calls.append(grads(lambda *all, kw=keywords: fused(*all, 4, "BNSD", scale=0.4, **kw), *qkv(device)))
    return calls


def with_pse(device, pse_type=None):
    return [
        grads(lambda *all: fused(*all[:3], 4, "BNSD", scale=0.4, pse=all[3], pse_type=pse_type), *qkv(device),
              normal(*shape, seed=6, device=device))
        for shape in ((2, 4, 5, 7), (1, 4, 5, 7))
    ]  # fmt: skip


def scaled_dot_product(device):
    """Attention as torch calls it: causal, with a mask that broadcasts, with fewer heads of keys, in float16."""
    q, k, v = qkv(device)
    mask = ~masks(device)["flat"]
    call = F.scaled_dot_product_attention
    return [
        grads(call, q, k, v), grads(lambda *all: call(*all, is_causal=True), q, k, v),
        grads(lambda *all: call(*all, attn_mask=mask), q, k, v),
        grads(lambda *all: call(*all, scale=0.1, enable_gqa=True), q, k[:, :2], v[:, :2]),
        call(*(x.transpose(1, 2) for x in qkv(device, "BSND"))),
        torch.allclose(call(q.half(), k.half(), v.half()).float(), call(q, k, v), atol=4e-3),
    ]  # fmt: skip


def sequences(device, pse_type=None):
    """Attention over sequences of different lengths, one behind the other, [T, N, D]."""
    q, k, v = (normal(9, 4, 8, seed=seed, device=device) for seed in (1, 2, 3))
    ends, key_ends = [2, 5, 9], [3, 4, 9]

    def call(q, k, v):
        if q.device.type == "npu":
            keywords = {"actual_seq_qlen": ends, "actual_seq_kvlen": key_ends, "scale": 0.4}
            if pse_type is not None:
                return torch_npu.npu_fusion_attention_v2(q, k, v, 4, "TND", pse_type=pse_type, **keywords)[0]
            return torch_npu.npu_fusion_attention(q, k, v, 4, "TND", **keywords)[0]
        parts, begin, key_begin = [], 0, 0
        for end, key_end in zip(ends, key_ends, strict=True):
            part = [x[a:b].transpose(0, 1)[None] for x, a, b in
                    ((q, begin, end), (k, key_begin, key_end), (v, key_begin, key_end))]  # fmt: skip
            parts.append(attention(*part, 4, "BNSD", scale=0.4)[0].transpose(0, 1))
            begin, key_begin = end, key_end
        return torch.cat(parts)

    return grads(call, q, k, v)


def statistics(device):
    """The largest score of each row, and the sum of exp(score - largest), eight times each."""
    q, k, v = qkv(device)
    if device.type == "npu":
        return torch_npu.npu_fusion_attention(q, k, v, 4, "BNSD", scale=0.4)[1:3]
    scores = q @ k.transpose(-2, -1) * 0.4
    largest = scores.amax(-1, True)
    return [x.expand(2, 4, 5, 8) for x in (largest, (scores - largest).exp().sum(-1, True))]


def drops(device) -> bool:
    """Says whether attention with dropout keeps about as many weights as it should, in both passes the same ones."""
    q, k = torch.zeros(1, 2, 64, 64, device=device), torch.zeros(1, 2, 64, 64, device=device)
    v = torch.eye(64, device=device).expand(1, 2, 64, 64).clone().requires_grad_()
    weights = F.scaled_dot_product_attention(q, k, v, dropout_p=0.25)  # the weights themselves
    weights.sum().backward()
    kept = (weights != 0).float()
    near = abs(kept.mean().item() - 0.75) < 0.02
    right = torch.allclose(weights, kept / 64 / 0.75)
    return (
        near
        and right
        and torch.allclose(v.grad, (kept / 64 / 0.75).sum(2, True).transpose(2, 3).expand_as(v))
    )


ATTENTION = _lines("""
FlashAttentionScore FlashAttentionScoreGrad: each_layout(device)
FlashAttentionScore FlashAttentionScoreGrad : each_mask(device)
FlashAttentionScore FlashAttentionScoreGrad  : with_pse(device)
FlashAttentionScore FlashAttentionScoreGrad   : scaled_dot_product(device)
FlashAttentionScore: statistics(device)
FlashAttentionScoreV2 FlashAttentionScoreGradV2: [with_pse(device, 0), with_pse(device, 1)]
FlashAttentionVarLenScore FlashAttentionUnpaddingScoreGrad: sequences(device)
FlashAttentionVarLenScoreV2 FlashAttentionUnpaddingScoreGradV2: sequences(device, 1)
""")

# Recurrent layers ----------------------------------------------------------------------------------------------


def recurrent(kind, device, *, steps=3, batch=2, loss="both", **keywords):
    """Returns outputs of a recurrent layer, and the gradients of its input, states and weights."""
    torch.manual_seed(0)
    layer = kind(6, 5, **keywords).to(device)
    shape = (batch, steps, 6) if keywords.get("batch_first") else (steps, batch, 6)
    x = normal(*shape, device=device).requires_grad_()
    sides = (2 if keywords.get("bidirectional") else 1) * keywords.get("num_layers", 1)
    states = [normal(sides, batch, 5, seed=seed, device=device).requires_grad_() for seed in (4, 5)]
    states = states[: 2 if kind is torch.nn.LSTM else 1]
    out, last = layer(x, tuple(states) if kind is torch.nn.LSTM else states[0])
    last = list(last) if kind is torch.nn.LSTM else [last]
    used = {"both": [out, *last], "out": [out], "last": last}[loss]
    sum(
        (part * torch.linspace(0.5, 1.5, part.numel(), device=device).view_as(part)).sum() for part in used
    ).backward()
    leaves = [x, *states, *layer.parameters()]
    return [part.detach() for part in (out, *last)], [leaf.grad for leaf in leaves]


def each_lstm(device):
    return [recurrent(torch.nn.LSTM, device, **keywords) for keywords in (
        {}, {"batch_first": True}, {"loss": "out"}, {"loss": "last"}, {"steps": 1, "batch": 1},
    )]  # fmt: skip


def each_gru(device):
    return [recurrent(torch.nn.GRU, device, **keywords) for keywords in (
        {}, {"batch_first": True}, {"bidirectional": True, "num_layers": 2}, {"bias": False, "num_layers": 3},
        {"loss": "out"}, {"loss": "last"},
    )]  # fmt: skip


def inferred(kind, device):
    """Runs a layer that is not training and has no states."""
    torch.manual_seed(0)
    layer = kind(6, 5).to(device).eval()
    with torch.no_grad():
        return layer(normal(3, 2, 6, device=device))


def lstm_cell(i_gates, h_gates, cell, input_bias, hidden_bias):
    gates = i_gates + h_gates + input_bias + hidden_bias
    i, f, g, o = gates.chunk(4, 1)
    behind = f.sigmoid() * cell + i.sigmoid() * g.tanh()
    return o.sigmoid() * behind.tanh(), behind


def cell_case(device):
    tensors = [
        normal(3, 20, seed=1),
        normal(3, 20, seed=2),
        normal(3, 5, seed=3),
        normal(20, seed=4),
        normal(20),
    ]
    tensors = [x.to(device) for x in tensors]
    if device.type != "npu":
        leaves = [x.clone().requires_grad_() for x in tensors]
        hidden, cell = lstm_cell(*leaves)
        parts = torch.autograd.grad(hidden.sum() + (2 * cell).sum(), leaves)
        return hidden.detach(), cell.detach(), parts[0], parts[2], parts[3]
    hidden, cell, gates = torch.ops.aten._thnn_fused_lstm_cell(*tensors)
    above = torch.ones_like(hidden), torch.full_like(cell, 2)
    return (
        hidden,
        cell,
        *torch.ops.aten._thnn_fused_lstm_cell_backward_impl(*above, tensors[2], cell, gates, True),
    )


RECURRENT = _lines("""
LSTM LstmBackward: each_lstm(device)
LSTM: inferred(torch.nn.LSTM, device)
GRU GRUBackward: each_gru(device)
GRU: inferred(torch.nn.GRU, device)
ThnnFusedLstmCell ThnnFusedLstmCellBackward: cell_case(device)
""")

# Norms ---------------------------------------------------------------------------------------------------------


def batch_stats(x, eps):
    return x.mean((0, 2, 3)), (x.var((0, 2, 3), correction=0) + eps).rsqrt()


def batch_scaled(x, weight, bias, mean, invstd, eps):
    return F.batch_norm(x, mean, invstd.pow(-2) - eps, weight, bias, eps=eps)


def batch_case(device):
    """What SyncBatchNorm does on one device: the parts together are the gradient of batch_norm."""
    x, weight, above = (normal(*s, device=device) for s in ((2, 4, 3, 5), (4,), (2, 4, 3, 5)))
    if device.type != "npu":
        leaves = [t.clone().requires_grad_() for t in (x, weight, torch.zeros(4))]
        return torch.autograd.grad(
            F.batch_norm(leaves[0], None, None, *leaves[1:], training=True), leaves, above
        )
    mean, invstd = torch.batch_norm_stats(x, 1e-5)
    total, product, of_weight, of_bias = torch.batch_norm_backward_reduce(
        above, x, mean, invstd, weight, True, True, True
    )
    counts = torch.full((1,), 30, dtype=torch.int32, device=device)
    part = torch.batch_norm_backward_elemt(above, x, mean, invstd, weight, total, product, counts)
    return part, of_weight, of_bias


def gathered(device):
    """The statistics of two devices joined, and the running ones after it."""
    x = normal(4, 3, 2, 5, device=device)
    running = [torch.zeros(3, device=device), torch.ones(3, device=device)]
    if device.type != "npu":
        F.batch_norm(x, *running, training=True, momentum=0.3)
        return *batch_stats(x, 1e-5), *running
    stats = [torch.batch_norm_stats(part, 1e-5) for part in (x[:1], x[1:])]
    found = torch.batch_norm_gather_stats_with_counts(
        x, *(torch.stack(parts) for parts in zip(*stats, strict=True)), *running, 0.3, 1e-5,
        torch.tensor([10.0, 30.0], device=device),
    )  # fmt: skip
    return *found, *running


def reduced(device):
    """The same from sums and sums of squares, as torch_npu's SyncBatchNorm has it."""
    x = normal(4, 3, 2, 5, device=device)
    running = [torch.zeros(3, device=device), torch.ones(3, device=device)]
    if device.type != "npu":
        F.batch_norm(x, *running, training=True, momentum=0.3)
        return *batch_stats(x, 1e-5), *running
    sums = [torch_npu.batch_norm_reduce(part, 1e-5) for part in (x[:1], x[1:])]
    found = torch_npu.batch_norm_gather_stats_update(
        x, *(torch.stack(parts) for parts in zip(*sums, strict=True)), *running, 0.3, 1e-5,
        torch.tensor([10, 30], dtype=torch.int32, device=device),
    )  # fmt: skip
    return *found, *running


def swish_norm(x, weight, bias, groups=2, scale=1.5):
    y = F.group_norm(x, groups, weight, bias)
    return y * torch.sigmoid(scale * y)


def npu_swish_norm(x, weight, bias):
    return torch_npu.npu_group_norm_swish(x, 2, weight, bias, eps=1e-5, swish_scale=1.5)[0]


def add_rms_norm(x, y, weight):
    total = x + y
    return F.rms_norm(total, weight.shape, weight, 1e-6), total


def npu_add_rms_norm(function, x, y, weight):
    found = function(x, y, weight)
    return found[0], found[-1]


def deep_norm(x, other, bias, weight):
    return F.layer_norm(x * 0.3 + other, weight.shape, weight, bias, 1e-6)


def npu_deep_norm(x, other, bias, weight):
    return torch_npu.npu_deep_norm(x, other, bias, weight, 0.3, 1e-6)[2]


def gemma_norm(x, weight):
    return F.rms_norm(x, weight.shape, weight + 1, 1e-6)


def npu_gemma_norm(x, weight):
    return torch_npu.npu_gemma_rms_norm(x, weight)[0]


def silu_norm(x, weight, bias):
    return F.silu(F.group_norm(x, 2, weight, bias))


def npu_silu_norm(x, weight, bias):
    return torch_npu.npu_group_norm_silu(x, weight, bias, 2)[0]


def npu_add_rms_norm_here(x, y, weight):
    torch_npu.npu_add_rms_norm_v2(x, y, weight)
    return x, y


def add_layer_norm(x, y, weight, bias):
    return F.layer_norm(x + y, weight.shape, weight, bias), x + y


def npu_add_layer_norm(x, y, weight, bias):
    found = torch_npu.npu_add_layer_norm(x, y, weight, bias, 1e-5, True)
    return found[0], found[3]


NORMS = _lines("""
BatchNormStats: ours(torch.batch_norm_stats, batch_stats)(image, 1e-5)
BatchNormElemt: ours(torch.batch_norm_elemt, batch_scaled)(image, v[:4], v[:4], w[:4], w[:4], 1e-5)
BatchNormStats BatchNormReduceBackward BatchNormElemtBackward: batch_case(device)
BatchNormStats BatchNormGatherStatsWithCounts: gathered(device)
BatchNormReduce SyncBatchNormGatherStats: reduced(device)
GroupNormSilu: ours(npu_silu_norm, silu_norm)(image, v[:4], v[:4])
GroupNormSwish GroupNormSwishGrad: grads(ours(npu_swish_norm, swish_norm), image, v[:4], v[:4])
AddRmsNorm: ours(lambda *a: npu_add_rms_norm(torch_npu.npu_add_rms_norm, *a), add_rms_norm)(x, y, v)
AddRmsNormCast: ours(lambda *a: npu_add_rms_norm(torch_npu.npu_add_rms_norm_cast, *a), add_rms_norm)(x, y, v)
InplaceAddRmsNorm: ours(npu_add_rms_norm_here, add_rms_norm)(x, y, v)
GemmaRmsNorm: ours(npu_gemma_norm, gemma_norm)(x, v)
AddLayerNorm: ours(npu_add_layer_norm, add_layer_norm)(x, y, v, v)
DeepNorm DeepNormGrad: grads(ours(npu_deep_norm, deep_norm), x, y, v, v)
""")

# Operators of torch_npu's own ----------------------------------------------------------------------------------


def geglu(x, left=False, approximate="tanh"):
    value, gate = x.chunk(2, -1)
    if left:
        value, gate = gate, value
    return F.gelu(gate, approximate=approximate) * value


def npu_geglu(x, left=False, approximate="tanh"):
    return torch_npu.npu_geglu(x, -1, int(approximate == "tanh"), left)[0]


def turned(x, mode):
    if mode == "half":
        a, b = x.chunk(2, -1)
        return torch.cat((-b, a), -1)
    return torch.stack((-x[..., 1::2], x[..., ::2]), -1).flatten(-2)


def rotary(x, cosine, sine, mode="half"):
    return x * cosine + turned(x, mode) * sine


def rotaries(device):
    tensors = [normal(*shape, device=device) for shape in ((2, 3, 4, 8), (1, 3, 1, 8), (1, 3, 1, 8))]
    call = ours(torch_npu.npu_rotary_mul, rotary)
    return [grads(lambda *all, m=mode: call(*all, m), *tensors) for mode in ("half", "interleave")]


def interleaved(x, cosine, sine):
    return rotary(torch.cat((x[..., ::2], x[..., 1::2]), -1), cosine, sine)


def three(device):
    return [normal(2, 1, 3, 64, seed=seed, device=device) for seed in (1, 2, 3)]


def positions(device):
    q, k = normal(2, 3, 4, 128, device=device), normal(2, 3, 1, 128, seed=4, device=device)
    cosine, sine = normal(2, 3, 1, 128, seed=5, device=device), normal(2, 3, 1, 128, seed=6, device=device)
    if device.type == "npu":
        return torch_npu.npu_apply_rotary_pos_emb(q, k, cosine, sine, "BSND")
    return rotary(q, cosine, sine), rotary(k, cosine, sine)


def windows(device):
    x, mask = normal(2, 4, 3, 6, 6, device=device), normal(4, 6, 6, device=device)
    bias = normal(3, 6, 6, seed=5, device=device)
    if device.type == "npu":
        return torch_npu.npu_masked_softmax_with_rel_pos_bias(x, mask[None, :, None], bias[None, None], 0.5)
    return (x * 0.5 + mask[:, None] + bias).softmax(-1)


def experts(x, finished, k):
    weights, places = x.softmax(-1).topk(k)
    rows = torch.arange(k) * len(x) + torch.arange(len(x))[:, None]
    return weights, places.masked_fill(finished[:, None], x.shape[1]), rows


def tokens_up_to(experts, count):
    return experts.bincount(minlength=count).cumsum(0)


def routed(device):
    """Permutes tokens to their experts and back, with weights, and has gradients of both."""
    tokens, weights = normal(5, 4, device=device), normal(5, 2, seed=9, device=device)
    choices = torch.tensor([[1, 0], [2, 1], [0, 2], [1, 2], [0, 1]], device=device)

    def call(tokens, weights):
        if tokens.device.type == "npu":
            rows, places = torch_npu.npu_moe_token_permute(tokens, choices)
            return torch_npu.npu_moe_token_unpermute(rows * rows, places, weights)
        return (tokens * tokens) * weights.sum(1, True)

    return grads(call, tokens, weights)


def permuted(device):
    """The rows in the order of their experts."""
    tokens, choices = normal(5, 4, device=device), torch.tensor([2, 0, 1, 0, 2], device=device)
    if device.type == "npu":
        return torch_npu.npu_moe_token_permute(tokens, choices)
    order = choices.argsort(stable=True)
    return tokens[order], order.argsort()


def cross_entropy(x, target, weight, reduction, smoothing):
    return F.cross_entropy(x, target, weight, reduction=reduction, ignore_index=2, label_smoothing=smoothing)


def npu_cross_entropy(x, target, weight, reduction, smoothing):
    loss = torch_npu.npu_cross_entropy_loss(
        x, target, weight, reduction=reduction, ignore_index=2, label_smoothing=smoothing
    )[0]
    return loss if reduction == "none" else loss.view(())


def cross_entropies(device):
    x, weight = normal(7, 5, device=device), normal(5, device=device).abs()
    target, call = torch.tensor([0, 1, 2, 3, 4, 2, 1], device=device), ours(npu_cross_entropy, cross_entropy)
    return [
        grads(lambda a, r=reduction, w=weights, s=smoothing: call(a, target, w, r, s), x)
        for reduction in ("mean", "sum", "none") for weights, smoothing in ((None, 0.0), (weight, 0.0), (weight, 0.1))
    ]  # fmt: skip


OWN = _lines("""
GeGluV3 GeGluV3Backward: [grads(lambda a: ours(npu_geglu, geglu)(a, b, c), s) for b in (0, 1) for c in ("tanh", "none")]
GeluMul: ours(lambda a: torch_npu.npu_gelu_mul(a, approximate="tanh"), lambda a: geglu(a, True))(s)
RotaryPositionEmbedding RotaryPositionEmbeddingGrad: rotaries(device)
InterleaveRope: ours(torch_npu.npu_interleave_rope, interleaved)(*three(device))
ApplyRotaryPosEmb: positions(device)
MaskedSoftmaxWithRelPosBias: windows(device)
MoeGatingTopKSoftmax: ours(torch_npu.npu_moe_gating_top_k_softmax, experts)(x, w > 0.7, 2)
MoeComputeExpertTokens: ours(torch_npu.npu_moe_compute_expert_tokens, tokens_up_to)(i[0].sort()[0].int(), 6)
MoeTokenPermute: permuted(device)
MoeTokenPermute MoeTokenPermuteGrad MoeTokenUnpermute MoeTokenUnpermuteGrad: routed(device)
CrossEntropyLoss CrossEntropyLossGrad: cross_entropies(device)
""")

# Tensors -------------------------------------------------------------------------------------------------------


def bags(device):
    """Sums, means and maxima of rows; with offsets, a padding index, weights and the offset behind the last one."""
    table, index = normal(7, 3, device=device), torch.tensor([1, 2, 4, 5, 4, 3, 2, 6], device=device)
    offsets = torch.tensor([0, 3, 3, 5], device=device)
    return [F.embedding_bag(index, table, offsets, **keywords) for keywords in (
        {"mode": "sum"}, {"mode": "mean"}, {"mode": "max"}, {"mode": "mean", "padding_idx": 4},
        {"mode": "sum", "per_sample_weights": normal(8, device=device)}, {"mode": "sum", "include_last_offset": True},
    )]  # fmt: skip


def consecutive(device):
    x = torch.tensor([[1, 1, 2], [1, 1, 2], [0, 2, 2], [1, 1, 2]], device=device)
    return [torch.unique_consecutive(x, return_inverse=a, return_counts=b, dim=dim)
            for dim in (None, 0, 1) for a, b in ((False, False), (True, False), (True, True))]  # fmt: skip


def unique(device):
    x = torch.tensor([[1, 1, 2], [0, 2, 2], [1, 1, 2]], device=device)
    return [
        torch.unique(x, dim=dim, return_inverse=a, return_counts=True)
        for dim in (0, 1)
        for a in (False, True)
    ]


def stepped(device, kind, steps=3, **keywords):
    """Trains weights with a fused optimiser; returns them."""
    weights = [
        normal(3, 4, device=device).requires_grad_(),
        normal(5, seed=8, device=device).requires_grad_(),
    ]
    optimiser = kind(weights, lr=0.1, **keywords, fused=device.type == "npu" or None)
    for step in range(steps):
        for weight in weights:
            weight.grad = (weight.detach() * (step + 1)).sin()
        optimiser.step()
    return [weight.detach() for weight in weights]


ADAM = [{"weight_decay": 0.1}, {"amsgrad": True, "maximize": True}]
DESCENTS = [{}, {"nesterov": True, "weight_decay": 0.1}, {"maximize": True}]


def rounded(device):
    lists = [normal(3, 4, device=device) * 3, normal(5, seed=8, device=device) * 3]
    return [getattr(torch, f"_foreach_{name}")(lists) for name in ("ceil", "floor", "frac", "round", "trunc")]


def sparse_sum(device):
    """Joins entries of a sparse matrix that name the same place."""
    places = torch.tensor([[0, 2, 0, 1], [1, 0, 1, 1]], device=device)
    return torch.sparse_coo_tensor(places, normal(4, 2, device=device), (3, 2, 2)).coalesce().to_dense()


def reduce_case(device):
    x, y, index = (
        normal(3, 4, device=device),
        normal(3, 4, seed=4, device=device),
        torch.tensor([[0, 1, 1, 2]]),
    )
    return x.scatter_reduce(0, index.to(device), y, "sum"), x.clone().scatter_reduce_(
        0, index.to(device), y, "sum"
    )


def put_rows(x, places, rows):
    x[places[:, 0], places[:, 1]] = rows
    return x


def put_parts(x, starts, updates):
    for batch, start in enumerate(starts.tolist()):
        x[batch, :, start : start + updates.shape[2]] = updates[batch]
    return x


def npu_put_parts(x, starts, updates):
    return torch_npu.scatter_update_(x, starts, updates, -2)


def depthwise(x, weight):
    return F.conv2d(x, weight, padding=1, groups=4)


def npu_depthwise(x, weight):
    return torch._C._nn._conv_depthwise2d(x, weight, 3, None, 1, 1, 1)


def tbc(device):
    return grads(
        lambda *all: torch.conv_tbc(*all, 1),
        *(normal(*s, device=device) for s in ((5, 2, 3), (3, 3, 4), (4,))),
    )


MORE = _lines("""
AddV3: [torch.add(torch.tensor(0.5), x, alpha=2), torch.add(torch.tensor(2), i, alpha=3)]
LessScalar: [torch.ge(torch.tensor(a), b) for a, b in ((0.6, x), (2, i))]
MaskedScale: ours(lambda a, b: torch._masked_scale(a, b, 2.0), lambda a, b: a * b * 2)(x, p.float())
ChunkCat: torch._chunk_cat([x, y[:3]], 0, 2)
Unique: torch._unique(x, return_inverse=True)
UniqueDim: unique(device)
UniqueConsecutive: consecutive(device)
EmbeddingBag: bags(device)
ScatterReduce InplaceScatterReduce: reduce_case(device)
ScatterNdUpdate: ours(torch_npu.npu_scatter_nd_update, put_rows)(batch, dim.new_tensor([[0, 2], [2, 1]]), x[:2])
InplaceScatterUpdate: ours(npu_put_parts, put_parts)(image, dim[:2], image[:, :, 3:5] * 2)
CoalesceSparse: sparse_sum(device)
ConvTbc ConvTbcBackward: tbc(device)
ConvDepthwise2d: ours(npu_depthwise, depthwise)(image, image.transpose(0, 1)[:, :1, :3, :3].contiguous())
TransformBiasRescaleQkv: torch._transform_bias_rescale_qkv(batch.repeat(1, 1, 2), v.repeat(2), 2)
ForeachRoundOffNumberV2: rounded(device)
ApplyAdamWV2: [stepped(device, torch.optim.AdamW, **a) for a in ADAM]
FusedSgd: [stepped(device, torch.optim.SGD, momentum=0.9, **a) for a in DESCENTS]
""")

# Random numbers ------------------------------------------------------------------------------------------------


def replayed(draw, device):
    """Says whether two replays of a captured graph draw different numbers, and returns the last ones."""
    graph = torch.npu.NPUGraph()
    with torch.npu.graph(graph):
        drawn = draw()
    graph.replay()
    first = drawn.clone()
    graph.replay()
    return not torch.equal(first, drawn), drawn


def near(replay, mean, deviation) -> bool:
    """Says whether the replays differ, and whether the numbers have about this mean and deviation."""
    differ, drawn = replay
    return differ and abs(drawn.float().mean().item() / mean - 1) < 0.1 and abs(
        drawn.float().std().item() / deviation - 1
    ) < 0.1  # fmt: skip


RANDOM = _lines("""
FlashAttentionScore FlashAttentionScoreGrad DropoutGenMaskV2: drops(device)
InplaceNormalTensor: near(replayed(lambda: torch.empty(4000, device=device).normal_(3, 2), device), 3, 2)
InplaceUniformTensor: near(replayed(lambda: torch.empty(4000, device=device).uniform_(0, 2), device), 1, 0.577)
InplaceRandomTensor: near(replayed(lambda: torch.empty(4000, device=device).random_(0, 9), device), 4, 2.58)
MultinomialTensor: near(replayed(lambda: torch.multinomial(x[0], 4000, replacement=True), device), 2.5, 1.7)
DropoutGenMaskV2Tensor: near(replayed(lambda: F.dropout(torch.ones(4000, device=device), 0.5), device), 1, 1)
""")
CALLS = ATTENTION | RECURRENT | NORMS | OWN | MORE
NAMES = dict(globals())
NOT_CALLED = {
    "ApplyAdamW": "torch_npu 2.13 looks for it and then calls the operator by type: test_operators_by_type.py",
    "ForeachRoundOffNumber": "torch_npu 2.13 calls the newer version of this function",
    "GroupedMatmul": "torch_npu 2.13 calls the newer version of this function",
    "GroupedMatmulV4": "ATen's CPU operators have no such function to compare with: test_grouped_matmul.py",
}

# SPDX-License-Identifier: Apache-2.0
"""LSTM of several layers, of two directions and without biases, which torch_npu calls by type (DynamicRNN)."""

from __future__ import annotations

import pytest
import torch
from builtin_network_calls import inferred, recurrent
from test_builtin_calls import same

FORMS = [
    {"num_layers": 2},
    {"num_layers": 3, "batch_first": True},
    {"bidirectional": True},
    {"bidirectional": True, "num_layers": 2},
    {"bidirectional": True, "num_layers": 3, "bias": False},
    {"bias": False},
    {"num_layers": 2, "loss": "out"},
    {"num_layers": 2, "loss": "last", "steps": 1, "batch": 1},
]


@pytest.mark.parametrize("form", FORMS, ids=str)
def test_results_and_gradients(npu, form):
    ours, theirs = recurrent(torch.nn.LSTM, npu, **form), recurrent(torch.nn.LSTM, "cpu", **form)
    on_cpu = torch.utils._pytree.tree_map(torch.Tensor.cpu, ours)
    same(on_cpu, theirs, exact=False)


@pytest.mark.parametrize("bias", [True, False])
def test_a_cell(npu, bias):
    def results(device):
        torch.manual_seed(0)
        cell = torch.nn.LSTMCell(6, 5, bias=bias).to(device)
        x, h, c = (
            value.to(device).requires_grad_()
            for value in (torch.rand(3, 6), torch.rand(3, 5), torch.rand(3, 5))
        )
        hidden, state = cell(x, (h, c))
        hidden, state = cell(x * 2, (hidden, state))
        (hidden * 2 + state.square()).sum().backward()
        values = [hidden, state, *(leaf.grad for leaf in (x, h, c, *cell.parameters()))]
        return [value.detach().cpu() for value in values]

    same(results(npu), results("cpu"), exact=False)


def test_a_network_that_does_not_train(npu):
    def result(device):
        return inferred(lambda *sizes: torch.nn.LSTM(*sizes, num_layers=2, bidirectional=True), device)

    out, states = result(npu)
    want, others = result("cpu")
    same([out.cpu(), *(state.cpu() for state in states)], [want, *others], exact=False)


PACKED = [
    {},
    {"num_layers": 2},
    {"bias": False},
    {"bias": False, "bidirectional": True},
    {"lengths": [3, 3, 3]},
    {"lengths": [2, 4, 1]},
]


@pytest.mark.parametrize("form", PACKED, ids=str)
def test_packed_sequences(npu, form):
    """One layer goes to aclnnLSTM, two go to DynamicRNN."""
    options = {key: value for key, value in form.items() if key != "lengths"}
    lengths = form.get("lengths", [4, 2, 1])

    def results(device):
        torch.manual_seed(0)
        layer = torch.nn.LSTM(6, 5, **options).to(device)
        sequences = torch.rand(max(lengths), len(lengths), 6).to(device)
        packed = torch.nn.utils.rnn.pack_padded_sequence(sequences, lengths, enforce_sorted=False)
        out, states = layer(packed)
        padded, _ = torch.nn.utils.rnn.pad_packed_sequence(out)
        (padded.square().sum() + sum(state.sum() for state in states)).backward()
        values = [padded, *states, *(weight.grad for weight in layer.parameters())]
        return [value.detach().cpu() for value in values]

    same(results(npu), results("cpu"), exact=False)


def test_a_packed_sequence_that_does_not_train(npu):
    def results(device):
        torch.manual_seed(0)
        layer = torch.nn.LSTM(6, 5).to(device).eval()
        packed = torch.nn.utils.rnn.pack_padded_sequence(torch.rand(4, 3, 6).to(device), [4, 2, 1])
        with torch.no_grad():
            out, states = layer(packed)
        padded, _ = torch.nn.utils.rnn.pad_packed_sequence(out)
        return [value.cpu() for value in (padded, *states)]

    same(results(npu), results("cpu"), exact=False)

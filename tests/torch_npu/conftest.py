# SPDX-License-Identifier: Apache-2.0
"""Run by tests/test_torch_npu.py with the plugin ascend_vision_ops.testing, never beside the other tests."""

from __future__ import annotations

from ascend_vision_ops import sim

collect_ignore_glob = [] if sim.active() else ["test_*.py"]

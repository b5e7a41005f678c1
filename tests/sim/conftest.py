# SPDX-License-Identifier: Apache-2.0
"""Fixtures of the tests below this folder."""

from tests.back_ends import ascendc

__all__ = ["ascendc"]

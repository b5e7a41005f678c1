# SPDX-License-Identifier: Apache-2.0
"""What others compute differently: a test `test_<who>_…` for each row of `divergence` in the contract."""

NOT_RUN: dict[str, str] = {}  # for each <who> that cannot run here, the reason

# SPDX-License-Identifier: Apache-2.0
from __future__ import annotations

import pytest

from ascend_vision_ops.testing.peers import import_torchvision


@pytest.fixture(scope="session")
def torchvision():
    try:
        return import_torchvision()
    except ImportError as error:
        pytest.skip(str(error))

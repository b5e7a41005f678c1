# SPDX-License-Identifier: Apache-2.0
"""`python -m ascend_vision_ops` is `avo`."""

import sys

from ascend_vision_ops.cli import main

sys.exit(main())

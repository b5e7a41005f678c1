# SPDX-License-Identifier: Apache-2.0
"""Parameters of type int[2], for which callers may also give one int."""


def pair(value):
    """An int[2] given as a sequence, or as one int for both."""
    return [value] * 2 if isinstance(value, int) else list(value)

# SPDX-License-Identifier: Apache-2.0
"""Parameters of type int[2]. Callers may also pass one int for both."""


def pair(value):
    """Return an int[2] as a list, from a sequence or from one int for both."""
    return [value] * 2 if isinstance(value, int) else list(value)

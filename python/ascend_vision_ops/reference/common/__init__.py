# SPDX-License-Identifier: Apache-2.0
"""What definitions of several operators share."""

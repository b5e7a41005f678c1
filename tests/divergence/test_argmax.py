# SPDX-License-Identifier: Apache-2.0
NOT_RUN = {"paddle": "Paddle-Lite runs whole models in a format of its own, not single operators"}

# SPDX-License-Identifier: Apache-2.0
NOT_RUN = {"torchvision": "its atomics are those of GPUs"}

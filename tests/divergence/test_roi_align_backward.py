# SPDX-License-Identifier: Apache-2.0
NOT_RUN = {"torchvision": "only its GPU kernel adds with atomics"}

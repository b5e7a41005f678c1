# SPDX-License-Identifier: Apache-2.0
NOT_RUN = {"CANN": "this machine has no NPU"}

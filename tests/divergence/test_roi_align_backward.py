# SPDX-License-Identifier: Apache-2.0
NOT_RUN = {"torchvision": "its wheel for this torch needs the libraries of CUDA"}

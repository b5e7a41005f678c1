# SPDX-License-Identifier: Apache-2.0
NOT_RUN = {
    "mmcv": "the ONNX Runtime operators of mmcv 1.x are built from its sources, with the runtime's headers"
}

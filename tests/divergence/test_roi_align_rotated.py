# SPDX-License-Identifier: Apache-2.0
NOT_RUN = {
    "mmcv": "its wheels with operators exist for older releases of torch only",
    "detectron": "detectron2 has no wheels; its sources are built for one release of torch",
}

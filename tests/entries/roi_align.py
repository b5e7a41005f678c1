# SPDX-License-Identifier: Apache-2.0
import numpy as np


def arguments(entry, given):
    """Entry points with `batchIndices` take the first column of the regions as that argument. They are never aligned: a
    call that is aligned is left out (None)."""
    if entry.argument_of("batch_indices") is None:
        return given
    if given.pop("aligned", True):
        return None
    rois = given["rois"]
    return given | {"rois": np.ascontiguousarray(rois[:, 1:]), "batch_indices": rois[:, 0].astype(np.int32)}

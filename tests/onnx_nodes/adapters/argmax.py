# SPDX-License-Identifier: Apache-2.0
NODE = "ArgMax"


def evaluate(run, attributes, values):
    return run(
        "argmax",
        self=values,
        dim=attributes.get("axis", 0),
        keepdim=bool(attributes.get("keepdims", 1)),
        select_last_index=bool(attributes.get("select_last_index", 0)),
    )

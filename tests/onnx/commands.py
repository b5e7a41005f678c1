# SPDX-License-Identifier: Apache-2.0
"""Runs `avo onnx` in this process."""

from __future__ import annotations

from ascend_vision_ops import cli


def runner(capsys):
    """A function that runs a command and gives its status, its output and its error output."""

    def call(*arguments) -> tuple[int, str, str]:
        status = cli.main(["onnx", *map(str, arguments)])
        done = capsys.readouterr()
        return status, done.out, done.err

    return call

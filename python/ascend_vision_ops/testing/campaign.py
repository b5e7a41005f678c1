# SPDX-License-Identifier: Apache-2.0
"""Runs many cases in worker processes, and goes on behind cases that fail, die or hang.

                 asks                     answers
    Campaign ──▶ device worker (npu, sim) ──▶ outcome, differences, times   ╮ one record
        └──────▶ model worker             ──▶ modelled time                 ╯ for each case

A worker that dies or hangs is replaced. One that told of a failure is replaced too, because the context of a device is
of no use behind a fault.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ascend_vision_ops.testing.report import DIED, FAILED, HUNG

COMMAND = (sys.executable, "-m", "ascend_vision_ops.testing.worker")
START_SECONDS = 600.0  # imports of torch_npu on a busy machine
WAIT_SECONDS = 10.0  # for a process to end
ENDS = 3  # lines at each end of what a dying process printed


class NoWorker(RuntimeError):
    """No worker can be started; the message says why."""


class Ended(Exception):
    """The worker died or was ended. outcome: DIED or HUNG."""

    def __init__(self, outcome: str, message: str) -> None:
        super().__init__(message)
        self.outcome = outcome


class Worker:
    """A process that answers asks. It is started when it is first asked."""

    def __init__(self, kind: str, options: Iterable[str], command: Iterable[str] = COMMAND) -> None:
        self._command = [*command, kind, *options]
        self._process: subprocess.Popen | None = None
        self.device: dict = {}

    def post(self, text: str) -> None:
        """Sends an ask; starts the process where there is none."""
        if self._process is None:
            self.start()
        with contextlib.suppress(BrokenPipeError):  # a process that died is noticed when the answer is read
            self._process.stdin.write(text + "\n")
            self._process.stdin.flush()

    def start(self) -> None:
        reading, writing = os.pipe()
        self._log = tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace")  # noqa: SIM115
        self._process = subprocess.Popen(
            [*self._command, "--answers", str(writing)], stdin=subprocess.PIPE, stdout=self._log, stderr=self._log,
            pass_fds=[writing], text=True, env=os.environ,
        )  # fmt: skip
        os.close(writing)
        self._answers, self._rest = reading, b""
        try:
            first = self.answer(START_SECONDS)
        except Ended as end:
            raise NoWorker(str(end)) from None
        if "ready" not in first:
            self.stop()
            raise NoWorker(first["error"])
        self.device = first["ready"]

    def answer(self, seconds: float) -> dict:
        """Waits for the answer to the ask; raises Ended, behind which the next ask starts a new process."""
        until = time.monotonic() + seconds
        while b"\n" not in self._rest:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self._answers], [], [], left)[0]:
                raise Ended(HUNG, f"no answer within {seconds:g} s; {self.stop(signal.SIGABRT)}")
            if not (got := os.read(self._answers, 65536)):
                raise Ended(DIED, self.stop(None))
            self._rest += got
        line, _, self._rest = self._rest.partition(b"\n")
        return json.loads(line)

    def stop(self, how: signal.Signals | None = signal.SIGTERM) -> str:
        """Ends the process, and says how it ended and what it printed last. how: the signal; None waits for it."""
        process, self._process = self._process, None
        if process is None:
            return ""
        if how is not None:
            process.send_signal(how)
        status = end_of(process)
        with contextlib.suppress(BrokenPipeError):
            process.stdin.close()
        os.close(self._answers)
        self._log.seek(0)
        lines = [line.strip() for line in self._log.read().splitlines() if line.strip()]
        lines = [line for line in lines if "Warning" not in line]
        self._log.close()
        printed = " | ".join(lines[:ENDS] + lines[ENDS:][-ENDS:])
        return how_it_ended(status) + (f": {printed}" if printed else "")


def end_of(process: subprocess.Popen) -> int | None:
    """Waits for the end of a process, and kills it if it does not come; returns None where even that does not help."""
    for kill in (False, True):
        if kill:
            process.kill()
        try:
            return process.wait(WAIT_SECONDS)
        except subprocess.TimeoutExpired:
            continue
    return None


def how_it_ended(status: int | None) -> str:
    if status is None:
        return "the process does not end, which means that the driver holds it"
    return f"the process ended by {f'signal {signal.Signals(-status).name}' if status < 0 else f'status {status}'}"


@dataclass
class Campaign:
    """Runs cases on a device.

    kind: npu or sim.
    soc: the device to simulate.
    seconds: how long a case may take.
    repeat: the number of turns to time.
    model: whether the simulated device adds modelled times.
    """

    kind: str
    soc: str = ""
    seconds: float = 120.0
    repeat: int = 0
    model: bool = True
    command: Iterable[str] = COMMAND
    model_device: dict = field(default_factory=dict)

    def __post_init__(self) -> None:
        options = ["--repeat", str(self.repeat)]
        self._worker = Worker(self.kind, options + (["--soc", self.soc] if self.soc else []), self.command)
        self._model: Worker | None = None

    def __enter__(self) -> Campaign:
        """Starts the workers. Raises NoWorker where the device cannot be used."""
        self._worker.start()
        if self.model:
            self._start_model()
        return self

    def _start_model(self) -> None:
        """Starts the model of the device; of another device, where the simulator does not know this one."""
        for soc in dict.fromkeys((self.device["soc"], "")):
            self._model = Worker("model", ["--soc", soc] if soc else [])
            try:
                self._model.start()
                self.model_device = self._model.device
                return
            except NoWorker:
                self._model = None

    def __exit__(self, *_: object) -> None:
        for worker in (self._worker, self._model):
            if worker is not None:
                worker.stop()

    @property
    def device(self) -> dict:
        return self._worker.device

    def run(self, texts: Iterable[str]) -> Iterator[dict]:
        """Yields a record for each case. Raises NoWorker where a process that has to be replaced cannot be."""
        for text in texts:
            self._worker.post(text)
            model = self._ask_model(text)
            try:
                record = self._worker.answer(self.seconds)
            except Ended as end:
                record = {"outcome": end.outcome, "message": str(end)}
            if record["outcome"] == FAILED:
                self._worker.stop()
            yield {"case": text, "operator": text.partition("(")[0], **record, **model()}

    def _ask_model(self, text: str):
        """Sends the case to the model; the function that it returns waits for the answer."""
        if self._model is None:
            return dict
        try:
            self._model.post(text)
        except NoWorker as error:
            message = str(error)
            return lambda: {"model_error": message}

        def answer() -> dict:
            try:
                told = self._model.answer(self.seconds)
            except Ended as end:
                return {"model_error": str(end)}
            return {key: value for key, value in told.items() if key.startswith("model")}

        return answer

# SPDX-License-Identifier: Apache-2.0
"""A headless Chromium, driven through chromedriver by the W3C WebDriver protocol, which is JSON over HTTP."""

from __future__ import annotations

import base64
import json
import os
import re
import shutil
import subprocess
import tempfile
import urllib.request
from pathlib import Path

OPTIONS = (
    "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--disable-background-networking",
    "--disable-component-update", "--disable-sync", "--no-first-run", "--force-device-scale-factor=1",
)  # fmt: skip
KEYS = {"Enter": "\ue007"}


def missing() -> str:
    """Says what a browser test needs and this machine has not; empty where all is there."""
    absent = [name for name in ("chromium", "chromedriver") if shutil.which(name) is None]
    return f"{' and '.join(absent)} not found: apt-get install chromium chromium-driver" if absent else ""


class Browser:
    """One window. Leaves no process and no file behind."""

    def __init__(self, width: int = 1400, height: int = 1000, dark: bool = False) -> None:
        self._folder = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        # A browser ends at once where a sanitizer's runtime is loaded into it.
        env = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
        self._driver = subprocess.Popen(
            ["chromedriver", "--port=0"], env=env, stdout=subprocess.PIPE, text=True
        )
        port = None
        while port is None:
            line = self._driver.stdout.readline()
            assert line, "chromedriver ended before it listened"
            port = re.search(r"started successfully on port (\d+)", line)
        self._root = f"http://127.0.0.1:{port[1]}"
        arguments = [*OPTIONS, f"--window-size={width},{height}", f"--user-data-dir={self._folder.name}"]
        if dark:
            arguments.append("--blink-settings=preferredColorScheme=0")
        chrome = {"args": arguments, "binary": shutil.which("chromium")}
        wanted = {"goog:chromeOptions": chrome, "goog:loggingPrefs": {"browser": "ALL"}}
        session = self._send("POST", "/session", {"capabilities": {"alwaysMatch": wanted}})
        self._root += f"/session/{session['sessionId']}"

    def __enter__(self) -> Browser:
        return self

    def __exit__(self, *_) -> None:
        try:
            self._send("DELETE", "", None)
        finally:
            self._driver.terminate()
            self._driver.wait(timeout=30)
            self._folder.cleanup()

    def _send(self, method: str, path: str, body: dict | None):
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self._root + path, data, {"Content-Type": "application/json"}, method=method
        )
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=60) as answer:
            return json.load(answer)["value"]

    def open(self, page: Path) -> None:
        self._send("POST", "/url", {"url": page.resolve().as_uri()})

    def run(self, script: str):
        """Runs JavaScript, and returns what it returns; a promise is waited for."""
        return self._send("POST", "/execute/sync", {"script": script, "args": []})

    def errors(self) -> list[str]:
        """What the page wrote to the console since the last call."""
        return [entry["message"] for entry in self._send("POST", "/se/log", {"type": "browser"})]

    def pointer(self, x: float, y: float, click: bool = False) -> None:
        """Moves the pointer to a point of the window, and clicks there."""
        moves = [{"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)}]
        if click:
            moves += [{"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}]
        self._act(
            {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": moves}
        )

    def drag(self, x: float, y: float, dx: float, dy: float) -> None:
        moves = [
            {"type": "pointerMove", "duration": 0, "x": round(x), "y": round(y)},
            {"type": "pointerDown", "button": 0},
            {"type": "pointerMove", "duration": 0, "x": round(x + dx), "y": round(y + dy)},
            {"type": "pointerUp", "button": 0},
        ]
        self._act(
            {"type": "pointer", "id": "mouse", "parameters": {"pointerType": "mouse"}, "actions": moves}
        )

    def wheel(self, x: float, y: float, by: float) -> None:
        turn = {
            "type": "scroll",
            "duration": 0,
            "x": round(x),
            "y": round(y),
            "deltaX": 0,
            "deltaY": round(by),
        }
        self._act({"type": "wheel", "id": "wheel", "actions": [turn]})

    def keys(self, text: str) -> None:
        """Presses keys, in the element that has the focus: characters, or a name of KEYS."""
        presses = [
            {"type": kind, "value": key}
            for key in ([KEYS[text]] if text in KEYS else text)
            for kind in ("keyDown", "keyUp")
        ]
        self._act({"type": "key", "id": "keys", "actions": presses})

    def _act(self, source: dict) -> None:
        self._send("POST", "/actions", {"actions": [source]})

    def screenshot(self, path: Path) -> None:
        path.write_bytes(base64.b64decode(self._send("GET", "/screenshot", None)))

"""A headless Firefox, driven over Marionette, its own protocol, through a socket: nothing but Python's own library.

Messages are JSON after their length and a colon: [0, number, command, parameters] and [1, number, error, result].
https://firefox-source-docs.mozilla.org/testing/marionette/Protocol.html
"""

import json
import pathlib
import shutil
import socket
import subprocess
import tempfile
import time

from browser import Page

PROGRAMS = ("firefox-esr", "firefox")
PREFERENCES = {
    "marionette.port": 0,  # any free one; it is written to a file of the profile
    "browser.dom.window.dump.enabled": True,  # what scripts throw goes to standard output
    "media.autoplay.default": 0,
}
KEYS = {"Tab": "\ue004", "Enter": "\ue007", "PageUp": "\ue00e", "PageDown": "\ue00f", "End": "\ue010", "Home": "\ue011",
        "ArrowLeft": "\ue012", "ArrowUp": "\ue013", "ArrowRight": "\ue014", "ArrowDown": "\ue015"}
SHIFT = "\ue008"


class Firefox(Page):
    """One page in a browser of its own. What its scripts throw is kept in a file."""

    def __init__(self, width: int = 1280, height: int = 1000) -> None:
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="assay-firefox-"))
        program = next(filter(None, map(shutil.which, PROGRAMS)), None)
        assert program, f"none of {PROGRAMS} is installed: apt-get install firefox-esr"
        lines = [f"user_pref({json.dumps(name)}, {json.dumps(value)});" for name, value in PREFERENCES.items()]
        (self.folder / "user.js").write_text("\n".join(lines))
        self.log = (self.folder / "log.txt").open("w")
        command = [program, "--headless", "--marionette", "--no-remote", "--profile", str(self.folder),
                   "--width", str(width), "--height", str(height)]
        self.process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=self.log, stderr=self.log)
        self.count, self.buffer = 0, b""
        self.socket = socket.create_connection(("127.0.0.1", self._port()), timeout=60)
        self._read()  # its greeting
        self.call("WebDriver:NewSession")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.socket.close()
        self.process.terminate()
        self.process.wait(20)
        self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _port(self) -> int:
        """The port that the browser listens on, once it does."""
        file, end = self.folder / "MarionetteActivePort", time.monotonic() + 60
        while not (file.is_file() and file.read_text()):
            assert self.process.poll() is None and time.monotonic() < end, (self.folder / "log.txt").read_text()
            time.sleep(0.05)
        return int(file.read_text())

    def _read(self) -> list:
        """The next message of the browser."""
        while True:
            length, colon, rest = self.buffer.partition(b":")
            if colon and len(rest) >= int(length):
                self.buffer = rest[int(length):]
                return json.loads(rest[: int(length)])
            chunk = self.socket.recv(1 << 20)
            assert chunk, "the browser ended"
            self.buffer += chunk

    def call(self, command: str, **parameters) -> dict:
        """A command of the protocol, and its result."""
        self.count += 1
        message = json.dumps([0, self.count, command, parameters]).encode()
        self.socket.sendall(b"%d:%s" % (len(message), message))
        _, number, error, result = self._read()
        assert number == self.count and error is None, f"{command}: {error}"
        return result

    def evaluate(self, expression: str):
        """The value of a JavaScript expression, awaited."""
        return self.call("WebDriver:ExecuteScript", script=f"return (async () => ({expression}))()", args=[])["value"]

    def navigate(self, url: str) -> None:
        self.call("WebDriver:Navigate", url=url)

    def complaints(self) -> list:
        """What the page's scripts threw; the browser's own have other addresses."""
        marks = ("JavaScript error: file:", "JavaScript warning: file:")
        return [line for line in (self.folder / "log.txt").read_text().splitlines() if line.startswith(marks)]

    def _act(self, kind: str, *actions: dict, **more) -> None:
        self.call("WebDriver:PerformActions", actions=[{"type": kind, "id": kind, "actions": list(actions), **more}])

    def mouse(self, kind: str, x: float, y: float, buttons: int = 0) -> None:
        del buttons
        step = {"mousePressed": {"type": "pointerDown", "button": 0}, "mouseReleased": {"type": "pointerUp", "button": 0}}
        moved = {"type": "pointerMove", "x": int(x), "y": int(y), "duration": 0}
        self._act("pointer", moved, *([step[kind]] if kind in step else []))

    def key(self, name: str, shift: bool = False) -> None:
        value = KEYS.get(name, name)
        pressed = [{"type": "keyDown", "value": value}, {"type": "keyUp", "value": value}]
        held = [{"type": "keyDown", "value": SHIFT}, *pressed, {"type": "keyUp", "value": SHIFT}]
        self._act("key", *(held if shift else pressed))

"""A headless Chromium, driven over the DevTools protocol through a pair of pipes: nothing but Python's own library.

https://chromedevtools.github.io/devtools-protocol/ names the methods and events. Messages end in a zero byte.
"""

import fcntl
import json
import os
import pathlib
import select
import shutil
import subprocess
import tempfile
import time

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")


def high_pipe() -> list[int]:
    """A pipe whose descriptors are not among the first ten."""
    low = os.pipe()
    high = [fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, 10) for descriptor in low]
    for descriptor in low:
        os.close(descriptor)
    return high


class Page:
    """What a reader does with the page, in any browser. A browser brings evaluate, navigate, mouse and key."""

    def wait_for(self, condition: str, seconds: float = 20) -> None:
        """Until a JavaScript expression holds."""
        end = time.monotonic() + seconds
        while not self.evaluate(condition):
            assert time.monotonic() < end, f"never came true: {condition}"
            time.sleep(0.02)

    def open(self, page: pathlib.Path, fragment: str = "") -> None:
        """Opens the page afresh, and waits until it has shown its numbers."""
        self.navigate("about:blank")
        self.navigate(page.as_uri() + "#" + fragment)
        self.settled()

    def go(self, fragment: str) -> None:
        """Follows a link within the page."""
        self.evaluate(f"location.hash = {json.dumps(fragment)}")
        self.wait_for(f"assay.heardAddress === {json.dumps('#' + fragment)}")
        self.settled()

    def settled(self) -> None:
        """Until the page shows its state and has nothing left to do."""
        self.wait_for("window.assay !== undefined && assay.settledVersion === assay.version")

    def centre(self, selector: str) -> tuple[float, float]:
        """The middle of an element, scrolled into view."""
        return tuple(self.evaluate(f"""(() => {{
            const found = document.querySelector({json.dumps(selector)});
            found.scrollIntoView({{block: "center", inline: "center", behavior: "instant"}});
            const box = found.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2];
        }})()"""))

    def click(self, selector: str) -> None:
        x, y = self.centre(selector)
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, 1)
        self.mouse("mouseReleased", x, y)

    def drag(self, selector: str, up: float) -> None:
        """Presses on an element and lets go so many pixels further up, as a hand does: in small steps."""
        x, y = self.centre(selector)
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, 1)
        for step in range(1, 6):
            self.mouse("mouseMoved", x, y - up * step / 5, 1)
        self.mouse("mouseReleased", x, y - up)


class Browser(Page):
    """One page in a browser of its own. What it logged, threw or fetched is kept."""

    def __init__(self, width: int = 1280, height: int = 900) -> None:
        self.folder = tempfile.mkdtemp(prefix="assay-lattice-")
        self.count, self.buffer, self.events, self.session = 0, b"", [], None
        program = next(filter(None, map(shutil.which, PROGRAMS)), None)
        assert program, f"none of {PROGRAMS} is installed: apt-get install chromium"
        (to_browser, self.out), (self.inward, from_browser) = high_pipe(), high_pipe()
        flags = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                 "--disable-background-networking", "--remote-debugging-pipe", f"--user-data-dir={self.folder}",
                 f"--window-size={width},{height}", "about:blank"]

        def at_3_and_4() -> None:  # where the browser reads and writes
            os.dup2(to_browser, 3)
            os.dup2(from_browser, 4)

        self.process = subprocess.Popen([program, *flags], preexec_fn=at_3_and_4, close_fds=False,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(to_browser)
        os.close(from_browser)
        pages = [t for t in self.call("Target.getTargets")["targetInfos"] if t["type"] == "page"]
        self.session = self.call("Target.attachToTarget", targetId=pages[0]["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(20)
        os.close(self.out)
        os.close(self.inward)
        shutil.rmtree(self.folder, ignore_errors=True)

    def _read(self, seconds: float) -> dict:
        """The next message of the browser."""
        end = time.monotonic() + seconds
        while b"\0" not in self.buffer:
            assert select.select([self.inward], [], [], max(0, end - time.monotonic()))[0], "the browser is silent"
            chunk = os.read(self.inward, 1 << 20)
            assert chunk, "the browser ended"
            self.buffer += chunk
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method: str, **parameters) -> dict:
        """A method of the protocol, and its result."""
        self.count += 1
        message = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read(30)
            if answer.get("id") == self.count:
                assert "error" not in answer, f"{method}: {answer['error']}"
                return answer["result"]
            self.events.append(answer)

    def evaluate(self, expression: str):
        """The value of a JavaScript expression, awaited."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, f"{expression}: {result['exceptionDetails']}"
        return result["result"].get("value")

    def navigate(self, url: str) -> None:
        self.call("Page.navigate", url=url)

    def complaints(self) -> list:
        """Exceptions, and lines of the console and the browser's log."""
        names = ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded")
        return [event for event in self.events if event.get("method") in names]

    def fetched(self) -> list[str]:
        """Addresses that the page asked for, itself not among them."""
        requests = [event["params"]["request"]["url"] for event in self.events
                    if event.get("method") == "Network.requestWillBeSent"]
        return [url for url in requests if not url.startswith(("file:", "about:"))] + \
               [url for url in requests if url.startswith("file:")][1:]

    def mouse(self, kind: str, x: float, y: float, buttons: int = 0) -> None:
        button = "left" if buttons or kind == "mouseReleased" else "none"
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button=button, buttons=buttons, clickCount=1)

    def swipe(self, selector: str, up: float) -> None:
        """The same by a finger."""
        x, y = self.centre(selector)
        self.call("Input.dispatchTouchEvent", type="touchStart", touchPoints=[{"x": x, "y": y}])
        for step in range(1, 6):
            self.call("Input.dispatchTouchEvent", type="touchMove", touchPoints=[{"x": x, "y": y - up * step / 5}])
        self.call("Input.dispatchTouchEvent", type="touchEnd", touchPoints=[])

    def key(self, name: str, shift: bool = False) -> None:
        codes = {"Tab": 9, "Enter": 13, "Escape": 27, "PageUp": 33, "PageDown": 34, "End": 35, "Home": 36, "ArrowLeft": 37,
                 "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, " ": 32}
        text = {"Enter": "\r", " ": " "}.get(name, "")
        values = {"key": name, "windowsVirtualKeyCode": codes[name], "modifiers": 8 if shift else 0}
        self.call("Input.dispatchKeyEvent", type="keyDown" if text else "rawKeyDown", text=text, **values)
        self.call("Input.dispatchKeyEvent", type="keyUp", **values)

    def type(self, text: str) -> None:
        self.call("Input.insertText", text=text)

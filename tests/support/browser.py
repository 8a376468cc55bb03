# SPDX-License-Identifier: MIT
"""Chromium without a window, controlled over a pipe by the DevTools protocol."""
import base64
import fcntl
import json
import os
import select
import subprocess
import time


def pipe():
    """A pipe whose ends are neither 3 nor 4, which the browser is given."""
    ends = os.pipe()
    try:
        return [fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in ends]
    finally:
        for end in ends:
            os.close(end)


class Browser:
    """One page of a browser in a process of its own, whose files are in `folder`."""

    def __init__(self, program, folder):
        commands, self._commands = pipe()
        self._answers, answers = pipe()
        self._kept, self._number, self._session = b"", 0, {}
        self.events = []
        arguments = [program, "--headless=new", "--remote-debugging-pipe", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                     "--disable-background-networking", "--disable-component-update", "--disable-sync", f"--user-data-dir={folder}/profile", "about:blank"]
        # It reads from 3 and writes to 4.
        script = f'exec "$@" 3<&{commands} 4>&{answers} {commands}<&- {answers}>&-'
        self._process = subprocess.Popen(["bash", "-c", script, "browser", *arguments], pass_fds=(commands, answers), stdout=subprocess.DEVNULL,
                                         stderr=subprocess.DEVNULL, env={**os.environ, "HOME": str(folder)})
        os.close(commands)
        os.close(answers)
        target = next(each for each in self.call("Target.getTargets")["targetInfos"] if each["type"] == "page")
        session = self.call("Target.attachToTarget", targetId=target["targetId"], flatten=True)["sessionId"]
        self._session = {"sessionId": session}
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.call(domain + ".enable")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait(20)
        os.close(self._commands)
        os.close(self._answers)

    def call(self, method, **parameters):
        self._number += 1
        os.write(self._commands, json.dumps({"id": self._number, "method": method, "params": parameters, **self._session}).encode() + b"\0")
        while True:
            message = self._message()
            if message.get("id") == self._number:
                assert "error" not in message, (method, message)
                return message["result"]
            self.events.append(message)

    def _message(self):
        while b"\0" not in self._kept:
            assert select.select([self._answers], [], [], 60)[0], "the browser does not answer"
            part = os.read(self._answers, 1 << 20)
            assert part, "the browser has ended"
            self._kept += part
        message, self._kept = self._kept.split(b"\0", 1)
        return json.loads(message)

    def value(self, expression):
        """What an expression of JavaScript is in the page."""
        result = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in result, (expression, result)
        return result["result"].get("value")

    def until(self, expression):
        """Waits until an expression is true, and returns its value."""
        end = time.monotonic() + 30
        while not (value := self.value(expression)):
            assert time.monotonic() < end, f"never true: {expression}"
            time.sleep(0.02)
        return value

    def open(self, address):
        self.call("Page.navigate", url=address)
        self.until(f"location.href.startsWith({json.dumps(address)}) && document.readyState == 'complete'")

    def place(self, selector, x, y):
        """The point of the window at these shares of an element's width and height."""
        left, top, width, height = self.value(
            f"(box => [box.left, box.top, box.width, box.height])(document.querySelector({json.dumps(selector)}).getBoundingClientRect())")
        return {"x": left + x * width, "y": top + y * height}

    def mouse(self, selector, points):
        """Presses the button at the first point, moves to the others, and lets it go."""
        kinds = ["mousePressed", *["mouseMoved"] * (len(points) - 1), "mouseReleased"]
        for kind, point in zip(kinds, [*points, points[-1]]):
            self.call("Input.dispatchMouseEvent", type=kind, button="left", buttons=int(kind != "mouseReleased"), clickCount=1, **self.place(selector, *point))

    def touch(self, selector, points):
        kinds = ["touchStart", *["touchMove"] * (len(points) - 1), "touchEnd"]
        for kind, point in zip(kinds, [*points, points[-1]]):
            self.call("Input.dispatchTouchEvent", type=kind, touchPoints=[] if kind == "touchEnd" else [self.place(selector, *point)])

    def key(self, key, shift=False):
        code, text = {"Tab": (9, ""), "Enter": (13, "\r")}.get(key, (0, ""))
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, modifiers=8 * shift, windowsVirtualKeyCode=code, text=text)

    def window(self, width, height, dark=False, touch=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=touch)
        self.call("Emulation.setTouchEmulationEnabled", enabled=touch)
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def picture(self, file):
        file.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))

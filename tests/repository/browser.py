"""A headless Chromium that opens a file: what its console said, what it asked the network for, what a script finds, a picture."""

import base64
import json
import os
import shutil
import subprocess
import time
import unittest

NAMES = ["chromium", "chromium-browser", "google-chrome"]


class Browser:
    """Speaks the DevTools protocol over the pipe of Chromium, descriptors 3 and 4, messages that end in a zero byte."""

    def __init__(self, folder):
        program = next((path for path in map(shutil.which, NAMES) if path), None)
        if program is None:
            raise unittest.SkipTest("chromium is missing (Debian package chromium)")
        to_read, self.out = os.pipe()
        self.into, to_write = os.pipe()
        # Copies above the two numbers, so that moving one to its place does not overwrite the other.
        low = [os.dup2(end, 20 + i) for i, end in enumerate((to_read, to_write))]
        sandbox = ["--no-sandbox"] if os.geteuid() == 0 else []  # Chromium's own does not start for root
        command = [program, "--headless=new", "--hide-scrollbars", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", *sandbox,
                   f"--user-data-dir={folder}/profile", "--remote-debugging-pipe", "about:blank"]
        self.log = open(f"{folder}/chromium.log", "wb")
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec "$@" 3<&{low[0]} 4>&{low[1]}', "bash", *command], pass_fds=low, stdin=subprocess.DEVNULL,
            stdout=self.log, stderr=self.log, env=os.environ | {"HOME": str(folder)})
        for end in (to_read, to_write, *low):
            os.close(end)
        os.set_blocking(self.into, False)
        self.number, self.rest, self.events, self.session = 0, b"", [], None
        try:
            target = self.call("Target.createTarget", url="about:blank")["targetId"]
            self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        except (TimeoutError, BrokenPipeError):
            self.close()
            raise unittest.SkipTest("chromium does not run here")
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def receive(self, deadline):
        while b"\0" not in self.rest:
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise TimeoutError("no answer from chromium")
            try:
                self.rest += os.read(self.into, 1 << 20)
            except BlockingIOError:
                time.sleep(0.02)
        message, _, self.rest = self.rest.partition(b"\0")
        return json.loads(message)

    def call(self, method, seconds=60, **parameters):
        """The result of a command; events that come before it are kept."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + seconds
        while True:
            answer = self.receive(deadline)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            self.events.append(answer)

    def open(self, path, width, height):
        """Shows the file in a window of that size and waits until it is loaded."""
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)
        self.events.clear()
        self.call("Page.navigate", url=path.as_uri())
        deadline = time.monotonic() + 60
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.receive(deadline))

    def complaints(self):
        """What the console said, and errors of scripts."""
        kinds = ("Log.entryAdded", "Runtime.consoleAPICalled", "Runtime.exceptionThrown")
        return [json.dumps(event["params"]) for event in self.events if event.get("method") in kinds]

    def requests(self):
        """Addresses that were asked for."""
        return [event["params"]["request"]["url"] for event in self.events if event.get("method") == "Network.requestWillBeSent"]

    def evaluate(self, script):
        return self.call("Runtime.evaluate", expression=script, returnByValue=True)["result"].get("value")

    def picture(self):
        """The whole page as PNG."""
        return base64.b64decode(self.call("Page.captureScreenshot", captureBeyondViewport=True)["data"])

    def close(self):
        self.process.kill()
        self.process.wait()
        self.log.close()
        os.close(self.out)
        os.close(self.into)

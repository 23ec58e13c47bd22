"""A browser over WebDriver (W3C), with nothing but Python's own library; and what Chromium adds to it."""

import base64
import ctypes
import http.client
import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import time

ELEMENT = "element-6066-11e4-a52e-4f735466cecf"
# For how many seconds what must come is waited for: far longer than a busy machine takes.
PATIENCE = 240
TAB, ENTER, SPACE = "\ue004", "\ue007", " "


def end_with_parent():
    """Has the driver end when this process does, however it does: PR_SET_PDEATHSIG."""
    ctypes.CDLL(None).prctl(1, signal.SIGTERM)


class Failure(Exception):
    """What the browser refuses, or what a page does not have."""


class Browser:
    """Chromium without a window, with a profile that goes away. Use it with `with`."""

    def __init__(self, chromium, driver):
        self.home = tempfile.mkdtemp(prefix="martlet-browser-")
        environment = dict(os.environ, HOME=self.home, TMPDIR=self.home)
        self.driver = subprocess.Popen(
            [driver, "--port=0", "--log-level=WARNING"], env=environment, stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL, text=True, preexec_fn=end_with_parent)
        self.session = None
        try:
            self.port = self._port_of_driver()
            self._wait_for_driver()
            arguments = [
                "--headless=new", "--disable-gpu", "--hide-scrollbars", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
                "--disable-background-networking", "--disable-component-update", "--disable-sync", "--no-pings",
                "--disable-default-apps", "--disable-features=OptimizationHints,MediaRouter,Translate", "--lang=en",
                "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1",
                f"--user-data-dir={self.home}/profile", "--window-size=1280,900",
            ]
            if os.geteuid() == 0:
                arguments.append("--no-sandbox")
            answer = self._send("POST", "/session", {"capabilities": {"alwaysMatch": {
                "browserName": "chrome", "acceptInsecureCerts": True,
                "goog:chromeOptions": {"binary": chromium, "args": arguments},
                "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"},
                "timeouts": {"script": PATIENCE * 1000, "pageLoad": PATIENCE * 1000, "implicit": 0},
            }}})
            self.session = answer["sessionId"]
        except BaseException:
            self.close()
            raise

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def close(self):
        try:
            if self.session:
                self._send("DELETE", "")
        except (Failure, OSError):
            pass
        self.driver.terminate()
        try:
            self.driver.wait(10)
        except subprocess.TimeoutExpired:
            self.driver.kill()
            self.driver.wait()
        shutil.rmtree(self.home, ignore_errors=True)

    def _port_of_driver(self):
        """The port that the driver was given, which it prints when it listens."""
        for line in self.driver.stdout:
            if printed := re.search(r"started successfully on port (\d+)", line):
                return int(printed[1])
        raise Failure("chromedriver does not start")

    def _wait_for_driver(self):
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                if self._send("GET", "/status")["ready"]:
                    return
            except OSError:
                pass
            if time.monotonic() > deadline or self.driver.poll() is not None:
                raise Failure("chromedriver does not answer")
            time.sleep(0.1)

    def _send(self, method, path, body=None):
        prefix = f"/session/{self.session}" if self.session else ""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=2 * PATIENCE)
        try:
            data = None if body is None and method != "POST" else json.dumps(body or {})
            connection.request(method, prefix + path, data, {"Content-Type": "application/json"})
            answer = json.loads(connection.getresponse().read())["value"]
        finally:
            connection.close()
        if isinstance(answer, dict) and "error" in answer:
            raise Failure(f"{path}: {answer['error']}: {answer['message'].splitlines()[0]}")
        return answer

    # Looking

    def open(self, address):
        self._send("POST", "/url", {"url": address})

    @property
    def address(self):
        return self._send("GET", "/url")

    @property
    def title(self):
        return self._send("GET", "/title")

    @property
    def text(self):
        return self.text_of(self.find("body"))

    @property
    def source(self):
        return self._send("GET", "/source")

    def find(self, selector):
        return self._send("POST", "/element", {"using": "css selector", "value": selector})[ELEMENT]

    def find_all(self, selector):
        found = self._send("POST", "/elements", {"using": "css selector", "value": selector})
        return [element[ELEMENT] for element in found]

    def link(self, text):
        return self._send("POST", "/element", {"using": "link text", "value": text})[ELEMENT]

    def button(self, text, within=""):
        path = f"{within}//button[normalize-space(.)='{text}']"
        return self._send("POST", "/element", {"using": "xpath", "value": path})[ELEMENT]

    def text_of(self, element):
        return self._send("GET", f"/element/{element}/text")

    def attribute(self, element, name):
        return self._send("GET", f"/element/{element}/attribute/{name}")

    @property
    def focused(self):
        return self._send("GET", "/element/active")[ELEMENT]

    def run(self, script, *arguments):
        return self._send("POST", "/execute/sync", {"script": script, "args": list(arguments)})

    def run_async(self, script, *arguments):
        return self._send("POST", "/execute/async", {"script": script, "args": list(arguments)})

    def picture(self, path):
        metrics = self.devtools("Page.getLayoutMetrics")["cssContentSize"]
        clip = {"x": 0, "y": 0, "width": metrics["width"], "height": min(metrics["height"], 6000), "scale": 1}
        shot = self.devtools("Page.captureScreenshot", captureBeyondViewport=True, clip=clip)
        with open(path, "wb") as file:
            file.write(base64.b64decode(shot["data"]))

    # Doing

    def click(self, element):
        self._send("POST", f"/element/{element}/click", {})

    def type(self, element, text):
        self._send("POST", f"/element/{element}/clear", {})
        self._send("POST", f"/element/{element}/value", {"text": text})

    def press(self, keys):
        actions = [action for key in keys for action in
                   ({"type": "keyDown", "value": key}, {"type": "keyUp", "value": key})]
        self._send("POST", "/actions", {"actions": [{"type": "key", "id": "keyboard", "actions": actions}]})

    # What only Chromium does

    def devtools(self, command, **parameters):
        return self._send("POST", "/goog/cdp/execute", {"cmd": command, "params": parameters})

    def look(self, width, height, dark):
        self.devtools(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        motion = {"name": "prefers-reduced-motion", "value": "reduce"}
        self.devtools("Emulation.setEmulatedMedia", media="screen", features=[scheme, motion])

    def scripts(self, are_on):
        self.devtools("Emulation.setScriptExecutionDisabled", value=not are_on)

    def complaints(self):
        """What stands in the console since the last time it was asked."""
        return [entry["message"] for entry in self._send("POST", "/se/log", {"type": "browser"})]

    def requests(self):
        """The addresses that were asked for since the last time."""
        addresses = []
        for entry in self._send("POST", "/se/log", {"type": "performance"}):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                addresses.append(message["params"]["request"]["url"])
        return addresses

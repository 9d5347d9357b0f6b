"""The part of WebDriver (W3C) and of Chromium's own protocol that the tests need, over urllib."""

import json
import socket
import subprocess
import time
import urllib.error
import urllib.request


class Browser:
    def __init__(self, script=True, window=(1280, 1000)):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.driver = subprocess.Popen(["chromedriver", f"--port={port}"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.base, self.session = f"http://127.0.0.1:{port}", None
        try:
            self._wait()
            # A network that leads nowhere: whatever the page tried to load would be an error in its console.
            options = {"args": ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
                                "--force-color-profile=srgb", "--host-resolver-rules=MAP * ~NOTFOUND",
                                f"--window-size={window[0]},{window[1]}"]}
            if not script:
                options["prefs"] = {"profile.managed_default_content_settings.javascript": 2}
            answer = self._call("POST", "/session", {"capabilities": {"alwaysMatch": {
                "browserName": "chrome", "goog:chromeOptions": options, "goog:loggingPrefs": {"browser": "ALL"}}}})
            self.session = "/session/" + answer["sessionId"]
        except BaseException:
            self.close()
            raise

    def _wait(self):
        for _ in range(200):
            try:
                if self._call("GET", "/status")["ready"]:
                    return
            except (OSError, urllib.error.URLError):
                pass
            time.sleep(0.1)
        raise RuntimeError("chromedriver does not answer")

    def _call(self, method, path, body=None):
        data = json.dumps(body).encode() if body is not None else None
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=120) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as error:
            raise RuntimeError(error.read().decode(errors="replace")[:600]) from error

    def _post(self, path, **body):
        return self._call("POST", self.session + path, body)

    def open(self, url):
        self._post("/url", url=url)

    def run(self, script, *arguments):
        return self._post("/execute/sync", script=script, args=list(arguments))

    def find(self, css):
        return [next(iter(one.values())) for one in self._post("/elements", using="css selector", value=css)]

    def click(self, css):
        self._post(f"/element/{self.find(css)[0]}/click")

    def type(self, css, text):
        self._post(f"/element/{self.find(css)[0]}/value", text=text)

    def keys(self, *keys):
        actions = [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")]
        self._post("/actions", actions=[{"type": "key", "id": "keyboard", "actions": actions}])

    def console(self):
        return self._post("/se/log", type="browser")

    def chromium(self, command, **parameters):
        return self._post("/goog/cdp/execute", cmd=command, params=parameters)

    def close(self):
        try:
            if self.session:
                self._call("DELETE", self.session)
        except Exception:
            pass
        self.driver.terminate()
        self.driver.wait()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

"""Ctrl-C at a terminal, while the line of progress stands there: it is erased, and the shell sees the signal."""

import hashlib
import http.server
import json
import os
import pty
import re
import select
import signal
import threading
import time
import unittest

import kit


class SlowRegistry(http.server.BaseHTTPRequestHandler):
    """One image with one layer that does not end; plain HTTP, which is allowed on loopback."""

    protocol_version = "HTTP/1.1"
    config = json.dumps({"architecture": "amd64", "os": "linux", "config": {},
                         "rootfs": {"type": "layers", "diff_ids": ["sha256:" + "1" * 64]}}).encode()
    size = 1 << 30
    manifest = json.dumps({
        "schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": {"mediaType": "application/vnd.oci.image.config.v1+json", "size": len(config),
                   "digest": "sha256:" + hashlib.sha256(config).hexdigest()},
        "layers": [{"mediaType": "application/vnd.oci.image.layer.v1.tar", "size": size,
                    "digest": "sha256:" + "2" * 64}]}).encode()

    def log_message(self, *_):
        pass

    def do_HEAD(self):
        self.do_GET()

    def do_GET(self):
        if "/manifests/" in self.path:
            return self.answer(self.manifest, "application/vnd.oci.image.manifest.v1+json")
        if not self.path.endswith("2" * 64):
            return self.answer(self.config if "/blobs/" in self.path else b"{}", "application/octet-stream")
        self.send_response(200)
        self.send_header("Content-Length", str(self.size))
        self.end_headers()
        # One file whose content never ends: a tar header that says so, then bytes.
        header = bytearray(512)
        header[:5], header[100:107], header[108:115], header[116:123] = b"a.bin", b"0000644", b"0000000", b"0000000"
        header[124:135], header[136:147], header[148:156], header[156:157] = b"07000000000", b"00000000000", b" " * 8, b"0"
        header[257:265] = b"ustar\x0000"
        header[148:155] = b"%06o\0" % sum(header)
        try:
            self.wfile.write(header)
            while True:
                self.wfile.write(b"x" * 262144)
                time.sleep(0.05)
        except OSError:
            return None

    def answer(self, body, media_type):
        self.send_response(200)
        self.send_header("Content-Type", media_type)
        self.send_header("Docker-Content-Digest", "sha256:" + hashlib.sha256(body).hexdigest())
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)


class Interrupt(kit.Workspace):
    def test_control_c(self):
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), SlowRegistry)
        server.daemon_threads = True
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        pid, terminal = pty.fork()
        if pid == 0:
            os.chdir(self.folder)
            os.execve(kit.OCILINT, ["ocilint", "check", f"docker://127.0.0.1:{server.server_port}/slow:1", "-p", "p.yaml",
                                    "-o", "json=report.json"],
                      {"PATH": "/usr/bin:/bin", "HOME": str(self.folder), "LC_ALL": "C.UTF-8"})
        seen, end, pressed = "", time.monotonic() + 60, False
        while time.monotonic() < end:
            if not select.select([terminal], [], [], 1)[0]:
                continue
            try:
                seen += os.read(terminal, 65536).decode(errors="replace")
            except OSError:  # the other side is gone
                break
            if not pressed and re.search(r"read, .*/s", seen):
                os.write(terminal, b"\x03")
                pressed = True
        _, status = os.waitpid(pid, 0)
        os.close(terminal)
        self.assertTrue(pressed, seen)
        self.assertTrue(os.WIFSIGNALED(status), f"{status}: {seen}")
        self.assertEqual(os.WTERMSIG(status), signal.SIGINT, "a shell sees 130, and stops its loop")
        # Up over the lines of layers, and everything from there on is gone.
        self.assertRegex(seen[-80:], r"(\x1b\[A)*\r\x1b\[[JK]$")
        self.assertEqual({path.name for path in self.folder.iterdir()}, {"bin", "good", "bad", "p.yaml"})


if __name__ == "__main__":
    unittest.main()

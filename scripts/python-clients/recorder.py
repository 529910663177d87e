"""Takes what a client exports, keeps it, and passes it on to Agate."""

import gzip
import threading
import urllib.error
import urllib.request
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Recording:
    """What one client sent: (path, content type, body) of traces and logs, and Agate's statuses."""

    exports: list = field(default_factory=list)
    statuses: list = field(default_factory=list)
    others: list = field(default_factory=list)


class Recorder:
    def __init__(self, agate_url):
        self.recording = Recording()
        recorder = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self):
                body = self.read_body()
                if not self.path.endswith(("/v1/traces", "/v1/logs", "/v1/metrics")):
                    recorder.recording.others.append(f"POST {self.path}")
                    return self.answer(404, b"{}")
                status, reply, kind = forward(agate_url + self.path, body, self.headers)
                if not self.path.endswith("/v1/metrics"):
                    plain = gzip.decompress(body) if body[:2] == b"\x1f\x8b" else body
                    export = (self.path, self.headers.get("content-type", ""), plain)
                    recorder.recording.exports.append(export)
                    recorder.recording.statuses.append(f"{self.path} {status}")
                self.answer(status, reply, kind)

            def do_GET(self):
                recorder.recording.others.append(f"GET {self.path}")
                self.answer(404, b"{}")

            def read_body(self):
                if self.headers.get("transfer-encoding") != "chunked":
                    return self.rfile.read(int(self.headers.get("content-length", 0)))
                body = b""
                while size := int(self.rfile.readline().split(b";")[0], 16):
                    body += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return body

            def answer(self, status, body, kind="application/json"):
                self.send_response(status)
                self.send_header("content-type", kind)
                self.send_header("content-length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_):
                pass

        server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{server.server_port}"

    def restart(self):
        """Forgets the previous client's exports."""
        self.recording = Recording()
        return self.recording


PASSED_ON = ("content-type", "content-encoding", "authorization", "x-api-key")


def forward(url, body, headers):
    passed = {name: headers[name] for name in PASSED_ON if headers.get(name)}
    request = urllib.request.Request(url, body, passed, method="POST")
    try:
        with urllib.request.urlopen(request, timeout=30) as reply:
            return reply.status, reply.read(), reply.headers.get("content-type", "")
    except urllib.error.HTTPError as error:
        return error.code, error.read(), error.headers.get("content-type", "")

"""A server for `extender` to ask: on this machine, as slow as a test wants it."""

import json
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


class Server:
    """`answers` by verb: what it says, or a number for a status of HTTP. It says nothing while not `speaking`."""

    def __init__(self) -> None:
        self.answers: dict[str, Any] = {}
        self.speaking = threading.Event()
        self.speaking.set()
        self.asked: list[tuple[str, Any]] = []
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                verb = self.path.rsplit("/", 1)[-1]
                outer.asked.append((verb, json.loads(self.rfile.read(int(self.headers["Content-Length"])))))
                outer.speaking.wait()
                answer = outer.answers.get(verb, {})
                content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
                with suppress(OSError):  # who asked has hung up
                    self.send_response(answer if isinstance(answer, int) else 200)
                    self.send_header("Content-Length", str(len(content)))
                    self.end_headers()
                    self.wfile.write(content)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1/"
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        self._thread.start()

    def stop(self) -> None:
        self.speaking.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

"""hashicorp/http-echo's server: answers every request with the same text, for examples of Services and Ingresses.

`http_echo -text=TEXT [-listen=HOST:PORT] [-status-code=N]`; ECHO_TEXT is the default of TEXT.
"""

import os
import socket
import sys
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

DEFAULTS = {"text": "", "listen": ":5678", "status-code": "200"}
HEALTH = b'{"status":"ok"}\n'
INVALID_USE = 127
"""Exit code of the original for missing and superfluous arguments."""


class UsageError(Exception):
    """The arguments are not valid; the message says why."""


def read(arguments, environment):
    """Return text, host, port and status code. Flags have one dash or two, as in Go. Raises UsageError."""
    values = {**DEFAULTS, "text": environment.get("ECHO_TEXT", "")}
    words = list(arguments)
    while words:
        word = words.pop(0)
        name, equals, value = word.lstrip("-").partition("=")
        if not word.startswith("-") or word.startswith("---"):
            raise UsageError("Too many arguments!")
        if name not in DEFAULTS:
            raise UsageError(f"flag provided but not defined: -{name}")
        if not equals:
            if not words:
                raise UsageError(f"flag needs an argument: -{name}")
            value = words.pop(0)
        values[name] = value
    if not values["text"]:
        raise UsageError("Missing -text option!")
    host, colon, port = values["listen"].rpartition(":")
    if not colon or not port.isascii() or not port.isdecimal() or int(port) > 65535:
        raise UsageError(f"invalid value {values['listen']!r} for flag -listen: HOST:PORT is expected")
    code = values["status-code"]
    if not code.isascii() or not code.isdecimal() or not 200 <= int(code) <= 599:
        raise UsageError(f"invalid value {code!r} for flag -status-code: 200 to 599 is expected")
    return values["text"], host.strip("[]"), int(port), int(code)


class Server(ThreadingHTTPServer):
    """Listens for IPv4, and without a host also for IPv6 where the machine has it."""

    daemon_threads = True

    def __init__(self, host, port, text, status):
        self.text, self.status = f"{text}\n".encode(), status
        both = not host and socket.has_dualstack_ipv6()
        self.address_family = socket.AF_INET6 if both or ":" in host else socket.AF_INET
        super().__init__((host, port), Answer)

    def server_bind(self):
        if self.address_family == socket.AF_INET6:
            self.socket.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        super().server_bind()


class Answer(BaseHTTPRequestHandler):
    """Answers any method and path; `/health` says that the server is well."""

    protocol_version = "HTTP/1.1"
    timeout = 60  # seconds without a request on an open connection

    def __getattr__(self, name):
        if name.startswith("do_"):
            return self.answer
        raise AttributeError(name)

    def answer(self):
        assert isinstance(self.server, Server)
        is_health = self.path.partition("?")[0] == "/health"
        body = HEALTH if is_health else self.server.text
        status = HTTPStatus.OK if is_health else self.server.status
        length = self.headers.get("Content-Length", "0")
        if (
            length.isascii()
            and length.isdecimal()
            and int(length) <= 1 << 20
            and "Transfer-Encoding" not in self.headers
        ):
            self.rfile.read(int(length))
        else:
            self.close_connection = True
        self.send_response(status)
        self.send_header("Content-Type", "application/json" if is_health else "text/plain; charset=utf-8")
        self.send_header("X-App-Name", "http-echo")
        has_body = status not in (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED)
        self.send_header("Content-Length", str(len(body) if has_body else 0))
        self.end_headers()
        if has_body and self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, format, *args):
        line = ascii(format % args)[1:-1]
        sys.stdout.write(f"{self.log_date_time_string()} {self.client_address[0]} {line}\n")
        sys.stdout.flush()


def main(arguments):
    try:
        text, host, port, status = read(arguments, os.environ)
    except UsageError as error:
        sys.stderr.write(f"{error}\n")
        return INVALID_USE
    try:
        server = Server(host, port, text, status)
    except OSError as error:
        sys.stderr.write(f"cannot listen on {host}:{port}: {error.strerror or error}\n")
        return 1
    sys.stdout.write(f"[INFO] server is listening on {host}:{server.server_address[1]}\n")
    sys.stdout.flush()
    server.serve_forever()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

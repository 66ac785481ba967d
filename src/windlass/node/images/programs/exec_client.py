"""`kubectl exec` for pods on machines without kubectl: one file, the standard library only, quick to start.

It is copied into a launcher's pod as /opt/kube/kubectl (`kubectl_delivery.py`) and runs exec over WebSocket with the
pod's service account. Input, output and exit code pass unchanged. Other verbs are passed to a kubectl on the PATH.
"""

import base64
import json
import os
import select
import socket
import ssl
import struct
import sys
import time
from typing import Any, NoReturn
from urllib.parse import quote, urlencode

ACCOUNT = "/var/run/secrets/kubernetes.io/serviceaccount"
STDIN, STDOUT, STDERR, STATUS, CLOSE_STREAM = 0, 1, 2, 3, 255
BINARY, CLOSE, PING, PONG = 0x2, 0x8, 0x9, 0xA
PROTOCOLS = ("v5.channel.k8s.io", "v4.channel.k8s.io")
CHUNK = 64 << 10
MAX_BUFFERED = 256 << 10
TRIES = 20
"""Attempts to reach the server, half a second apart: it may be restarting."""


class Problem(Exception):
    """An error that is printed, with exit code 1."""


class Arguments:
    """The parsed command line."""

    def __init__(self, words: list[str]) -> None:
        self.namespace = self.container = self.pod = ""
        self.stdin = False
        self.command: list[str] = []
        at = 0
        while at < len(words):
            word = words[at]
            name, _, value = word.partition("=")
            at += 1
            if word == "--":
                self.command += words[at:]
                break
            if name in ("-n", "--namespace", "-c", "--container"):
                if not value:
                    if at == len(words):
                        raise Problem(f"flag needs an argument: {word}")
                    value, at = words[at], at + 1
                setattr(self, "namespace" if name in ("-n", "--namespace") else "container", value)
            elif word in ("-i", "--stdin", "--stdin=true"):
                self.stdin = True
            elif word in ("-q", "--quiet", "--stdin=false"):
                continue
            elif word.startswith("-"):
                raise Problem(f"unknown flag: {word} (this is Windlass' exec client, which knows -n, -c, -i and --)")
            elif not self.pod:
                self.pod = word.split("/")[-1]
            else:
                self.command.append(word)
        if not self.pod:
            raise Problem("pod name must be specified")
        if not self.command:
            raise Problem("you must specify at least one command for the container")


class Socket:
    """A WebSocket to the API server. Never blocks on writing while there is something to read."""

    def __init__(self, asked: Arguments) -> None:
        self._socket = _connect()
        self._in, self._out = bytearray(), bytearray()
        self._parts = bytearray()
        self.closed = False
        self.protocol = self._upgrade(asked)
        self._socket.setblocking(False)

    @property
    def waiting(self) -> int:
        return len(self._out)

    def send(self, channel: int, data: bytes) -> None:
        self._frame(BINARY, bytes([channel]) + data)

    def _frame(self, opcode: int, payload: bytes) -> None:
        size = len(payload)
        if size < 126:
            head = struct.pack("!BB", 0x80 | opcode, 0x80 | size)
        elif size < 1 << 16:
            head = struct.pack("!BBH", 0x80 | opcode, 0x80 | 126, size)
        else:
            head = struct.pack("!BBQ", 0x80 | opcode, 0x80 | 127, size)
        self._out += head + bytes(4) + payload  # a mask of zeros: TLS hides it, and no proxy is between

    def step(self, others: list[int]) -> tuple[list[bytes], list[int]]:
        """Wait for input; returns complete messages, and which of the other descriptors are readable."""
        readable: list[Any] = [self._socket]
        if not self._socket.pending():
            writable = [self._socket] if self._out else []
            readable, _, _ = select.select([self._socket, *others], writable, [], 20.0)
            if not readable and not writable:
                self._frame(PING, b"")  # so that one that has gone is found out
        self._write()
        if self._socket in readable:
            self._read()
        return self._messages(), [one for one in others if one in readable]

    def _write(self) -> None:
        while self._out:
            try:
                del self._out[: self._socket.send(self._out)]
            except (ssl.SSLWantWriteError, ssl.SSLWantReadError):
                return

    def _read(self) -> None:
        while True:
            try:
                data = self._socket.recv(CHUNK)
            except (ssl.SSLWantReadError, ssl.SSLWantWriteError):
                return
            if not data:
                self.closed = True
                return
            self._in += data

    def _messages(self) -> list[bytes]:
        found: list[bytes] = []
        while (frame := self._next_frame()) is not None:
            final, opcode, payload = frame
            if opcode == PING:
                self._frame(PONG, payload)
            elif opcode == CLOSE:
                self.closed = True
            elif opcode != PONG:
                self._parts += payload
                if final:
                    found.append(bytes(self._parts))
                    self._parts.clear()
        return found

    def _next_frame(self) -> tuple[bool, int, bytes] | None:
        buffer = self._in
        if len(buffer) < 2:
            return None
        size, at = buffer[1] & 0x7F, 2
        if size >= 126:
            at += 2 if size == 126 else 8
            if len(buffer) < at:
                return None
            size = int.from_bytes(buffer[2:at], "big")
        if len(buffer) < at + size:
            return None
        frame = bool(buffer[0] & 0x80), buffer[0] & 0x0F, bytes(buffer[at : at + size])
        del buffer[: at + size]
        return frame

    def _upgrade(self, asked: Arguments) -> str:
        query = [("stdout", "true"), ("stderr", "true"), ("stdin", "true" if asked.stdin else "false")]
        query += [("container", asked.container)] if asked.container else []
        query += [("command", word) for word in asked.command]
        namespace = quote(asked.namespace or _own("namespace"), safe="")
        path = f"/api/v1/namespaces/{namespace}/pods/{quote(asked.pod, safe='')}/exec?{urlencode(query)}"
        # POST, as kubectl asks with SPDY: the right to create pods/exec is enough, and a launcher's role has no other
        lines = [
            f"POST {path} HTTP/1.1",
            "Content-Length: 0",
            f"Host: {os.environ['KUBERNETES_SERVICE_HOST']}",
            f"Authorization: Bearer {_own('token')}",
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}",
            f"Sec-WebSocket-Protocol: {', '.join(PROTOCOLS)}",
        ]
        self._socket.sendall("\r\n".join([*lines, "", ""]).encode())
        answer = bytearray()
        while b"\r\n\r\n" not in answer:
            data = self._socket.recv(CHUNK)
            if not data:
                raise Problem("the server has closed the connection")
            answer += data
        head, _, rest = bytes(answer).partition(b"\r\n\r\n")
        status, *headers = head.decode("latin-1").split("\r\n")
        if " 101" not in status:
            raise Problem(self._refusal(status, headers, rest))
        self._in += rest
        found = dict(line.lower().split(":", 1) for line in headers if ":" in line)
        return found.get("sec-websocket-protocol", "").strip()

    def _refusal(self, status: str, headers: list[str], body: bytes) -> str:
        lengths = [line.split(":")[1] for line in headers if line.lower().startswith("content-length:")]
        while lengths and len(body) < int(lengths[0]):
            data = self._socket.recv(CHUNK)
            if not data:
                break
            body += data
        try:
            said = json.loads(body)
            return f"Error from server ({said.get('reason')}): {said['message']}"
        except (ValueError, KeyError):
            return f"unable to upgrade connection: {status}"


def _own(name: str) -> str:
    try:
        with open(f"{ACCOUNT}/{name}", encoding="utf-8") as file:  # noqa: PTH123 - pathlib is slow to start
            return file.read().strip()
    except OSError as error:
        raise Problem(f"this pod has no service account: {error}") from error


def _connect() -> ssl.SSLSocket:
    host = os.environ.get("KUBERNETES_SERVICE_HOST", "")
    port = int(os.environ.get("KUBERNETES_SERVICE_PORT", "443"))
    if not host:
        raise Problem("KUBERNETES_SERVICE_HOST is not set: this is not a pod")
    trust = ssl.create_default_context(cafile=f"{ACCOUNT}/ca.crt")
    last: OSError | None = None
    for attempt in range(TRIES):
        if attempt:
            time.sleep(0.5)
        try:
            plain = socket.create_connection((host, port), timeout=30)
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return trust.wrap_socket(plain, server_hostname=host)
        except ssl.SSLCertVerificationError as error:
            raise Problem(f"the server's certificate is not trusted: {error.verify_message}") from error
        except OSError as error:
            last = error
    raise Problem(f"cannot reach the server {host}:{port}: {last}")


def execute(asked: Arguments) -> int:
    """Run the command in the pod and return its exit code."""
    web = Socket(asked)
    inputs = [0] if asked.stdin else []
    while True:
        messages, ready = web.step(inputs if web.waiting < MAX_BUFFERED else [])
        for message in messages:
            channel, data = message[0], message[1:]
            if channel in (STDOUT, STDERR):
                write(channel, data)
            elif channel == STATUS:
                return exit_code(json.loads(data))
        if web.closed:
            raise Problem("the connection was lost before the command ended")
        if ready:
            data = os.read(0, CHUNK)
            if data:
                web.send(STDIN, data)
            else:
                inputs = []
                if web.protocol == PROTOCOLS[0]:
                    web.send(CLOSE_STREAM, bytes([STDIN]))


def write(descriptor: int, data: bytes) -> None:
    while data:
        data = data[os.write(descriptor, data) :]


def exit_code(status: dict[str, Any]) -> int:
    """Return 0, the command's exit code, or 1 after printing the reason, as kubectl does."""
    if status.get("status") == "Success":
        return 0
    causes = (status.get("details") or {}).get("causes") or []
    codes = [cause.get("message") for cause in causes if cause.get("reason") == "ExitCode"]
    if status.get("reason") == "NonZeroExitCode" and codes:
        sys.stderr.write(f"command terminated with exit code {codes[0]}\n")
        return int(codes[0])
    raise Problem(str(status.get("message") or status))


def another_kubectl(words: list[str]) -> NoReturn:
    here = os.path.realpath(os.path.dirname(os.path.abspath(__file__)))  # noqa: PTH100, PTH120 - pathlib is slow to start
    for folder in os.environ.get("PATH", os.defpath).split(os.pathsep):
        program = f"{folder or '.'}/kubectl"
        if os.path.realpath(folder) != here and os.access(program, os.X_OK):
            os.execv(program, ["kubectl", *words])
    raise Problem(
        f"{(words or ['nothing'])[0]}: only exec is supported here, and there is no other kubectl on the PATH"
    )


def main(words: list[str]) -> int:
    try:
        if words[:1] != ["exec"]:
            another_kubectl(words)
        return execute(Arguments(words[1:]))
    except Problem as problem:
        sys.stderr.write(f"error: {problem}\n")
        return 1
    except OSError as error:
        sys.stderr.write(f"error: {error}\n")
        return 1
    except KeyboardInterrupt:
        return 130


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

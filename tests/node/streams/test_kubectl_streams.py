"""exec, attach, cp, logs and port-forward end to end: kubectl, a real API server, the agent's API, real processes."""

import contextlib
import hashlib
import os
import pty
import re
import select
import socket
import socketserver
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.node.streams.node_thread import NodeThread
from tests.support import KUBECTL, Windlass, eventually

pytestmark = pytest.mark.kubectl
_FOLDER = Path("/usr/lib/google-cloud-sdk/bin")
_EVERY = [_FOLDER / f"kubectl.1.{minor}" for minor in (27, 28, 29, 30, 31, 32, 33)]
KUBECTLS = [str(path) for path in _EVERY if path.exists()] or [str(KUBECTL)]
GRUMBLE = "Unknown stream id 1, discarding message"
"""Said where the server's greeting, an empty message, comes before kubectl has made its streams ready."""


@pytest.fixture(scope="session")
def pod(node: NodeThread) -> str:
    node.run("shell", "sleep", "1000")
    return "shell"


def command(server: Windlass, *words: str, program: str | None = None) -> list[str]:
    return [program or str(KUBECTL), "--kubeconfig", str(server.kubeconfig), *words]


@pytest.mark.parametrize("program", KUBECTLS)
def test_exec_carries_output_errors_input_and_the_exit_code(streams_server: Windlass, pod: str, program: str) -> None:
    script = "cat; echo out; echo err >&2; exit 7"

    done = streams_server.kubectl(
        "exec", "-i", pod, "--", "sh", "-c", script, stdin="typed\n", check=False, program=program
    )

    assert done.stdout == "typed\nout\n"
    said = [line for line in done.stderr.splitlines() if GRUMBLE not in line]
    assert said == ["err", "command terminated with exit code 7"]
    assert done.returncode == 7


@pytest.mark.parametrize("program", [KUBECTLS[0], KUBECTLS[-1]])
def test_much_output_arrives_whole(streams_server: Windlass, pod: str, program: str) -> None:
    done = streams_server.kubectl("exec", pod, "--", "seq", "1", "1000000", program=program)

    assert (
        hashlib.sha256(done.stdout.encode()).hexdigest()
        == hashlib.sha256("".join(f"{n}\n" for n in range(1, 1_000_001)).encode()).hexdigest()
    )


@pytest.mark.parametrize("program", [KUBECTLS[0], KUBECTLS[-1]])
def test_a_command_may_be_as_long_as_a_script(streams_server: Windlass, pod: str, program: str) -> None:
    done = streams_server.kubectl("exec", pod, "--", "echo", "x" * 30_000, program=program)

    assert done.stdout == "x" * 30_000 + "\n"


@pytest.mark.parametrize("program", [KUBECTLS[0], KUBECTLS[-1]])
def test_a_command_that_is_not_there_is_named(streams_server: Windlass, pod: str, program: str) -> None:
    done = streams_server.kubectl("exec", pod, "--", "no-such-command", check=False, program=program)

    assert done.returncode == 1
    assert 'exec: "no-such-command": executable file not found in $PATH' in done.stderr


@pytest.mark.parametrize("program", [KUBECTLS[0], KUBECTLS[-1]])
def test_a_container_that_does_not_run_takes_no_commands(
    streams_server: Windlass, node: NodeThread, program: str
) -> None:
    name = f"over{KUBECTLS.index(program)}"
    node.run(name, "true")
    node.ended(name)

    done = streams_server.kubectl("exec", name, "--", "true", check=False, program=program)

    assert 'container not found ("main")' in done.stderr


class Terminal:
    """A program on a terminal of its own."""

    def __init__(self, argv: list[str]) -> None:
        self._master, slave = pty.openpty()
        import fcntl
        import struct
        import termios

        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 101, 0, 0))
        self.process = subprocess.Popen(
            argv, stdin=slave, stdout=slave, stderr=slave, start_new_session=True,
            env={**os.environ, "TERM": "dumb"}, preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
        )  # fmt: skip
        os.close(slave)
        self.seen = ""

    def type(self, text: str) -> None:
        os.write(self._master, text.encode())

    def expect(self, pattern: str, within: float = 60.0) -> str:
        deadline = time.monotonic() + within
        while not (found := re.search(pattern, self.seen)):
            ready, _, _ = select.select([self._master], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, f"{pattern!r} did not come: {self.seen!r}"
            with contextlib.suppress(OSError):
                self.seen += os.read(self._master, 65536).decode()
        self.seen = self.seen[found.end() :]
        return found.group(0)

    def close(self) -> None:
        self.process.kill()
        self.process.wait(60)
        os.close(self._master)


@pytest.mark.parametrize("program", [KUBECTLS[0], KUBECTLS[-1]])
def test_a_terminal_has_the_size_of_the_users_and_takes_keys(streams_server: Windlass, pod: str, program: str) -> None:
    terminal = Terminal(command(streams_server, "exec", "-it", pod, "--", "sh", program=program))
    try:
        terminal.expect(r"[$#] ")

        def sized() -> bool:
            terminal.type("echo size=$(stty size)\n")
            return "33 101" in terminal.expect(r"size=\d+ \d+")

        eventually(sized, 60, "the terminal has the client's size")
        terminal.type("cat\n")
        terminal.type("echoed\n")
        terminal.expect(r"echoed\r\n(?:[$#] )*echoed")  # what is typed ahead is shown before the prompt
        terminal.type("\x03")  # Ctrl-C ends cat, not the shell
        terminal.expect(r"[$#] ")
        terminal.type("exit 3\n")
        terminal.expect("exit code 3")
        assert terminal.process.wait(60) == 3
    finally:
        terminal.close()


@pytest.mark.parametrize("program", [KUBECTLS[0], KUBECTLS[-1]])
def test_files_are_copied_both_ways(streams_server: Windlass, pod: str, program: str, tmp_path: Path) -> None:
    content = os.urandom(3 << 20)
    (tmp_path / "here").write_bytes(content)

    streams_server.kubectl("cp", str(tmp_path / "here"), f"{pod}:{tmp_path}/there", program=program)
    streams_server.kubectl("cp", f"{pod}:{tmp_path}/there", str(tmp_path / "back"), program=program)

    assert (tmp_path / "there").read_bytes() == content
    assert (tmp_path / "back").read_bytes() == content


@pytest.mark.parametrize("program", [KUBECTLS[0], KUBECTLS[-1]])
def test_attach_types_into_the_container(streams_server: Windlass, node: NodeThread, program: str) -> None:
    name = f"attached{KUBECTLS.index(program)}"
    node.run(name, "sh", "-c", "while read line; do echo got $line; done", stdin=True)
    client = subprocess.Popen(
        command(streams_server, "attach", "-i", name, program=program),
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
    )  # fmt: skip
    try:
        assert client.stdin
        assert client.stdout
        client.stdin.write(b"hello\n")
        client.stdin.flush()
        assert client.stdout.readline() == b"got hello\n"
    finally:
        client.kill()
        client.communicate()


def test_a_command_ends_with_its_client(streams_server: Windlass, pod: str, tmp_path: Path) -> None:
    mark = tmp_path / "pid"
    client = subprocess.Popen(command(streams_server, "exec", pod, "--", "sh", "-c", f"echo $$ > {mark}; sleep 300"))
    number = int(eventually(lambda: mark.exists() and mark.read_text().strip(), 60, "the command runs"))

    client.kill()
    client.wait(60)

    eventually(lambda: not _lives(number), 60, "the command has ended too")


def _lives(number: int) -> bool:
    try:
        return Path(f"/proc/{number}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def test_logs_tell_the_end_the_whole_and_what_was_rotated_away(streams_server: Windlass, node: NodeThread) -> None:
    node.run("talker", "sh", "-c", "seq 1 3000; echo complaint >&2")
    node.ended("talker")
    kubectl = streams_server.kubectl

    assert kubectl("logs talker --tail=2").stdout in ("3000\ncomplaint\n", "complaint\n3000\n", "2999\n3000\n")
    assert len(kubectl("logs talker").stdout.splitlines()) == 3001
    stamped = kubectl("logs talker --tail=1 --timestamps").stdout
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{9}Z \S+\n", stamped)
    assert kubectl("logs talker --limit-bytes=3").stdout.startswith(("1\n2", "com"))
    assert len(kubectl("logs talker --since=1h").stdout.splitlines()) == 3001
    failed = kubectl("logs", "talker", "--previous", check=False)
    expected = 'previous terminated container "main" in pod "talker" not found'
    assert failed.stderr == f"Error from server (BadRequest): {expected}\n"


def test_a_container_that_has_not_started_says_why(streams_server: Windlass, node: NodeThread) -> None:
    spec = {"nodeName": "testnode", "containers": [{"name": "main", "image": "busybox"}]}
    made = streams_server.create("/api/v1/namespaces/default/pods", {"metadata": {"name": "pending"}, "spec": spec})
    node.pods.known[made["metadata"]["uid"]] = made

    failed = streams_server.kubectl("logs", "pending", check=False)

    expected = 'container "main" in pod "pending" is waiting to start: ContainerCreating'
    assert failed.stderr == f"Error from server (BadRequest): {expected}\n"


def test_following_logs_goes_over_rotations_and_ends_with_the_container(
    streams_server: Windlass, node: NodeThread
) -> None:
    # less than what is kept of a log, should the follower come late
    node.run("counter", "sh", "-c", "for i in $(seq 1 30); do seq 1 200; sleep 0.02; done; echo bye")

    followed = streams_server.kubectl("logs -f counter").stdout.splitlines()

    assert followed[-1] == "bye"
    assert len(followed) == 6001


def test_a_follower_that_goes_away_is_forgotten(streams_server: Windlass, node: NodeThread) -> None:
    node.run("quiet", "sh", "-c", "echo first; sleep 1000")
    before = set(node.kubelet._requests)
    client = subprocess.Popen(command(streams_server, "logs", "-f", "quiet"), stdout=subprocess.PIPE)
    assert client.stdout
    assert client.stdout.readline() == b"first\n"
    assert node.kubelet._requests - before

    client.kill()
    client.communicate()

    eventually(lambda: not node.kubelet._requests - before, 60, "nobody is served")


class Upper(socketserver.BaseRequestHandler):
    def handle(self) -> None:
        while data := self.request.recv(65536):
            self.request.sendall(data.upper())


class Listening(socketserver.ThreadingTCPServer):
    request_queue_size = 128


@pytest.fixture
def echo() -> Iterator[int]:
    with Listening(("127.0.0.1", 0), Upper) as listening:
        listening.daemon_threads = True
        thread = threading.Thread(target=listening.serve_forever, daemon=True)
        thread.start()
        yield listening.server_address[1]
        listening.shutdown()
        thread.join(60)


@contextlib.contextmanager
def forwarded(server: Windlass, program: str, pod: str, *ports: int) -> Iterator[list[int]]:
    words = command(server, "port-forward", pod, *(f":{port}" for port in ports), program=program)
    client = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    try:
        local: list[int] = []
        assert client.stdout
        while len(local) < len(ports):
            told = client.stdout.readline()
            assert told, "port-forward ended"
            if found := re.match(r"Forwarding from 127.0.0.1:(\d+)", told):
                local.append(int(found.group(1)))
        yield local
    finally:
        client.kill()
        client.communicate()


def exchange(port: int, data: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        sending = threading.Thread(target=lambda: (connection.sendall(data), connection.shutdown(socket.SHUT_WR)))
        sending.start()
        got = bytearray()
        while part := connection.recv(65536):
            got += part
        sending.join(60)
        return bytes(got)


@pytest.mark.parametrize("program", KUBECTLS)
def test_connections_are_forwarded_many_at_once_and_whole(
    streams_server: Windlass, pod: str, echo: int, program: str
) -> None:
    data = os.urandom(1 << 20).hex().encode()
    with forwarded(streams_server, program, pod, echo, echo) as (first, second):
        assert exchange(first, data) == data.upper()
        results: dict[int, bytes] = {}
        threads = [
            threading.Thread(target=lambda n=n: results.update({n: exchange((first, second)[n % 2], b"hello %d" % n)}))
            for n in range(30)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert results == {n: b"HELLO %d" % n for n in range(30)}


@pytest.mark.parametrize("program", [KUBECTLS[0], KUBECTLS[-1]])
def test_a_port_where_nobody_listens_is_reported(streams_server: Windlass, pod: str, program: str) -> None:
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        port = unused.getsockname()[1]
        words = command(streams_server, "port-forward", pod, f":{port}", program=program)
        client = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        try:
            assert client.stdout
            found = re.match(r"Forwarding from 127.0.0.1:(\d+)", client.stdout.readline())
            assert found
            assert exchange(int(found.group(1)), b"") == b""
            told = ""
            while "refused" not in told:
                told = client.stdout.readline()
                assert told
            assert f"error forwarding port {port} to pod {pod}_default" in told
        finally:
            client.kill()
            client.communicate()

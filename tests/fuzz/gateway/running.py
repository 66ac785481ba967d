"""Sends hostile requests to the gateway of a whole platform, as two users and as nobody, and looks at every answer."""

import asyncio
import json
import re
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import requests

from tests.fuzz.gateway.requests import NAMESPACES, Hit, hit
from tests.fuzz.gateway.targets import PROXIED, Target, targets
from tests.fuzz.watched import Finding, Watched
from tests.gateway.browser import Person, a_person, signed_in
from tests.gateway.platform import Platform
from tests.support import eventually
from windlass.gateway.login.paths import OPEN_PATHS

CONNECTIONS = 8
ANSWER_WITHIN = 60.0  # seconds
STREAM_SECONDS = 0.5  # after which the rest of an answer without an end is not waited for
LOOK_EVERY = 2.0  # seconds between looks at logs and processes
MARKERS = ("markalpha5e1f", "markbeta7c2d")
"""Names in the namespaces of the users: an answer to anybody else that has one is a leak."""
HONEST = {
    503: re.compile("|".join(path.partition("{")[0] for path in PROXIED)),  # the server of the object does not run
    501: re.compile(r".*/(visualizations|workflows|scheduledworkflows)\b"),  # methods that nothing implements
}
"""Answers above 499 that say what is so, by the address that is asked for."""


LOCATION = re.compile(rb"(?i)^location: *([^\r\n]*)", re.MULTILINE)
GRPC_REFUSAL = re.compile(rb"(?im)^grpc-status: *[1-9]")
"""gRPC-web answers 200, and says in a header that it refused a call."""
OPEN = ("/dex/", "/oauth2/", "/healthz")


@dataclass
class User:
    person: Person
    token: str
    cookie: str = ""


@dataclass
class Run:
    """`requests` of them, or as many as there is time for."""

    platform: Platform
    watched: Watched
    users: tuple[User, ...]
    seed: int
    requests: int
    folder: Path
    seconds: float = 1e9
    only: int | None = None
    keep_going: bool = False
    sent: int = 0
    codes: Counter[int] = field(default_factory=Counter[int])
    findings: list[str] = field(default_factory=list[str])
    sent_to: Counter[str] = field(default_factory=Counter[str])
    _recent: list[str] = field(default_factory=list[str])

    async def run(self) -> None:
        """Raises Finding at the first thing that must not happen, or with `keep_going` notes all `findings`."""
        known = targets(self.folder)
        assert Target("GET", "/dex/auth") in known
        ends = time.monotonic() + self.seconds
        numbers = iter([self.only] if self.only is not None else range(self.requests))
        try:
            async with asyncio.TaskGroup() as tasks:
                looking = tasks.create_task(self._look())
                await asyncio.gather(*(self._send_all(numbers, known, ends) for _ in range(CONNECTIONS)))
                looking.cancel()
        except* Finding as found:
            raise Finding(str(found.exceptions[0])) from None
        self._look_once()

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY)
            self._look_once()

    def _look_once(self) -> None:
        for found in self.watched.look():
            last = "\n\n".join(self._recent[-CONNECTIONS * 2 :])
            self._report(f"{found}\n\nThe last requests of seed {self.seed} were:\n{last}")

    def _report(self, text: str) -> None:
        if not self.keep_going:
            raise Finding(text)
        self.findings.append(text)

    async def _send_all(self, numbers: Iterator[int], known: list[Target], ends: float) -> None:
        for number in numbers:
            if time.monotonic() > ends:
                return
            made = hit(self.seed, number, known)
            words = f"request {number} of seed {self.seed}: {made.words()}"
            self._recent = [*self._recent[-100:], words]
            try:
                status, answer = await self._ask(made)
            except TimeoutError:
                self._report(f"no answer within {ANSWER_WITHIN} s\n{words}")
                continue
            except OSError as error:
                self._report(f"{error!r}\n{words}")
                continue
            self.sent += 1
            self.codes[status] += 1
            self.sent_to[f"{made.route.method} {made.route.path}"] += 1
            for why in self._wrong(made, status, answer):
                self._report(f"{why}\n{words}\n{answer[:1500].decode(errors='replace')}")
            if status in (302, 401) and made.user is not None and not made.by_token:
                await self._sign_in_if_over(self.users[made.user])

    def _wrong(self, made: Hit, status: int, answer: bytes) -> Iterator[str]:
        if status >= 500 and not (status in HONEST and HONEST[status].match(made.target)):
            yield f"answered {status}"
        if not status and not made.is_broken:
            yield "no answer"
        if (location := LOCATION.search(answer)) and not stays_here(self.platform.url, location[1].decode("latin-1")):
            yield f"leads to {location[1]!r}"
        is_refused_by_grpc = GRPC_REFUSAL.search(answer.partition(b"\r\n\r\n")[0]) is not None
        if made.user is None and status == 200 and not is_refused_by_grpc and not is_for_all(made.target):
            yield "answered somebody who is not signed in"
        if b"Traceback (most recent" in answer:
            yield "the answer has a traceback"
        for owner, marker in enumerate(MARKERS):
            if marker.encode() in answer and made.user != owner:
                yield f"shows {marker} of {NAMESPACES[owner]}"

    async def _ask(self, made: Hit) -> tuple[int, bytes]:
        host, _, port = self.platform.url.removeprefix("http://").partition(":")
        async with asyncio.timeout(ANSWER_WITHIN):
            reader, writer = await asyncio.open_connection(host, int(port))
            try:
                with suppress(ConnectionError):
                    writer.write(self._bytes(made, f"{host}:{port}"))
                    await writer.drain()
                    if made.is_broken:  # the rest of a truncated body would be awaited
                        writer.write_eof()
                return await _answer(reader)
            finally:
                writer.close()

    def _bytes(self, made: Hit, host: str) -> bytes:
        lines = [f"{made.method} {made.target} HTTP/1.1", f"Host: {host}", *self._credentials(made)]
        if not any(name == "Connection" for name, _ in made.headers):
            lines.append("Connection: close")
        if not made.is_broken:
            lines.append(f"Content-Length: {len(made.body)}")
        lines += [f"{name}: {value}" for name, value in made.headers]
        return "\r\n".join(lines).encode("utf-8", "surrogateescape") + b"\r\n\r\n" + made.body

    def _credentials(self, made: Hit) -> list[str]:
        if made.user is None:
            return []
        user = self.users[made.user]
        if made.by_token:
            return [f"Authorization: Bearer {user.token}"]
        return [f"Cookie: oauth2_proxy_kubeflow={user.cookie}; XSRF-TOKEN=t", "X-XSRF-TOKEN: t"]

    async def _sign_in_if_over(self, user: User) -> None:
        """A request may have ended its session; the others of the run need one."""

        def renewed() -> str:
            session = {"Cookie": f"oauth2_proxy_kubeflow={user.cookie}"}
            if requests.get(f"{self.platform.url}/oauth2/userinfo", headers=session, timeout=60).status_code == 200:
                return user.cookie
            return session_of(self.platform, user.person)

        user.cookie = await asyncio.to_thread(renewed)


async def _answer(reader: asyncio.StreamReader) -> tuple[int, bytes]:
    """Status and bytes of an answer; 0 for none. An answer without an end is read for a moment."""
    head = b""
    with suppress(asyncio.IncompleteReadError, ConnectionError):
        head = await reader.readuntil(b"\r\n\r\n")
    if not head:
        return 0, b""
    body = b""
    with suppress(TimeoutError, ConnectionError):
        async with asyncio.timeout(STREAM_SECONDS if b"content-length" not in head.lower() else None):
            while chunk := await reader.read(1 << 16):
                body += chunk
    return int(head.split(b" ")[1]), head + body


def stays_here(url: str, location: str) -> bool:
    if location.startswith(f"{url}/"):
        return True
    return location.startswith("/") and not location.startswith(("//", "/\\"))


def is_for_all(target: str) -> bool:
    return target.startswith(OPEN) or target.partition("?")[0] in OPEN_PATHS


def session_of(platform: Platform, person: Person) -> str:
    return signed_in(platform, person).cookies["oauth2_proxy_kubeflow"]


@contextmanager
def running(home: Path) -> Iterator[tuple[Platform, tuple[User, ...]]]:
    """A platform without a node, and two users who have a namespace each."""
    home.mkdir(exist_ok=True)
    platform = Platform(home, ["--no-node"])
    platform.up()
    try:
        yield platform, make_users(platform)
    finally:
        platform.down()


def watched(platform: Platform) -> Watched:
    """Its logs and processes, which any platform has."""
    return Watched(cast(Any, platform))


def make_users(platform: Platform) -> tuple[User, ...]:
    return tuple(_make(platform, namespace, marker) for namespace, marker in zip(NAMESPACES, MARKERS, strict=True))


def _make(platform: Platform, namespace: str, marker: str) -> User:
    person = a_person(platform, f"{namespace}@example.com")
    owner = {"kind": "User", "name": person.email}
    profile = {"apiVersion": "kubeflow.org/v1", "kind": "Profile", "metadata": {"name": namespace}}
    platform.api.create("/apis/kubeflow.org/v1/profiles", {**profile, "spec": {"owner": owner}})
    binding = f"/apis/rbac.authorization.k8s.io/v1/namespaces/{namespace}/rolebindings/namespaceAdmin"
    eventually(lambda: platform.api.request("GET", binding).status == 200, 60, f"the profile {namespace}")
    token = platform.windlass("user", "token", person.email).stdout.split()[-1]
    _plant(platform, namespace, marker, token)
    return User(person, token, session_of(platform, person))


def _plant(platform: Platform, namespace: str, marker: str, token: str) -> None:
    """Objects whose names nobody else may see."""
    metadata = {"name": marker, "namespace": namespace, "annotations": {"kubeflow-resource-stopped": "x"}}
    notebook = {"template": {"spec": {"containers": [{"name": marker, "image": "x"}]}}}
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Mi"}}}
    for path, kind, more in (
        ("/api/v1", "ConfigMap", {"data": {marker: marker}}),
        ("/api/v1", "Secret", {"stringData": {marker: marker}}),
        ("/api/v1", "PersistentVolumeClaim", {"spec": claim}),
        ("/apis/kubeflow.org/v1", "Notebook", {"spec": notebook}),
        ("/apis/tensorboard.kubeflow.org/v1alpha1", "Tensorboard", {"spec": {"logspath": f"pvc://{marker}"}}),
    ):
        version = path.removeprefix("/apis/").removeprefix("/api/")
        body = {"apiVersion": version, "kind": kind, "metadata": metadata, **more}
        platform.api.create(f"{path}/namespaces/{namespace}/{kind.lower()}s", body)
    for collection in ("experiments", "pipelines"):
        answer = requests.post(
            f"{platform.url}/apis/v2beta1/{collection}",
            data=json.dumps({"display_name": marker, "namespace": namespace}),
            headers={"Authorization": f"Bearer {token}", "Content-Type": "application/json"},
            timeout=60,
        )
        assert answer.status_code == 200, answer.text

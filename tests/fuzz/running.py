"""Sends requests over several connections, and looks at every answer, at the logs and at the processes."""

import asyncio
import io
import json
import time
from collections import Counter, deque
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from tests.fuzz.requests import CONNECTING, KEPT_KINDS, NAMESPACES, OWN_NAMESPACE, Planner, Request, Served
from tests.fuzz.samples import Schemas, written
from tests.fuzz.watched import Finding, Watched

CONNECTIONS = 12
KEPT = 400
"""Requests that are remembered, for those on the same object to be shown with a finding."""
LOOK_EVERY = 2.0  # seconds between looks at logs and processes
ANSWER_WITHIN = 60.0  # seconds
CLEAN_EVERY = 4000
"""Requests after which the namespaces and what has no namespace is removed, so that nothing grows without bound."""
IGNORED_KINDS = frozenset(("componentstatuses", "events"))


@dataclass
class Run:
    """`requests` of them, or as many as there is time for."""

    watched: Watched
    seed: int
    requests: int
    seconds: float = 1e9
    only: int | None = None
    """Send request number `only` alone: the replay of a finding."""
    keep_going: bool = False
    findings: list[str] = field(default_factory=list[str])
    sent: int = 0
    codes: Counter[int] = field(default_factory=Counter[int])
    _recent: deque[tuple[int, Request, int]] = field(default_factory=lambda: deque(maxlen=KEPT))
    _session: aiohttp.ClientSession = field(init=False)
    _planner: Planner = field(init=False)
    _tokens: tuple[str, str] = field(init=False)

    async def run(self) -> None:
        """Raises Finding at the first thing that must not happen, or with `keep_going` notes all `findings`."""
        socket = str(self.watched.platform.data_dir / "run" / "api.sock")
        connector = aiohttp.UnixConnector(socket, limit=CONNECTIONS + 2)
        async with aiohttp.ClientSession("http://localhost", connector=connector) as self._session:
            await self._prepare()
            self._ends_at = time.monotonic() + self.seconds
            numbers = iter([self.only] if self.only is not None else range(self.requests))
            try:
                async with asyncio.TaskGroup() as tasks:
                    looking = tasks.create_task(self._look())
                    senders = [tasks.create_task(self._send_all(numbers)) for _ in range(CONNECTIONS)]
                    await asyncio.gather(*senders)
                    looking.cancel()
            except* Finding as found:
                raise Finding(str(found.exceptions[0])) from None
            await self._look_once()
            await self._clean()
        await asyncio.to_thread(self.watched.assert_at_work)
        await self._look_once()

    async def _prepare(self) -> None:
        token = self.watched.platform.token
        self._tokens = (token, token)
        for namespace in NAMESPACES:
            await self._ask(Request("POST", "/api/v1/namespaces", {"metadata": {"name": namespace}}))
        self._tokens = (token, await self._user())
        served = await self._discovered()
        schemas: dict[str, Schemas] = {}
        for api_version in {each.api_version for each in served}:
            place = f"apis/{api_version}" if "/" in api_version else f"api/{api_version}"
            schemas[api_version] = Schemas(json.loads((await self._ask(Request("GET", f"/openapi/v3/{place}")))[1]))
        self._planner = Planner(self.seed, served, written(), schemas)

    async def _user(self) -> str:
        """A service account that may do everything in one namespace, and nothing elsewhere."""
        where = f"/api/v1/namespaces/{OWN_NAMESPACE}/serviceaccounts"
        await self._ask(Request("POST", where, {"metadata": {"name": "fuzz"}}))
        rbac = "rbac.authorization.k8s.io"
        subject = {"kind": "ServiceAccount", "name": "fuzz", "namespace": OWN_NAMESPACE}
        binding = {
            "metadata": {"name": "fuzz"},
            "roleRef": {"apiGroup": rbac, "kind": "ClusterRole", "name": "admin"},
            "subjects": [subject],
        }
        await self._ask(Request("POST", f"/apis/{rbac}/v1/namespaces/{OWN_NAMESPACE}/rolebindings", binding))
        _, body = await self._ask(Request("POST", f"{where}/fuzz/token", {"spec": {"expirationSeconds": 86400}}))
        return str(json.loads(body)["status"]["token"])

    async def _discovered(self) -> list[Served]:
        groups = json.loads((await self._ask(Request("GET", "/apis")))[1])["groups"]
        roots = ["/api/v1", *(f"/apis/{version['groupVersion']}" for group in groups for version in group["versions"])]
        found: list[Served] = []
        for root in roots:
            status, body = await self._ask(Request("GET", root))
            listed = json.loads(body).get("resources", ()) if status == 200 else ()
            for each in listed:
                if "/" not in each["name"] and each["name"] not in IGNORED_KINDS:
                    under = [r["name"].partition("/")[2] for r in listed if r["name"].startswith(f"{each['name']}/")]
                    version = root.removeprefix("/apis/").removeprefix("/api/")
                    kind = Served(version, each["kind"], each["name"], each["namespaced"], frozenset(each["verbs"]))
                    found.append(Served(**{**kind.__dict__, "subresources": tuple(under)}))
        return found

    async def _look(self) -> None:
        while True:
            await asyncio.sleep(LOOK_EVERY)
            await self._look_once()

    async def _look_once(self) -> None:
        for found in await asyncio.to_thread(self.watched.look):
            if self.keep_going:
                self.findings.append(str(found))
                continue
            recent = "\n\n".join(f"request {n} ({code}): {r.words()[:1500]}" for n, r, code in self._recent)
            raise Finding(f"{found}\n\nThe last requests of seed {self.seed} were:\n{recent}")

    async def _send_all(self, numbers: Any) -> None:
        for number in numbers:
            if time.monotonic() > self._ends_at:
                return
            request = await self._planner.request(number, self._current)
            try:
                await self._send(number, request)
            except Finding as found:
                if not self.keep_going:
                    raise
                self.findings.append(str(found))
            self.sent += 1
            if self.sent % CLEAN_EVERY == 0:
                await self._clean()

    async def _send(self, number: int, request: Request) -> None:
        try:
            status, body = await self._ask(request)
        except TimeoutError:
            raise self._finding(number, request, f"no answer within {ANSWER_WITHIN} s") from None
        except aiohttp.ClientError as error:
            raise self._finding(number, request, f"the connection broke: {error!r}") from None
        self.codes[status] += 1
        self._recent.append((number, request, status))
        connecting = any(f"/{word}" in request.path for word in CONNECTING)
        if status >= 500 and not (connecting and status in (502, 503, 504)):
            raise self._finding(number, request, f"answered {status}: {body[:2000].decode(errors='replace')}")
        if b"Traceback" in body:
            raise self._finding(number, request, f"the answer has a traceback: {body[:2000]!r}")

    def _finding(self, number: int, request: Request, what: str) -> Finding:
        """With what was asked of the same object before, since that may be why."""
        place = request.path.partition("?")[0]
        before = [f"request {n} ({code}): {r.words()[:3000]}" for n, r, code in self._recent if place in r.path][-5:]
        earlier = "\n\n".join(before)
        return Finding(
            f"request {number} of seed {self.seed} (FUZZ_SEED={self.seed} FUZZ_ONLY={number} make fuzz): {what}\n"
            f"{request.words()}\n\nBefore, on the same object:\n{earlier}"
        )

    async def _current(self, path: str) -> Any:
        status, body = await self._ask(Request("GET", path))
        return json.loads(body) if status == 200 else None

    async def _ask(self, request: Request) -> tuple[int, bytes]:
        headers = {"Authorization": f"Bearer {self._tokens[request.as_user]}", "Accept": request.accept}
        body = request.encoded()
        if body is not None:
            headers["Content-Type"] = request.content_type
        if request.encoding:
            headers["Content-Encoding"] = request.encoding
        async with (
            asyncio.timeout(ANSWER_WITHIN),
            self._session.request(
                request.method, request.path, data=None if body is None else io.BytesIO(body), headers=headers
            ) as answer,
        ):
            return answer.status, await answer.read()

    async def _clean(self) -> None:
        """Remove what was made: everything in the namespaces, and what has a name of the fuzzer's elsewhere."""
        for kind in self._planner.served:
            if "delete" not in kind.verbs:
                continue
            if kind.namespaced and "deletecollection" in kind.verbs and kind.plural not in KEPT_KINDS:
                for namespace in NAMESPACES:
                    await self._ask(Request("DELETE", f"{kind.path(namespace)}?gracePeriodSeconds=0"))
            elif not kind.namespaced:
                await self._clean_cluster(kind)

    async def _clean_cluster(self, kind: Served) -> None:
        status, body = await self._ask(Request("GET", kind.path("")))
        items = json.loads(body).get("items", ()) if status == 200 else ()
        for item in items:
            name = item["metadata"]["name"]
            if (name.startswith("fz-") and name not in NAMESPACES) or name.endswith(".example.com"):
                if item["metadata"].get("finalizers"):
                    no_finalizers = {"metadata": {"finalizers": None}}
                    merge = "application/merge-patch+json"
                    await self._ask(Request("PATCH", kind.path("", name), no_finalizers, merge))
                await self._ask(Request("DELETE", kind.path("", name)))

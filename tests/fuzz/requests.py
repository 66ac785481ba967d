"""What is asked: request number `n` of a seed is always the same, but for what it takes from an object's state."""

import json
import random
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from tests.fuzz.mutations import ODD_VALUES, json_patch, merge_patch, mutated, with_odd_metadata
from tests.fuzz.oversized import oversized
from tests.fuzz.samples import QUANTITIES, Schemas, quiet

NAMESPACES = ["fz-a", "fz-b"]
OWN_NAMESPACE = "fz-a"
"""The one in which the user of one namespace has rights."""
NAMES = [f"fz-{number}" for number in range(4)]
PATCHES = {
    "json": "application/json-patch+json",
    "merge": "application/merge-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "apply": "application/apply-patch+yaml",
}
DRY = frozenset(
    (
        "validatingwebhookconfigurations", "mutatingwebhookconfigurations", "validatingadmissionpolicybindings",
        "mutatingadmissionpolicybindings", "apiservices",
    )
)  # fmt: skip
"""Kinds whose objects would decide about all later requests: they are never stored."""
KEPT_KINDS = frozenset(("serviceaccounts", "rolebindings"))
"""What the user of one namespace needs is among them: they are deleted one by one only."""
VERBS = {
    "create": 30, "get": 6, "list": 6, "watch": 0.2, "update": 10, "patch": 20, "apply": 10, "delete": 8,
    "deletecollection": 0.5, "subresource": 6, "send": 8,
}  # fmt: skip
"""How often each is asked."""
CONNECTING = ("exec", "attach", "portforward", "proxy", "log")
QUERIES = [
    "limit=1", "limit=-1", "limit=99999999999999999999", "continue=abc", "resourceVersion=0", "resourceVersion=1",
    "resourceVersion=abc", "resourceVersion=0&resourceVersionMatch=Exact", "labelSelector=a%3Db",
    "labelSelector=a in (", "labelSelector=!a,b notin (c)", "fieldSelector=metadata.name%3Dfz-0", "pretty=true",
    "fieldSelector=spec.nope%3D1",
    "dryRun=All", "dryRun=Some", "fieldValidation=Strict", "fieldValidation=Ignore", "fieldManager=%00",
    "gracePeriodSeconds=0", "gracePeriodSeconds=-5", "propagationPolicy=Foreground", "propagationPolicy=Orphan",
    "propagationPolicy=Sideways", "orphanDependents=true", "force=true&fieldManager=fuzz", "includeObject=Object",
]  # fmt: skip
ACCEPTS = [
    "application/json", "application/yaml", "application/json;as=Table;g=meta.k8s.io;v=v1", "*/*", "text/plain",
    "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1", "application/vnd.kubernetes.protobuf",
    "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1", ";;",
]  # fmt: skip


@dataclass(frozen=True)
class Served:
    """One resource of the server's discovery."""

    api_version: str
    kind: str
    plural: str
    namespaced: bool
    verbs: frozenset[str]
    subresources: tuple[str, ...] = ()

    def path(self, namespace: str, name: str = "", subresource: str = "") -> str:
        root = f"/apis/{self.api_version}" if "/" in self.api_version else f"/api/{self.api_version}"
        parts = [root, *(("namespaces", namespace) if self.namespaced and namespace else ()), self.plural]
        return "/".join([*parts, *filter(None, (name, subresource))])


@dataclass
class Request:
    method: str
    path: str
    body: Any = None
    content_type: str = "application/json"
    accept: str = "application/json"
    encoding: str = ""
    """The header Content-Encoding, if not empty."""

    as_user: bool = False
    """Of one namespace, not the administrator."""

    def words(self) -> str:
        """The request as it can be repeated by hand."""
        user = " (as the user of one namespace)" if self.as_user else ""
        body = self.encoded()
        encoding = f"content-encoding: {self.encoding}\n" if self.encoding else ""
        shown = (body or b"")[:20000].decode(errors="replace")
        return f"{self.method} {self.path}{user}\ncontent-type: {self.content_type}\n{encoding}{shown}"

    def encoded(self) -> bytes | None:
        return self.body if self.body is None or isinstance(self.body, bytes) else json.dumps(self.body).encode()


Get = Callable[[str], Awaitable[Any]]
"""The object at a path, or None."""


@dataclass
class Planner:
    """Makes request number `n` of a seed."""

    seed: int
    served: list[Served]
    written: dict[tuple[str, str], list[dict[str, Any]]]
    schemas: dict[str, Schemas]

    async def request(self, number: int, get: Get) -> Request:
        dice = random.Random(f"{self.seed}/{number}")
        kind = self._kind(dice)
        namespace, name = dice.choice(NAMESPACES), dice.choice(NAMES)
        verb = dice.choices(list(VERBS), list(VERBS.values()))[0]
        made = await getattr(self, f"_{verb}")(dice, kind, namespace, name, get)
        made.as_user = dice.random() < 0.2
        return self._finished(dice, kind, made)

    def _kind(self, dice: random.Random) -> Served:
        """Kinds with a written manifest, and those that pods come of, are asked for more often."""
        if dice.random() < 0.4:
            known = [each for each in self.served if (each.api_version, each.kind) in self.written]
            return dice.choice(known)
        return dice.choice(self.served)

    def _finished(self, dice: random.Random, kind: Served, made: Request) -> Request:
        queries = [dice.choice(QUERIES)] if dice.random() < 0.15 else []
        if kind.plural in DRY and made.method in ("POST", "PUT", "PATCH"):
            queries = ["dryRun=All"]
        if made.content_type == PATCHES["apply"]:
            queries.append(f"fieldManager={dice.choice(['fuzz', 'other'])}&force={dice.choice(['true', 'false'])}")
        if queries:
            made.path += ("&" if "?" in made.path else "?") + "&".join(queries).replace(" ", "%20")
        if dice.random() < 0.1:
            made.accept = dice.choice(ACCEPTS)
        return made

    def _body(self, dice: random.Random, kind: Served, namespace: str, name: str) -> dict[str, Any]:
        manifests = self.written.get((kind.api_version, kind.kind), ())
        if manifests and dice.random() < 0.8:
            body = mutated(dice, json.loads(json.dumps(dice.choice(manifests))), dice.choice([0, 0.01, 0.03, 0.1]))
        else:
            schemas = self.schemas.get(kind.api_version)
            body = schemas.sample(dice, kind.api_version, kind.kind) if schemas is not None else {}
            body = mutated(dice, body, dice.choice([0, 0.02]))
        if not isinstance(body, dict):
            return {}
        quiet(body)
        given = body.get("metadata")
        metadata: dict[str, Any] = given if isinstance(given, dict) else {}
        body |= {"apiVersion": kind.api_version, "kind": kind.kind}
        body["metadata"] = {**metadata, "name": name}
        body["metadata"].pop("namespace", None)
        if kind.namespaced:
            body["metadata"]["namespace"] = namespace
        if dice.random() < 0.1:
            with_odd_metadata(dice, body)
        self._keep_apart(kind, body, name)
        return body

    @staticmethod
    def _keep_apart(kind: Served, body: dict[str, Any], name: str) -> None:
        """Definitions get a group of their own, so that they replace no kind that is there."""
        if kind.plural == "customresourcedefinitions" and isinstance(body.get("spec"), dict):
            body["spec"]["group"] = f"{name}.example.com"
            names = body["spec"].get("names")
            plural = names.get("plural") if isinstance(names, dict) else "x"
            body["metadata"]["name"] = f"{plural}.{name}.example.com"

    async def _create(self, dice: random.Random, kind: Served, namespace: str, name: str, get: Get) -> Request:
        body = self._body(dice, kind, namespace, name)
        return Request("POST", kind.path(namespace), body if dice.random() < 0.99 else dice.choice(ODD_VALUES))

    async def _get(self, dice: random.Random, kind: Served, namespace: str, name: str, get: Get) -> Request:
        return Request("GET", kind.path(namespace, name), accept=dice.choice(ACCEPTS))

    async def _list(self, dice: random.Random, kind: Served, namespace: str, name: str, get: Get) -> Request:
        where = namespace if dice.random() < 0.8 else ""
        return Request("GET", kind.path(where) + "?" + dice.choice(QUERIES), accept=dice.choice(ACCEPTS))

    async def _watch(self, dice: random.Random, kind: Served, namespace: str, name: str, get: Get) -> Request:
        asked = dice.choice(["", "&sendInitialEvents=true&resourceVersionMatch=NotOlderThan", "&resourceVersion=1"])
        return Request("GET", f"{kind.path(namespace)}?watch=true&timeoutSeconds=1&allowWatchBookmarks=true{asked}")

    async def _update(self, dice: random.Random, kind: Served, namespace: str, name: str, get: Get) -> Request:
        path = kind.path(namespace, name)
        current = await get(path)
        if current is None or dice.random() < 0.2:
            return Request("PUT", path, self._body(dice, kind, namespace, name))
        changed = mutated(dice, current, dice.choice([0.005, 0.02]))
        if isinstance(changed, dict):
            quiet(changed)
            changed["metadata"] = {**current["metadata"], **self._odd_metadata(dice)}
        return Request("PUT", path, changed)

    @staticmethod
    def _odd_metadata(dice: random.Random) -> dict[str, Any]:
        return {dice.choice(["labels", "annotations"]): dice.choice([{"a": None}, {"a": "b"}, None, {}, [], {"a": 1}])}

    async def _patch(self, dice: random.Random, kind: Served, namespace: str, name: str, get: Get) -> Request:
        path, form = kind.path(namespace, name), dice.choice(["json", "merge", "strategic"])
        current = await get(path) or self._body(dice, kind, namespace, name)
        patch = json_patch(dice, current) if form == "json" else merge_patch(dice, current)
        quiet(patch)
        return Request("PATCH", path, patch, PATCHES[form if dice.random() < 0.97 else "json"])

    async def _apply(self, dice: random.Random, kind: Served, namespace: str, name: str, get: Get) -> Request:
        body = self._body(dice, kind, namespace, name)
        return Request(
            "PATCH", kind.path(namespace, body.get("metadata", {}).get("name", name)), body, PATCHES["apply"]
        )

    async def _send(self, dice: random.Random, kind: Served, namespace: str, name: str, get: Get) -> Request:
        """A body that is large, deep or slow to read."""
        content_type, encoding, body = oversized(dice)
        method, place = dice.choice([("POST", ""), ("PUT", name), ("DELETE", name)])
        if "patch" in content_type:
            method, place = "PATCH", name
        return Request(method, kind.path(namespace, place), body, content_type, encoding=encoding)

    async def _delete(self, dice: random.Random, kind: Served, namespace: str, name: str, get: Get) -> Request:
        options = {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Background"}
        body = dice.choice([None, None, options, mutated(dice, options, 0.3), {"gracePeriodSeconds": 0}])
        return Request("DELETE", kind.path(namespace, name), body)

    async def _deletecollection(
        self, dice: random.Random, kind: Served, namespace: str, name: str, get: Get
    ) -> Request:
        if not kind.namespaced or kind.plural in KEPT_KINDS:  # what the platform and the user need is among them
            return Request("DELETE", kind.path("", name))
        return Request("DELETE", f"{kind.path(namespace)}?labelSelector={dice.choice(['a', 'app', '!a', ''])}")

    async def _subresource(self, dice: random.Random, kind: Served, namespace: str, name: str, get: Get) -> Request:
        found = [each for each in kind.subresources if each.partition("/")[0] not in CONNECTING]
        if not found:
            return Request("GET", kind.path(namespace, name, dice.choice(["status", "scale", "nope"])))
        subresource, path = dice.choice(found), ""
        path = kind.path(namespace, name, subresource)
        current = await get(path if subresource in ("status", "scale") else kind.path(namespace, name)) or {}
        if subresource in ("status", "scale") and isinstance(current, dict) and dice.random() < 0.7:
            status = self._body(dice, kind, namespace, name).get("status") or {"replicas": dice.choice(QUANTITIES)}
            form = dice.choice(["merge", "strategic", "json"])
            body = json_patch(dice, current) if form == "json" else {"status": mutated(dice, status, 0.05)}
            return Request("PATCH", path, body, PATCHES[form])
        return Request(dice.choice(["POST", "PUT", "GET", "PATCH"]), path, mutated(dice, current, 0.05))

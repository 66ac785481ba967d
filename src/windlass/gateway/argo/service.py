"""Answers requests of Argo's clients: each is one or two requests to the API server, with the rights of the user."""

import re
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from aiohttp import web

from windlass import __version__
from windlass.apis.argoproj_v1alpha1 import (
    GROUP_VERSION,
    ClusterWorkflowTemplate,
    CronWorkflow,
    Workflow,
    WorkflowTemplate,
)
from windlass.apis.core_v1 import Pod
from windlass.apis.pipelines.names import WORKFLOW_LABEL
from windlass.gateway.argo import answers
from windlass.gateway.argo.changes import VERBS, resubmitted, submitted
from windlass.gateway.context import GatewayContext
from windlass.gateway.k8s.routes import follow, read_body
from windlass.gateway.request import IDENTITY
from windlass.kube.errors import ApiError, BadRequest, Conflict, NotFound
from windlass.kube.json import Object, decode, dig, dig_object, is_object
from windlass.kube.kind import KINDS, Kind
from windlass.kube.meta import Key
from windlass.kube.transport import Request
from windlass.kube.view import untyped

WORKFLOW = KINDS.of(Workflow)
MAX_ATTEMPTS = 10
"""Of a change to a Workflow that its controller changes too."""
EVENT_STREAM = "text/event-stream"
MAIN = "main"
NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")
LIST_OPTIONS = ("labelSelector", "fieldSelector", "limit", "continue", "resourceVersion")


@dataclass(frozen=True)
class Collection:
    """A kind, and the field of a request's body that has the object."""

    kind: Kind
    field: str


COLLECTIONS: Mapping[str, Collection] = {
    "workflows": Collection(WORKFLOW, "workflow"),
    "workflow-templates": Collection(KINDS.of(WorkflowTemplate), "template"),
    "cluster-workflow-templates": Collection(KINDS.of(ClusterWorkflowTemplate), "template"),
    "cron-workflows": Collection(KINDS.of(CronWorkflow), "cronWorkflow"),
}
SOURCES = {each.kind.name.lower(): each.kind for each in COLLECTIONS.values() if each.kind is not WORKFLOW}
"""Kinds that a Workflow can be submitted from; clients write them in any case."""


def checked_name(name: str) -> str:
    """A name that may be part of a path. Raises BadRequest."""
    if not NAME.fullmatch(name):
        raise BadRequest(f"{name!r} is not the name of an object")
    return name


class ArgoCall:
    """One request. Its methods raise ApiError."""

    def __init__(self, context: GatewayContext, request: web.Request) -> None:
        self._context, self._request, self._identity = context, request, request[IDENTITY]
        self._client = context.client_of(self._identity)
        self._place = request.match_info
        segment = request.path.partition("/api/v1/")[2].partition("/")[0]
        self._of = COLLECTIONS.get(segment, COLLECTIONS["workflows"])

    # --- about the server

    async def info(self) -> Object:
        return answers.info()

    async def version(self) -> Object:
        return answers.version(__version__)

    async def user_info(self) -> Object:
        return answers.user_info(self._identity)

    # --- objects

    @property
    def _namespace(self) -> str:
        given = self._place.get("namespace", "")
        return checked_name(given) if given else ""

    @property
    def _key(self) -> Key:
        if self._of.kind.namespaced and not self._namespace:
            raise BadRequest("a namespace is required")
        return Key(self._namespace, checked_name(self._place["name"]))

    async def list_all(self) -> Object:
        given = {name: self._request.query.get(f"listOptions.{name}", "") for name in LIST_OPTIONS}
        query = {name: value for name, value in given.items() if value}
        path = self._of.kind.path(self._namespace if self._of.kind.namespaced else "")
        found = decode((await self._client.send(Request("GET", path, query))).body)
        return {**found, "items": found.get("items") or []} if is_object(found) else {}

    async def create(self) -> Object:
        body = await self._body()
        is_dry = bool(body.get("serverDryRun") or dig(body, "createOptions", "dryRun"))
        return await self._client.create(self._object(body), kind=self._of.kind, dry_run=is_dry)

    async def lint(self) -> Object:
        """Check an object by all rules of the server, without creating it."""
        made = self._object(await self._body())
        if not dig(made, "metadata", "name") and not dig(made, "metadata", "generateName"):
            made = {**made, "metadata": {**made["metadata"], "generateName": "lint-"}}
        return await self._client.create(made, kind=self._of.kind, dry_run=True)

    async def get(self) -> Object:
        return await self._client.get(untyped(self._of.kind), self._key.name, self._key.namespace)

    async def update(self) -> Object:
        made = self._object(await self._body())
        present = await self.get()
        metadata = {**made["metadata"], "name": self._key.name}
        metadata.setdefault("resourceVersion", dig(present, "metadata", "resourceVersion"))
        return await self._client.update({**made, "metadata": metadata}, kind=self._of.kind)

    async def delete(self) -> Object:
        await self._client.delete(self._of.kind, self._key, propagation="Background")
        return {}

    async def _body(self) -> Object:
        raw = await read_body(self._request)
        try:
            found: Any = decode(raw) if raw else Object()
        except ValueError as error:
            raise BadRequest(f"the body is not JSON: {error}") from None
        if not is_object(found):
            raise BadRequest("the body must be a JSON object")
        return found

    def _object(self, body: Object) -> Object:
        """The object of a request, of the kind and in the namespace that the path says."""
        found = body.get(self._of.field)
        if not is_object(found):
            raise BadRequest(f"{self._of.field} is required")
        metadata = dig_object(found, "metadata")
        if self._of.kind.namespaced:
            given = metadata.get("namespace")
            if given and self._namespace and given != self._namespace:
                raise BadRequest(f"the namespace of the object, {given!r}, is not {self._namespace!r}")
            metadata = {**metadata, "namespace": given or self._namespace}
        return {**found, "apiVersion": GROUP_VERSION, "kind": self._of.kind.name, "metadata": metadata}

    # --- verbs

    async def change(self) -> Object:
        make = VERBS.get(self._place["verb"])
        if make is None:
            raise NotFound(f"{self._place['verb']!r} is none of {', '.join(sorted(VERBS))}, resubmit")
        body = await self._body()
        for _ in range(MAX_ATTEMPTS):
            workflow = await self.get()
            patch = make(workflow, body)
            version = dig(workflow, "metadata", "resourceVersion")
            metadata = {**dig_object(patch, "metadata"), "resourceVersion": version}
            with suppress(Conflict):  # its controller was quicker: decide again
                return await self._client.patch(WORKFLOW, self._key, {**patch, "metadata": metadata})
        raise Conflict(f"the Workflow {self._key.name} changes too often; try again")

    async def change_cron(self) -> Object:
        verb = self._place["verb"]
        if verb not in ("suspend", "resume"):
            raise NotFound(f"{verb!r} is none of suspend, resume")
        return await self._client.patch(self._of.kind, self._key, {"spec": {"suspend": verb == "suspend"}})

    async def resubmit(self) -> Object:
        body = await self._body()
        return await self._client.create(resubmitted(await self.get(), body), kind=WORKFLOW)

    async def submit(self) -> Object:
        body = await self._body()
        kind = SOURCES.get(str(body.get("resourceKind")).lower())
        if kind is None:
            names = ", ".join(source.name for source in SOURCES.values())
            raise BadRequest(f"resourceKind: {body.get('resourceKind')!r} is none of {names}")
        name = checked_name(str(body.get("resourceName") or ""))
        source = await self._client.get(untyped(kind), name, self._namespace if kind.namespaced else "")
        options = dig_object(body, "submitOptions")
        made = submitted(kind.name, source, options, self._namespace)
        is_dry = bool(options.get("dryRun") or options.get("serverDryRun"))
        return await self._client.create(made, kind=WORKFLOW, dry_run=is_dry)

    # --- streams

    async def log(self) -> web.StreamResponse:
        """Lines of the logs of a Workflow's pods, one pod after the other."""
        query = self._request.query
        wanted = self._place.get("pod") or query.get("podName", "")
        labels = f"{WORKFLOW_LABEL}={self._key.name}"
        pods = (await self._client.list(untyped(KINDS.of(Pod)), self._namespace, labels=labels)).items
        names = sorted(str(dig(pod, "metadata", "name")) for pod in pods)
        if wanted and wanted not in names:
            raise NotFound(f"the Workflow {self._key.name} has no pod {wanted!r}")
        return await self._sent(self._log_lines([wanted] if wanted else names))

    async def _log_lines(self, pods: Iterable[str]) -> AsyncIterator[Object]:
        query = self._request.query
        tail = query.get("logOptions.tailLines", "")
        for name in pods:
            lines = self._client.logs(
                Key(self._namespace, name),
                container=query.get("logOptions.container") or MAIN,
                follow=query.get("logOptions.follow", "").lower() == "true",
                tail=int(tail) if tail.isdecimal() else None,
            )
            async for line in lines:
                yield {"content": line.decode(errors="replace"), "podName": name}

    async def watch(self) -> web.StreamResponse:
        """Changes of Workflows, as they happen."""
        labels = self._request.query.get("listOptions.labelSelector", "")
        # What is forbidden or malformed is answered as such, before the stream begins.
        query = {"limit": "1", **({"labelSelector": labels} if labels else {})}
        await self._client.send(Request("GET", WORKFLOW.path(self._namespace), query))
        return await self._sent(self._changes(labels))

    async def _changes(self, labels: str) -> AsyncIterator[Object]:
        version = self._request.query.get("listOptions.resourceVersion", "")
        changes = self._client.watch(untyped(WORKFLOW), self._namespace, labels=labels, resource_version=version)
        async for change in changes:
            if change.object is not None:
                yield {"type": change.type, "object": change.object}

    async def _sent(self, results: AsyncIterator[Object]) -> web.StreamResponse:
        """Send the results as they come. An error in between is the last of them."""
        is_event = EVENT_STREAM in self._request.headers.get("Accept", "")
        kind = EVENT_STREAM if is_event else "application/json"
        response = web.StreamResponse(headers={"Content-Type": kind, "Cache-Control": "no-store"})
        await response.prepare(self._request)

        async def send() -> web.StreamResponse:
            try:
                async for result in results:
                    await response.write(answers.stream_line({"result": result}, is_event=is_event))
            except ApiError as error:
                await response.write(answers.stream_line({"error": answers.failure(error)}, is_event=is_event))
            await response.write_eof()
            return response

        return await follow(self._context, self._request, response, send())

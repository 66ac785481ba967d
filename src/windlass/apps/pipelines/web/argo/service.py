"""Answers requests of Argo's clients: each is one or two requests to the API server, with the rights of the user."""

import re
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from aiohttp import web

from windlass import __version__
from windlass.apis.core_v1 import Pod
from windlass.apis.wellknown import PIPELINES_GROUP
from windlass.apps.pipelines.kinds.argo import (
    GROUP_VERSION,
    ClusterWorkflowTemplate,
    CronWorkflow,
    Workflow,
    WorkflowTemplate,
)
from windlass.apps.pipelines.names import WORKFLOW_LABEL
from windlass.apps.pipelines.web.argo import answers
from windlass.apps.pipelines.web.argo.changes import VERBS, resubmitted, submitted, text_field
from windlass.apps.pipelines.web.argo.kept_logs import KeptLogs, joined
from windlass.apps.pipelines.web.argo.log_options import LogOptions, checked_selector, log_options
from windlass.apps.pipelines.web.service import PipelinesService
from windlass.gateway.context import GatewayContext
from windlass.gateway.k8s.routes import follow, read_body
from windlass.gateway.request import IDENTITY
from windlass.kube.errors import ApiError, BadRequest, Conflict, Forbidden, NotFound
from windlass.kube.json import Object, decode, dig, dig_object, is_object, parse
from windlass.kube.kind import KINDS, Kind
from windlass.kube.meta import Key
from windlass.kube.selector import parse_fields, parse_labels
from windlass.kube.transport import Request
from windlass.kube.view import untyped

WORKFLOW = KINDS.of(Workflow)
MAX_ATTEMPTS = 10
"""Of a change to a Workflow that its controller changes too."""
EVENT_STREAM = "text/event-stream"
CONTENT_HEADERS = {
    "Content-Type": "application/octet-stream",
    "Content-Security-Policy": "default-src 'none'; sandbox",
    "Content-Disposition": "attachment",
    "X-Content-Type-Options": "nosniff",
    "Cache-Control": "no-store",
}
ENDED = ("Succeeded", "Failed", "Error")
NAME = re.compile(r"[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?")
LIST_OPTIONS = ("limit", "continue", "resourceVersion")
SELECTORS: Mapping[str, Callable[[str], object]] = {"labelSelector": parse_labels, "fieldSelector": parse_fields}


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


def checked_name(name: str, where: str = "") -> str:
    """A name that may be part of a path. Raises BadRequest; `where` is the beginning of its message."""
    if not NAME.fullmatch(name):
        raise BadRequest(f"{where}{name!r} is not the name of an object")
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
        query = {name: value for name, value in (given | self._selectors()).items() if value}
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
        name = dig(made, "metadata", "name")
        if name and name != self._key.name:
            raise BadRequest(f"metadata.name: {name!r} is not {self._key.name!r}")
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
            found: Any = parse(raw) if raw else Object()
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
        metadata = found.get("metadata")
        if metadata is not None and not is_object(metadata):
            raise BadRequest(f"{self._of.field}.metadata: must be an object")
        metadata = metadata or {}
        if self._of.kind.namespaced:
            given = metadata.get("namespace")
            if given and self._namespace and given != self._namespace:
                raise BadRequest(f"{self._of.field}.metadata.namespace: {given!r} is not {self._namespace!r}")
            namespace = given or self._namespace
            if not isinstance(namespace, str) or not namespace:
                raise BadRequest(f"{self._of.field}.metadata.namespace: Required value")
            metadata = {**metadata, "namespace": checked_name(namespace)}
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
        if not self._namespace:
            raise BadRequest("a namespace is required")
        name = checked_name(text_field(body, "resourceName"), "resourceName: ")
        source = await self._client.get(untyped(kind), name, self._namespace if kind.namespaced else "")
        options = dig_object(body, "submitOptions")
        made = submitted(kind.name, source, options, self._namespace)
        is_dry = bool(options.get("dryRun") or options.get("serverDryRun"))
        return await self._client.create(made, kind=WORKFLOW, dry_run=is_dry)

    # --- artifacts

    async def artifact(self) -> web.StreamResponse:
        """The content of an artifact, for those who may read artifacts of runs in the namespace."""
        from windlass.apps.pipelines.web.argo.artifact_content import artifact_of, content_of
        from windlass.apps.pipelines.web.caller import GatewayCaller

        workflow, namespace = await self.get(), self._namespace
        if not await GatewayCaller(self._context, self._identity).allows(
            "readArtifact", PIPELINES_GROUP, "runs", namespace
        ):
            raise Forbidden(
                f"User {self._identity.user!r} may not readArtifact runs.{PIPELINES_GROUP} in {namespace!r}"
            )
        side = self._place.get("side") or ("inputs" if "/input-artifacts/" in self._request.path else "outputs")
        found = artifact_of(workflow, self._place["node"], side, self._place["artifact"])
        content = await content_of(self._context.service(PipelinesService).artifacts, namespace, found, self._client)
        return web.Response(body=content, headers=CONTENT_HEADERS)

    # --- streams

    async def log(self) -> web.StreamResponse:
        """Lines of the logs of a Workflow's pods, one pod after the other."""
        options = log_options(self._request.query, self._place.get("pod", ""), datetime.now(UTC))
        workflow = await self.get()
        kept = KeptLogs(self._context, self._identity, workflow)
        pods = await self._pods(options)
        gone = [] if options.selector else [name for name in await kept.pods() if name not in pods]
        if options.pod and options.pod not in [*pods, *gone]:
            raise NotFound(f"the Workflow {self._key.name} has no pod {options.pod!r}")
        lines = self._log_lines(workflow, pods, options)
        return await self._sent(joined(kept.lines(gone, options), lines) if gone else lines)

    async def _pods(self, options: LogOptions) -> list[str]:
        """Names of the Workflow's pods, in their order."""
        labels = ",".join(part for part in (f"{WORKFLOW_LABEL}={self._key.name}", options.selector) if part)
        pods = (await self._client.list(untyped(KINDS.of(Pod)), self._namespace, labels=labels)).items
        return sorted(str(dig(pod, "metadata", "name")) for pod in pods)

    async def _log_lines(self, workflow: Object, pods: list[str], options: LogOptions) -> AsyncIterator[Object]:
        """Lines of pods; those that are followed include pods that start later, until the Workflow is over."""
        read: set[str] = set()
        while True:
            for name in [name for name in pods if name not in read and options.pod in ("", name)]:
                with suppress(*(() if options.pod and not options.is_followed else (BadRequest, NotFound))):
                    async for line in self._lines_of(name, options):  # BadRequest: its container has not started
                        yield line
                    read.add(name)
            is_over = dig(workflow, "status", "phase") in ENDED or options.pod in read
            if not options.is_followed or is_over:
                return
            following = await self._next_version(workflow)
            if following is None:
                return
            workflow, pods = following, await self._pods(options)

    async def _lines_of(self, pod: str, options: LogOptions) -> AsyncIterator[Object]:
        lines = self._client.logs(
            Key(self._namespace, pod),
            container=options.container,
            follow=options.is_followed,
            tail=options.tail,
            timestamps=options.has_timestamps,
            since=options.since,
        )
        async for line in lines:
            content = line.decode(errors="replace")
            if options.has(content):
                yield {"content": content, "podName": pod}

    async def _next_version(self, workflow: Object) -> Object | None:
        """The Workflow once it has changed; None if it was deleted, or did not change for a while."""
        version = str(dig(workflow, "metadata", "resourceVersion") or "")
        fields = f"metadata.name={self._key.name}"
        changes = self._client.watch(untyped(WORKFLOW), self._namespace, resource_version=version, fields=fields)
        async for change in changes:
            if change.object is not None:
                return change.object if change.type != "DELETED" else None
        return None

    async def watch(self) -> web.StreamResponse:
        """Changes of Workflows, as they happen."""
        given = {"limit": "1", **self._selectors()}
        query = {name: value for name, value in given.items() if value}
        # What is forbidden is answered as such, before the stream begins.
        await self._client.send(Request("GET", WORKFLOW.path(self._namespace), query))
        return await self._sent(self._changes(given))

    def _selectors(self) -> dict[str, str]:
        """The selectors of a list or a watch. Raises BadRequest."""
        return {
            name: checked_selector(self._request.query.get(f"listOptions.{name}", ""), f"listOptions.{name}", parse)
            for name, parse in SELECTORS.items()
        }

    async def _changes(self, query: Mapping[str, str]) -> AsyncIterator[Object]:
        changes = self._client.watch(
            untyped(WORKFLOW),
            self._namespace,
            labels=query["labelSelector"],
            fields=query["fieldSelector"],
            resource_version=self._request.query.get("listOptions.resourceVersion", ""),
        )
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

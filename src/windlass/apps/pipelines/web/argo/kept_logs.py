"""Logs of a Workflow's pods that are gone, from the database."""

from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass

from windlass.apis.access import Access
from windlass.apps.pipelines.options import PipelineOptions
from windlass.apps.pipelines.web.argo.log_options import MAIN, LogOptions
from windlass.apps.pipelines.web.service import PipelinesService
from windlass.gateway.context import GatewayContext
from windlass.gateway.request import Identity
from windlass.kube.json import Object, dig
from windlass.kube.objects import uid_of


@dataclass(frozen=True)
class KeptLogs:
    """What is kept for those who may read the logs of pods in the namespace. Lines have no times of their own."""

    context: GatewayContext
    identity: Identity
    workflow: Object

    async def pods(self) -> list[str]:
        """Names of pods whose logs are kept; none for those who may not read them."""
        if not self.context.settings.options_of(PipelineOptions).database_url:
            return []
        namespace = str(dig(self.workflow, "metadata", "namespace"))
        access = Access("get", "", "pods", namespace, subresource="log")
        if not await self.context.proxy.reviews.allows(self.identity, access):
            return []
        return await (await self.context.service(PipelinesService).database()).logged_pods(uid_of(self.workflow))

    async def lines(self, pods: Iterable[str], options: LogOptions) -> AsyncIterator[Object]:
        for pod in pods:
            if options.pod not in ("", pod) or options.container != MAIN:
                continue
            for line in chosen(await self._text(pod), options):
                yield {"content": line, "podName": pod}

    async def _text(self, pod: str) -> str:
        database = await self.context.service(PipelinesService).database()
        log = await database.workflow_log(uid_of(self.workflow), pod)
        return (log or b"").decode(errors="replace")


def chosen(text: str, options: LogOptions) -> list[str]:
    """The lines of a kept log that a request asks for."""
    lines = text.split("\n")[:-1] if text.endswith("\n") else text.splitlines()
    last = lines if options.tail is None else lines[len(lines) - min(options.tail, len(lines)) :]
    return [line for line in last if options.has(line)]


async def joined(*streams: AsyncIterator[Object]) -> AsyncIterator[Object]:
    for stream in streams:
        async for result in stream:
            yield result

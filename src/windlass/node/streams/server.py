"""The agent's HTTPS server: routes of the kubelet API, for the API server alone."""

import asyncio
import contextlib
import logging
import os
import socket
from pathlib import Path

from windlass.kube.errors import ApiError, MethodNotAllowed, NotFound
from windlass.kube.faults import Faults
from windlass.kube.json import Object
from windlass.node.runtimes.base import Process
from windlass.node.streams import access, http, logs, metrics_api, portforward, remotecommand, stats, upgrade
from windlass.node.streams.inotify import Inotify
from windlass.node.streams.pods import Pods, RunningPod
from windlass.node.volumes import claim_usage
from windlass.node.volumes.claim_usage import Readings

log = logging.getLogger("windlass.node.streams")
_STREAMS = ("exec", "attach", "portForward")
ARCHIVED_PODS = "/archivedPods/"
"""…/NAMESPACE/NAME: the last state of a deleted pod whose logs are kept. Windlass' own addition."""


class KubeletServer:
    """Serves until `stop`; `port` is set once `start` has returned."""

    def __init__(self, pods: Pods, pki: Path, node_name: str, faults: Faults | None = None) -> None:
        """The faults that `faults` counts are among the metrics."""
        self._pods, self._pki, self._faults = pods, pki, faults or Faults()
        self.sampler = stats.Sampler(pods, node_name)
        self.port = 0
        self.claim_readings: Readings = {}
        self._watches = Inotify()
        self._server: asyncio.Server | None = None
        self._sampling: asyncio.Task[None] | None = None
        self._connections: set[asyncio.Task[None]] = set()
        self._served: dict[str, int] = {}

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Listen; port 0 is any free port."""
        context = access.tls(self._pki)
        self._server = await asyncio.start_server(
            self._connected, host, port, ssl=context, limit=http.MAX_HEAD, ssl_handshake_timeout=10
        )
        self.port = int(self._server.sockets[0].getsockname()[1])
        self._sampling = asyncio.create_task(self.sampler.run())

    async def stop(self) -> None:
        """End all streams; commands that clients run end too."""
        if self._server is not None:
            self._server.close()
        tasks = [*self._connections, *([self._sampling] if self._sampling else [])]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._watches.close()

    def registration(self) -> list[Object]:
        """Return the objects by which the API server finds metrics.k8s.io here."""
        return metrics_api.registration(self.port, (self._pki / "ca.crt").read_bytes())

    async def _connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._connections.add(task)
        try:
            await self._serve(reader, writer)
        except (OSError, http.BadHttp, asyncio.CancelledError):
            pass  # the client has gone, or this server goes
        except Exception:
            log.exception("a request failed")
        finally:
            self._connections.discard(task)
            with contextlib.suppress(asyncio.CancelledError):
                await http.close(writer)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        request = await http.read_request(reader)
        refused = access.refusal(writer, request.path)
        if refused is not None:
            await http.send(writer, http.status(refused))
            return
        first, *rest = request.path.strip("/").split("/")
        self._served[first] = self._served.get(first, 0) + 1
        try:
            if first == "containerLogs":
                await self._logs(request, rest, reader, writer)
            elif first in _STREAMS:
                await self._stream(first, request, rest, reader, writer)
            else:
                await http.send(writer, self._plain(request))
        except ApiError as error:
            await http.send(writer, http.status(error))

    def _plain(self, request: http.Request) -> http.Answer:
        if request.method not in ("GET", "HEAD"):
            return http.status(MethodNotAllowed("the server does not allow this method on the requested resource"))
        if request.path.startswith(metrics_api.PREFIX):
            return metrics_api.answer(self.sampler, request)
        if request.path.startswith(ARCHIVED_PODS):
            namespace, _, name = request.path.removeprefix(ARCHIVED_PODS).partition("/")
            return http.json(self._archived(namespace, name).pod)
        match request.path.rstrip("/"):
            case "/healthz":
                return http.text("ok")
            case "/pods":
                return http.json(_pod_list(list(self._pods.all())))
            case "/runningpods":
                return http.json(_pod_list([pod for pod in self._pods.all() if _runs(pod)]))
            case "/stats/summary":
                return http.json(stats.summary(self.sampler, self.claim_readings.values()))
            case "/metrics/resource":
                return http.text(stats.exposition(self.sampler), content_type="text/plain; version=0.0.4")
            case "/metrics":
                return http.text(self._own_metrics(), content_type="text/plain; version=0.0.4")
            case _:
                return http.text("404 page not found\n", 404)

    def _own_metrics(self) -> str:
        running = sum(1 for pod in self._pods.all() if _runs(pod))
        lines = [
            "# HELP kubelet_running_pods [ALPHA] Number of pods that have a running pod sandbox",
            "# TYPE kubelet_running_pods gauge",
            f"kubelet_running_pods {running}",
            "# HELP kubelet_http_requests_total [ALPHA] Number of the http requests received since the server started",
            "# TYPE kubelet_http_requests_total counter",
        ]
        lines += [f'kubelet_http_requests_total{{path="{path}"}} {n}' for path, n in sorted(self._served.items())]
        lines += [
            "# HELP windlass_object_faults_total Exceptions that were raised over a single object",
            "# TYPE windlass_object_faults_total counter",
        ]
        counts = sorted(self._faults.counts.items())
        lines += [f'windlass_object_faults_total{{place="{place}",kind="{kind}"}} {n}' for (place, kind), n in counts]
        lines += claim_usage.metrics(self.claim_readings.values())
        return "\n".join(lines) + "\n"

    async def _logs(
        self, request: http.Request, path: list[str], reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        if len(path) != 3:
            raise NotFound("the server could not find the requested resource")
        namespace, name, container = path
        pod = self._pods.find(namespace, name) or self._archived(namespace, name)
        # the client sends nothing more: this read ends when it disconnects
        gone = asyncio.ensure_future(reader.read(1))
        try:
            await logs.serve(self._pods, self._watches, request, pod, container, http.Chunks(writer), gone)
        finally:
            gone.cancel()

    def _archived(self, namespace: str, name: str) -> RunningPod:
        pod = self._pods.archived(namespace, name)
        if pod is None:
            raise NotFound(f'pod "{name}" does not exist', kind="pods", name=name)
        return pod

    async def _stream(
        self,
        kind: str,
        request: http.Request,
        path: list[str],
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        """Serve a stream. Failures are plain text here: clients append it to "unable to upgrade connection"."""
        try:
            if kind == "portForward":
                pod = self._pod(path[:3])
                await self._forward(request, pod, reader, writer)
            else:
                pod, container = self._pod(path[:-1]), path[-1] if path else ""
                await self._command(kind, request, pod, container, reader, writer)
        except _Refused as error:
            await http.send(writer, http.text(str(error), error.code))
        except (upgrade.NoUpgrade, portforward.BadPorts) as error:
            await http.send(writer, http.text(str(error), 400))

    def _pod(self, path: list[str]) -> RunningPod:
        pod = self._pods.find(*path[:3]) if len(path) in (2, 3) else None
        if pod is None:
            raise _Refused("pod does not exist", 404)
        return pod

    async def _command(
        self,
        kind: str,
        request: http.Request,
        pod: RunningPod,
        container: str,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        options, command = remotecommand.Options.of(request), request.all_values("command")
        if not options.any:
            raise _Refused("you must specify at least 1 of stdin, stdout, stderr", 400)
        if kind == "exec" and not command:
            raise _Refused("you must specify at least 1 command", 400)
        newest = pod.newest(container)
        if newest is None or newest.state != "running":
            raise _Refused(f'container not found ("{container}")', 500)
        runtime, streams = self._pods.runtime, options

        async def start() -> Process:
            wanted = {"stdin": streams.stdin, "stdout": streams.stdout, "stderr": streams.stderr}
            if kind == "attach":
                return await runtime.attach(pod.uid, container, **wanted)
            return await runtime.exec(pod.uid, container, command, **wanted, tty=streams.tty)

        failure = "error executing command in container" if kind == "exec" else "error attaching to container"
        await remotecommand.serve(request, reader, writer, start, failure)

    async def _forward(
        self, request: http.Request, pod: RunningPod, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        async def dial(port: int) -> socket.socket:
            now = self._pods.find(pod.namespace, pod.name, pod.uid)
            if now is None or not now.ip:
                raise OSError("the pod is gone, or has no address")
            return await self._pods.dial(now, port)

        def words(port: int, error: Exception) -> str:
            number = getattr(error, "errno", None)
            why = os.strerror(number) if number else str(error)
            return (
                f"error forwarding port {port} to pod {pod.name}_{pod.namespace}, uid {pod.uid}: "
                f"failed to connect to localhost:{port} inside namespace: dial tcp4 127.0.0.1:{port}: connect: "
                f"{why.lower()}"
            )

        await portforward.serve(request, reader, writer, dial, words)


class _Refused(Exception):
    def __init__(self, message: str, code: int) -> None:
        super().__init__(message)
        self.code = code


def _runs(pod: RunningPod) -> bool:
    return any(runs and runs[-1].state == "running" for runs in pod.attempts.values())


def _pod_list(pods: list[RunningPod]) -> Object:
    return {"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": [pod.pod for pod in pods]}

"""The agent's HTTPS server: routes of the kubelet API, for the API server alone."""

import asyncio
import os
import socket
from contextlib import AsyncExitStack
from pathlib import Path

from aiohttp import web
from aiohttp.typedefs import Handler

from windlass.kube.errors import ApiError, MethodNotAllowed, NotFound
from windlass.kube.faults import Faults
from windlass.kube.handover import HandedOver
from windlass.kube.json import Object
from windlass.kube.serving import serving_at
from windlass.node.runtimes.base import Process
from windlass.node.streams import access, http, logs, metrics_api, portforward, remotecommand, stats, upgrade
from windlass.node.streams.inotify import Inotify
from windlass.node.streams.pods import Pods, RunningPod
from windlass.node.volumes import claim_usage
from windlass.node.volumes.claim_usage import Readings

_EXPOSITION = "text/plain; version=0.0.4"


class KubeletServer:
    """Serves until `stop`; `port` is set once `start` has returned."""

    def __init__(self, pods: Pods, pki: Path, node_name: str, faults: Faults | None = None) -> None:
        """The faults that `faults` counts are among the metrics."""
        self._pods, self._pki, self._faults = pods, pki, faults or Faults()
        self.sampler = stats.Sampler(pods, node_name)
        self.port = 0
        self.claim_readings: Readings = {}
        self._watches = Inotify()
        self._serving = AsyncExitStack()
        self._sampling: asyncio.Task[None] | None = None
        self._requests: set[asyncio.Task[object]] = set()
        self._served: dict[str, int] = {}

    async def start(self, host: str = "127.0.0.1", port: int = 0) -> None:
        """Listen; port 0 is any free port."""
        served = serving_at(self._application(), host, port, tls=access.tls(self._pki), max_line=http.MAX_LINE)
        _, self.port = await self._serving.enter_async_context(served)
        self._sampling = asyncio.create_task(self.sampler.run())

    async def stop(self) -> None:
        """End all streams; commands that clients run end too."""
        await self._serving.aclose()
        if self._sampling is not None:
            self._sampling.cancel()
            await asyncio.gather(self._sampling, return_exceptions=True)
        self._watches.close()

    def registration(self) -> list[Object]:
        """Return the objects by which the API server finds metrics.k8s.io here."""
        return metrics_api.registration(self.port, (self._pki / "ca.crt").read_bytes())

    def _application(self) -> web.Application:
        application = web.Application(middlewares=[self._checked])
        router = application.router
        router.add_route("*", "/containerLogs/{namespace}/{name}/{container}", self._logs)
        for uid in ("", "/{uid}"):
            router.add_route("*", f"/{{kind:exec|attach}}/{{namespace}}/{{name}}{uid}/{{container}}", self._command)
            router.add_route("*", f"/portForward/{{namespace}}/{{name}}{uid}", self._forward)
        # The last state of a deleted pod whose logs are kept: Windlass' own addition to the kubelet API.
        router.add_get("/archivedPods/{namespace}/{name}", self._archived_pod)
        router.add_get(metrics_api.PREFIX + "{rest:.*}", self._metrics_api)
        router.add_get("/{page:healthz|pods|runningpods|stats/summary|metrics|metrics/resource}{slash:/?}", self._page)
        router.add_route("*", "/{path:.*}", _unknown)
        application.on_shutdown.append(self._end_requests)
        return application

    @web.middleware
    async def _checked(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        """Answer only callers that may ask, and write errors in the form that clients parse."""
        refused = access.refusal(request)
        if refused is not None:
            return http.status(refused)
        first = request.path.strip("/").split("/")[0]
        self._served[first] = self._served.get(first, 0) + 1
        task = asyncio.current_task()
        assert task is not None
        self._requests.add(task)
        try:
            return await handler(request)
        except ApiError as error:
            return http.status(error)
        except upgrade.Refused as error:
            return http.text(str(error), error.code)  # clients append it to "unable to upgrade connection"
        except ConnectionError:
            return HandedOver()  # the client has gone
        finally:
            self._requests.discard(task)

    async def _end_requests(self, _: web.Application) -> None:
        tasks = list(self._requests)
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def _page(self, request: web.Request) -> web.Response:
        match request.match_info["page"]:
            case "healthz":
                return http.text("ok")
            case "pods":
                return http.json(_pod_list(list(self._pods.all())))
            case "runningpods":
                return http.json(_pod_list([pod for pod in self._pods.all() if _runs(pod)]))
            case "stats/summary":
                return http.json(stats.summary(self.sampler, self.claim_readings.values()))
            case "metrics/resource":
                return http.text(stats.exposition(self.sampler), content_type=_EXPOSITION)
            case _:
                return http.text(self._own_metrics(), content_type=_EXPOSITION)

    async def _metrics_api(self, request: web.Request) -> web.Response:
        return metrics_api.answer(self.sampler, request)

    async def _archived_pod(self, request: web.Request) -> web.Response:
        return http.json(self._archived(request.match_info["namespace"], request.match_info["name"]).pod)

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

    async def _logs(self, request: web.Request) -> web.StreamResponse:
        namespace, name = request.match_info["namespace"], request.match_info["name"]
        pod = self._pods.find(namespace, name) or self._archived(namespace, name)
        return await logs.serve(self._pods, self._watches, request, pod, request.match_info["container"])

    def _archived(self, namespace: str, name: str) -> RunningPod:
        pod = self._pods.archived(namespace, name)
        if pod is None:
            raise NotFound(f'pod "{name}" does not exist', kind="pods", name=name)
        return pod

    def _pod(self, request: web.Request) -> RunningPod:
        where = request.match_info
        pod = self._pods.find(where["namespace"], where["name"], where.get("uid", ""))
        if pod is None:
            raise upgrade.Refused("pod does not exist", 404)
        return pod

    async def _command(self, request: web.Request) -> web.StreamResponse:
        """Serve exec and attach."""
        kind, container, pod = request.match_info["kind"], request.match_info["container"], self._pod(request)
        options, command = remotecommand.Options.of(request), http.all_values(request, "command")
        if not options.any:
            raise upgrade.Refused("you must specify at least 1 of stdin, stdout, stderr")
        if kind == "exec" and not command:
            raise upgrade.Refused("you must specify at least 1 command")
        newest = pod.newest(container)
        if newest is None or newest.state != "running":
            raise upgrade.Refused(f'container not found ("{container}")', 500)
        runtime = self._pods.runtime

        async def start() -> Process:
            wanted = {"stdin": options.stdin, "stdout": options.stdout, "stderr": options.stderr}
            if kind == "attach":
                return await runtime.attach(pod.uid, container, **wanted)
            return await runtime.exec(pod.uid, container, command, **wanted, tty=options.tty)

        failure = "error executing command in container" if kind == "exec" else "error attaching to container"
        await remotecommand.serve(request, start, failure)
        return HandedOver()

    async def _forward(self, request: web.Request) -> web.StreamResponse:
        pod = self._pod(request)

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

        await portforward.serve(request, dial, words)
        return HandedOver()


async def _unknown(request: web.Request) -> web.Response:
    if request.method not in ("GET", "HEAD"):
        return http.status(MethodNotAllowed("the server does not allow this method on the requested resource"))
    return http.text("404 page not found\n", 404)


def _runs(pod: RunningPod) -> bool:
    return any(runs and runs[-1].state == "running" for runs in pod.attempts.values())


def _pod_list(pods: list[RunningPod]) -> Object:
    return {"kind": "PodList", "apiVersion": "v1", "metadata": {}, "items": [pod.pod for pod in pods]}

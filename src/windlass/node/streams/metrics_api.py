"""metrics.k8s.io/v1beta1, which the API server forwards to the agent, and its registration.

The Service is an ExternalName of "localhost": the agent listens on this machine's loopback, which no cluster address
reaches, and the API server dials the name.
"""

import base64
import time
from datetime import UTC, datetime

from aiohttp import web

from windlass.kube.errors import ApiError, BadRequest, NotFound
from windlass.kube.json import Object, dig_object, timestamp
from windlass.kube.selector import parse_fields, parse_labels
from windlass.node.streams import http
from windlass.node.streams.stats import Reading, Sample, Sampler

GROUP = "metrics.k8s.io"
VERSION = f"{GROUP}/v1beta1"
PREFIX = f"/apis/{VERSION}"
SERVICE = {"name": "metrics-server", "namespace": "kube-system"}


def registration(port: int, ca: bytes, now: float | None = None) -> list[Object]:
    """Return the objects that the agent applies (server-side) at each start."""
    started = timestamp(datetime.fromtimestamp(time.time() if now is None else now, UTC))
    return [
        {
            "apiVersion": "v1",
            "kind": "Service",
            "metadata": {**SERVICE, "labels": {"k8s-app": "metrics-server"}},
            "spec": {"type": "ExternalName", "externalName": "localhost"},
        },
        {
            "apiVersion": "apiregistration.k8s.io/v1",
            "kind": "APIService",
            "metadata": {
                "name": f"v1beta1.{GROUP}",
                "labels": {"k8s-app": "metrics-server"},
                # a change makes the server probe a restarted agent immediately
                "annotations": {"windlass.dev/agent-started": started},
            },
            "spec": {
                "group": GROUP,
                "version": "v1beta1",
                "service": {**SERVICE, "port": port},
                "caBundle": base64.b64encode(ca).decode(),
                "groupPriorityMinimum": 100,
                "versionPriority": 100,
            },
        },
    ]


def resources() -> Object:
    verbs = ["get", "list"]
    return {
        "kind": "APIResourceList",
        "apiVersion": "v1",
        "groupVersion": VERSION,
        "resources": [
            {"name": "nodes", "singularName": "", "namespaced": False, "kind": "NodeMetrics", "verbs": verbs},
            {"name": "pods", "singularName": "", "namespaced": True, "kind": "PodMetrics", "verbs": verbs},
        ],
    }


def answer(sampler: Sampler, request: web.Request) -> web.Response:
    """Answer a GET below the group's path."""
    try:
        match request.path.removeprefix(PREFIX).strip("/").split("/"):
            case [""]:
                return http.json(resources())
            case ["nodes"]:
                return http.json(_listed("NodeMetricsList", request, _nodes(sampler)))
            case ["nodes", name]:
                return http.json(_one("nodes", name, _nodes(sampler)))
            case ["pods"]:
                return http.json(_listed("PodMetricsList", request, _pods(sampler)))
            case ["namespaces", namespace, "pods"]:
                return http.json(_listed("PodMetricsList", request, _pods(sampler, namespace)))
            case ["namespaces", namespace, "pods", name]:
                return http.json(_one("pods", name, _pods(sampler, namespace)))
            case _:
                return http.status(NotFound("the server could not find the requested resource"))
    except ApiError as error:
        return http.status(error)
    except ValueError as error:
        return http.status(BadRequest(str(error)))


def _listed(kind: str, request: web.Request, items: list[Object]) -> Object:
    labels, fields = (
        parse_labels(http.first(request, "labelSelector")),
        parse_fields(http.first(request, "fieldSelector")),
    )

    def matches(item: Object) -> bool:
        metadata = item["metadata"]
        known = {"metadata.name": metadata["name"], "metadata.namespace": metadata.get("namespace", "")}
        return labels.matches(dig_object(metadata, "labels")) and fields.matches(known)

    return {"kind": kind, "apiVersion": VERSION, "metadata": {}, "items": [item for item in items if matches(item)]}


def _one(plural: str, name: str, items: list[Object]) -> Object:
    found = next((item for item in items if item["metadata"]["name"] == name), None)
    if found is None:
        message = f'{plural}.{GROUP} "{name}" not found'
        raise NotFound(message, group=GROUP, kind=plural, name=name)
    return found


def _nodes(sampler: Sampler) -> list[Object]:
    reading = sampler.node
    if reading is None or not reading.window:
        return []
    return [{"kind": "NodeMetrics", **_head({"name": sampler.node_name}, [reading]), "usage": _usage(reading)}]


def _pods(sampler: Sampler, namespace: str = "") -> list[Object]:
    return [
        _pod(sample)
        for sample in sampler.pods.values()
        if sample.pod is not None
        and (not namespace or sample.pod.namespace == namespace)
        and sample.containers
        and all(reading.window for reading in sample.containers.values())
    ]


def _pod(sample: Sample) -> Object:
    assert sample.pod is not None
    metadata: Object = {"name": sample.pod.name, "namespace": sample.pod.namespace}
    labels = dig_object(sample.pod.pod, "metadata", "labels")
    if labels:
        metadata["labels"] = labels
    containers = [{"name": name, "usage": _usage(reading)} for name, reading in sample.containers.items()]
    return {"kind": "PodMetrics", **_head(metadata, list(sample.containers.values())), "containers": containers}


def _head(metadata: Object, readings: list[Reading]) -> Object:
    at = timestamp(datetime.fromtimestamp(max(reading.at for reading in readings), UTC))
    window = max(reading.window for reading in readings)
    return {
        "apiVersion": VERSION,
        "metadata": {**metadata, "creationTimestamp": at},
        "timestamp": at,
        "window": f"{window:.3f}s",
    }


def _usage(reading: Reading) -> Object:
    return {"cpu": f"{round(reading.rate * 1e9)}n", "memory": f"{reading.usage.memory_bytes // 1024}Ki"}

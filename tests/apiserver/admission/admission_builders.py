"""Webhook configurations and what webhooks answer: each builder takes only what a test is about."""

import base64
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tests.apiserver.webhook_server import Answer
from tests.support import Answer as HttpAnswer
from tests.support import Windlass

REGISTRATION = "/apis/admissionregistration.k8s.io/v1"
PODS = {"apiGroups": [""], "apiVersions": ["v1"], "operations": ["CREATE", "UPDATE", "DELETE"], "resources": ["pods"]}
MAPS = {**PODS, "resources": ["configmaps"]}


def allow(**response: Any) -> Answer:
    def answer(review: Any) -> Any:
        made = {"uid": review["request"]["uid"], "allowed": True, **response}
        return {"apiVersion": review["apiVersion"], "kind": "AdmissionReview", "response": made}

    return answer


def deny(**status: Any) -> Answer:
    return allow(allowed=False, status=status)


def patching(*operations: Any) -> Answer:
    encoded = base64.b64encode(json.dumps(operations).encode()).decode()
    return allow(patch=encoded, patchType="JSONPatch")


def a_webhook(config: Any, room: str, *rules: Any, **spec: Any) -> Any:
    selector = {"matchLabels": {"kubernetes.io/metadata.name": room}}
    return {
        "name": "hook.example.com",
        "clientConfig": config,
        "rules": list(rules) or [MAPS],
        "namespaceSelector": selector,
        "sideEffects": "None",
        "admissionReviewVersions": ["v1"],
        **spec,
    }


@contextmanager
def configured(server: Windlass, kind: str, *webhooks: Any) -> Iterator[None]:
    """The webhooks in a configuration of the kind, for the length of the block."""
    path = f"{REGISTRATION}/{kind}webhookconfigurations"
    name = server.create(path, {"metadata": {"generateName": "c-"}, "webhooks": list(webhooks)})["metadata"]["name"]
    try:
        yield
    finally:
        assert server.request("DELETE", f"{path}/{name}").status == 200


def create_map(server: Windlass, room: str, name: str = "m", query: str = "", **more: Any) -> HttpAnswer:
    return server.request("POST", f"/api/v1/namespaces/{room}/configmaps{query}", {"metadata": {"name": name}, **more})

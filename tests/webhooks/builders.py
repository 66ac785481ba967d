"""Reviews and jobs for the tests of webhooks."""

from typing import Any

from tests.apis.verdicts import NO_CHECKS
from windlass.apps import all_apps
from windlass.webhooks.handlers import handlers

Object = dict[str, Any]


def a_job(kind: str = "PyTorchJob", version: str = "v1", **spec: Any) -> Object:
    metadata = {"name": "demo", "namespace": "team", "uid": "1"}
    return {"apiVersion": f"kubeflow.org/{version}", "kind": kind, "metadata": metadata, "spec": spec}


def a_role(container: str, **more: Any) -> Object:
    return {"template": {"spec": {"containers": [{"name": container, "image": "python:3.11"}]}}, **more}


def admission(obj: Any, old: Any = None, operation: str = "CREATE") -> Object:
    request = {"uid": "7", "operation": operation, "object": obj, "oldObject": old}
    return {"apiVersion": "admission.k8s.io/v1", "kind": "AdmissionReview", "request": request}


def conversion(desired: str, *objects: Any, version: str = "v1") -> Object:
    request = {"uid": "7", "desiredAPIVersion": desired, "objects": list(objects)}
    return {"apiVersion": f"apiextensions.k8s.io/{version}", "kind": "ConversionReview", "request": request}


async def asked(path: str, review: Any, api: Any = None, checks: Any = NO_CHECKS) -> Object:
    """The response to a review at a path; whatever it is, it repeats the question's uid."""
    answer = await handlers(all_apps(), api, checks)[path](review)
    assert answer["apiVersion"] == review["apiVersion"]
    assert answer["kind"] == review["kind"]
    assert answer["response"].pop("uid") == review["request"]["uid"]
    return answer["response"]

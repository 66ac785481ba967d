"""JSON that is a part of a request: nested one is refused, or ignored, as other malformed JSON in its place."""

import base64

import pytest

from tests.support import Windlass

TOO_DEEP = "nested deeper than 200 levels"
DEEP = "[" * 5_000


@pytest.fixture
def maps(server: Windlass, namespace: str) -> str:
    return f"/api/v1/namespaces/{namespace}/configmaps"


def encoded(text: str) -> str:
    return base64.b64encode(text.encode()).decode()


def test_a_continue_token_of_nested_json_is_refused(server: Windlass, maps: str) -> None:
    logged = len(server.log())
    answer = server.request("GET", f"{maps}?continue={encoded(DEEP)}")

    assert answer.status == 400
    assert answer.json()["message"] == f"continue key is not valid: {TOO_DEEP}"
    assert "Traceback" not in server.log()[logged:]


def test_a_secret_with_a_nested_docker_config_is_refused(server: Windlass, namespace: str) -> None:
    logged = len(server.log())
    secret = {"type": "kubernetes.io/dockerconfigjson", "data": {".dockerconfigjson": encoded(DEEP)}}
    answer = server.request("POST", f"/api/v1/namespaces/{namespace}/secrets", {"metadata": {"name": "a"}, **secret})

    assert answer.status == 422
    assert TOO_DEEP in answer.json()["message"]
    assert "Traceback" not in server.log()[logged:]


@pytest.mark.parametrize("text", ["{", DEEP])
def test_nested_annotations_of_an_autoscaler_are_dropped_as_malformed_ones(
    server: Windlass, namespace: str, text: str
) -> None:
    logged = len(server.log())
    names = ("metrics", "behavior", "current-metrics", "conditions")
    annotations = {f"autoscaling.alpha.kubernetes.io/{name}": text for name in names}
    target = {"apiVersion": "apps/v1", "kind": "Deployment", "name": "d"}
    body = {"metadata": {"name": "a", "annotations": annotations}, "spec": {"maxReplicas": 1, "scaleTargetRef": target}}
    path = "/apis/autoscaling/{version}/namespaces/" + f"{namespace}/horizontalpodautoscalers"

    server.create(path.format(version="v1"), body)
    read = server.get(path.format(version="v2") + "/a")
    assert "behavior" not in read["spec"]
    assert len(read["spec"]["metrics"]) == 1
    assert "Traceback" not in server.log()[logged:]


def test_nested_json_of_the_last_applied_annotation_is_no_configuration(server: Windlass, maps: str) -> None:
    logged = len(server.log())
    annotations = {"kubectl.kubernetes.io/last-applied-configuration": DEEP}
    server.create(
        f"{maps}?fieldManager=kubectl-client-side-apply", {"metadata": {"name": "a", "annotations": annotations}}
    )
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"x": "y"}}

    assert server.patch(f"{maps}/a?fieldManager=kubectl", body, "apply").status == 200
    assert "Traceback" not in server.log()[logged:]

"""`kubectl logs` of pods that are gone, through a real API server and the agent's API."""

import json
from typing import Any

import pytest

from tests.node.streams.node_thread import NodeThread
from tests.node.streams.test_kubectl_streams import KUBECTLS
from tests.support import Windlass, eventually

pytestmark = pytest.mark.kubectl


def gone(node: NodeThread, name: str, script: str, **more: Any) -> dict[str, Any]:
    """A pod that ran and was deleted."""
    pod = node.run(name, "sh", "-c", script, **more)
    node.ended(name)
    node.remove(pod)
    return pod


def log(server: Windlass, name: str, query: str = "", namespace: str = "default") -> tuple[int, str]:
    answer = server.request("GET", f"/api/v1/namespaces/{namespace}/pods/{name}/log{query}")
    return answer.status, answer.body.decode()


@pytest.mark.parametrize("program", KUBECTLS)
def test_kubectl_shows_the_logs_of_a_pod_that_is_gone(streams_server: Windlass, node: NodeThread, program: str) -> None:
    name = f"gone{KUBECTLS.index(program)}"
    gone(node, name, "echo one; echo two")

    done = streams_server.kubectl("logs", name, program=program)
    last = streams_server.kubectl("logs", name, "-c", "main", "--tail=1", "-f", program=program)

    assert done.stdout == "one\ntwo\n"
    assert f'pod "{name}" was deleted, showing its archived logs' in done.stderr
    assert last.stdout == "two\n"
    assert 'pods "' in streams_server.kubectl("get", "pod", name, check=False, program=program).stderr


def test_the_api_answers_with_the_logs_of_a_pod_that_is_gone(streams_server: Windlass, node: NodeThread) -> None:
    gone(node, "raw", "echo one; echo two")

    assert log(streams_server, "raw") == (200, "one\ntwo\n")
    assert log(streams_server, "raw", "?container=main&tailLines=1") == (200, "two\n")
    assert log(streams_server, "raw", "?follow=true") == (200, "one\ntwo\n")
    status, body = log(streams_server, "raw", "?container=other")
    assert (status, json.loads(body)["message"]) == (400, "container other is not valid for pod raw")
    status, body = log(streams_server, "raw", "?previous=true")
    assert 'previous terminated container "main" in pod "raw" not found' in json.loads(body)["message"]
    assert streams_server.request("GET", "/api/v1/namespaces/default/pods/raw").status == 404


def test_a_pod_that_never_was_has_no_logs(streams_server: Windlass, node: NodeThread) -> None:
    status, body = log(streams_server, "never")

    assert (status, json.loads(body)["message"]) == (404, 'pods "never" not found')


def test_a_new_pod_of_the_same_name_shows_its_own(streams_server: Windlass, node: NodeThread) -> None:
    gone(node, "again", "echo old")
    pod = node.run("again", "sh", "-c", "echo new")
    node.ended("again")

    eventually(lambda: log(streams_server, "again") == (200, "new\n"), 60, "the new pod's log")
    node.remove(pod)
    assert log(streams_server, "again") == (200, "new\n")


def test_logs_of_a_namespace_that_was_deleted_are_not_shown_to_who_has_its_name_now(
    streams_server: Windlass, node: NodeThread
) -> None:
    pod = gone(node, "secret", "echo hush")
    old = {**pod, "metadata": {**pod["metadata"], "creationTimestamp": "2020-01-01T00:00:00Z", "name": "older"}}
    node.pods.known["older"] = old
    node.do(node.pods.run({**old, "metadata": {**old["metadata"], "uid": "older-uid"}}))
    node.do(node.pods.remove("older-uid"))

    assert node.pods.archived("default", "older") is not None
    assert log(streams_server, "older")[0] == 404
    assert log(streams_server, "secret", namespace="elsewhere")[0] == 404


def test_who_may_not_read_logs_may_not_read_those_of_pods_that_are_gone(
    streams_server: Windlass, node: NodeThread
) -> None:
    gone(node, "private", "echo mine")

    done = streams_server.kubectl("logs", "private", "--as", "stranger", check=False)

    assert 'cannot get resource "pods" in API group ""' in done.stderr

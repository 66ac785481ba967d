"""The REST API of Argo Server: who has no rights in a namespace sees and changes nothing there, by any route."""

import re
from dataclasses import dataclass
from typing import Any

import pytest
import requests

from tests.apps.pipelines.workflows import a_container, a_workflow
from tests.gateway.browser import Person, a_person
from tests.gateway.platform import Platform
from tests.gateway.webapps.app_client import make_namespace
from windlass.apps.pipelines.web.argo.routes import CONTENT_PATHS, PATHS

OWN, OTHERS = "argo-own", "argo-others"
NAME = "w"
ABOUT_THE_SERVER = ("/info", "/version", "/userinfo")
CHANGES = ("suspend", "resume", "stop", "terminate", "retry", "set")
SPEC: Any = {**a_workflow(a_container("m"))["spec"], "suspend": True}
OBJECTS: dict[str, tuple[str, Any]] = {
    "workflows": ("workflow", {"metadata": {"name": NAME}, "spec": SPEC}),
    "workflow-templates": ("template", {"metadata": {"name": NAME}, "spec": SPEC}),
    "cluster-workflow-templates": ("template", {"metadata": {"name": NAME}, "spec": SPEC}),
    "cron-workflows": (
        "cronWorkflow",
        {"metadata": {"name": NAME}, "spec": {"schedules": ["0 0 1 1 *"], "workflowSpec": SPEC}},
    ),
}


@dataclass(frozen=True)
class Caller:
    url: str
    token: str

    def send(self, method: str, path: str, body: Any = None) -> requests.Response:
        headers = {"Authorization": f"Bearer {self.token}"}
        url = f"{self.url}/argo/api/v1{path}"
        with requests.request(method, url, json=body, headers=headers, timeout=60, stream=True) as answer:
            if answer.headers["Content-Type"] == "application/json":
                _ = answer.content
            return answer


def a_caller(platform: Platform, email: str, namespace: str) -> Caller:
    person: Person = a_person(platform, email)
    make_namespace(platform, namespace, person)
    done = platform.windlass("user", "token", email, "--name", "argo")
    assert done.returncode == 0, done.stderr
    return Caller(platform.url, done.stdout.split()[-1])


@pytest.fixture(scope="module")
def stranger(platform: Platform) -> Caller:
    return a_caller(platform, "argo-stranger@example.com", OTHERS)


@pytest.fixture(scope="module")
def owner(platform: Platform) -> Caller:
    """A person with one object of each kind in their namespace."""
    caller = a_caller(platform, "argo-owner@example.com", OWN)
    for collection, (field, obj) in OBJECTS.items():
        if collection != "cluster-workflow-templates":
            made = caller.send("POST", f"/{collection}/{OWN}", {field: obj})
            assert made.status_code == 200, made.text
    return caller


def filled(path: str, namespace: str) -> list[str]:
    """The path of a route for objects of a namespace; one for each verb that is in it."""
    whole = re.sub(r"\{namespace[^}]*\}", namespace, path).replace("{name}", NAME).replace("{pod}", NAME)
    if "{verb}" not in whole:
        return [whole]
    verbs = ("suspend", "resume") if whole.startswith("/cron") else CHANGES
    return [whole.replace("{verb}", verb) for verb in verbs]


def body_of(path: str) -> Any:
    if path.endswith("/submit"):
        return {"resourceKind": "WorkflowTemplate", "resourceName": NAME}
    field, obj = OBJECTS.get(path.split("/")[1], ("workflow", {}))
    return {field: obj, "nodeFieldSelector": "displayName=a", "outputParameters": "{}"}


GUARDED = sorted(
    {(method, path) for method, pattern, _ in PATHS if pattern not in ABOUT_THE_SERVER for path in filled(pattern, OWN)}
)


def versions(caller: Caller) -> dict[str, list[tuple[str, str]]]:
    """Names and versions of all objects in the namespace of the owner."""
    return {
        collection: [
            (item["metadata"]["name"], item["metadata"]["generation"])
            for item in caller.send("GET", f"/{collection}/{OWN}").json()["items"]
        ]
        for collection in OBJECTS
        if collection != "cluster-workflow-templates"
    }


@pytest.mark.parametrize(("method", "path"), GUARDED, ids=[f"{method} {path}" for method, path in GUARDED])
def test_a_stranger_is_refused(owner: Caller, stranger: Caller, method: str, path: str) -> None:
    before = versions(owner)

    answer = stranger.send(method, path, None if method in ("GET", "DELETE") else body_of(path))

    # Templates of the cluster may be read by all users, as in Argo; a person sees those that exist.
    is_readable = path.startswith("/cluster-workflow-templates") and method == "GET"
    assert answer.status_code in ((200, 403, 404) if is_readable else (403,)), answer.text
    if answer.status_code == 403:
        assert answer.json()["code"] == 7
        assert "forbidden" in answer.json()["message"]
    assert versions(owner) == before


@pytest.mark.parametrize("pattern", CONTENT_PATHS)
def test_a_stranger_reads_no_artifact(owner: Caller, stranger: Caller, pattern: str) -> None:
    path = pattern.format(namespace=OWN, name=NAME, node="n", artifact="a", side="outputs")
    url = f"{owner.url}/argo{path}"

    codes = [
        requests.get(url, headers={"Authorization": f"Bearer {caller.token}"}, timeout=60).status_code
        for caller in (owner, stranger)
    ]

    assert codes == [404, 403]


@pytest.mark.parametrize("collection", [name for name in OBJECTS if name != "cluster-workflow-templates"])
def test_a_list_of_all_namespaces_is_refused_to_a_person_of_one(owner: Caller, collection: str) -> None:
    assert owner.send("GET", f"/{collection}/").status_code == 403
    assert [item["metadata"]["name"] for item in owner.send("GET", f"/{collection}/{OWN}").json()["items"]] == [NAME]


def test_an_object_of_another_namespace_is_not_created_by_the_path_of_the_own_one(stranger: Caller) -> None:
    foreign = {"metadata": {"name": "x", "namespace": OWN}, "spec": SPEC}

    by_path = stranger.send("POST", f"/workflows/{OTHERS}", {"workflow": foreign})
    without_path = stranger.send("POST", "/workflows/", {"workflow": foreign})
    from_template = stranger.send(
        "POST", f"/workflows/{OTHERS}/submit", {"resourceKind": "WorkflowTemplate", "resourceName": NAME}
    )

    assert (by_path.status_code, by_path.json()["message"]) == (
        400,
        "workflow.metadata.namespace: 'argo-own' is not 'argo-others'",
    )
    assert without_path.status_code == 403
    assert from_template.status_code == 404


def test_without_a_token_nothing_is_answered(owner: Caller) -> None:
    answers = {
        Caller(owner.url, "").send("GET", f"/workflows/{OWN}").status_code,
        Caller(owner.url, "x").send("GET", "/info").status_code,
    }

    assert answers <= {401, 403}


@pytest.mark.parametrize(
    ("method", "path", "body", "field"),
    [
        ("POST", f"/workflows/{OWN}", {}, "workflow is required"),
        ("POST", f"/workflows/{OWN}", {"workflow": {"metadata": "x"}}, "workflow.metadata: must be an object"),
        ("POST", "/workflows/", {"workflow": {}}, "workflow.metadata.namespace: Required value"),
        ("POST", f"/workflows/{OWN}", {"workflow": {"metadata": {"name": 1}}}, "ObjectMeta.name"),
        ("POST", f"/workflows/{OWN}/lint", {"workflow": {"spec": {"entrypoint": 1}}}, "spec.entrypoint"),
        ("PUT", f"/workflow-templates/{OWN}/{NAME}", {"template": {"metadata": {"name": "z"}}}, "metadata.name: 'z'"),
        ("POST", f"/workflows/{OWN}/submit", {"resourceKind": "Pod"}, "resourceKind: 'Pod'"),
        (
            "POST",
            f"/workflows/{OWN}/submit",
            {"resourceKind": "CronWorkflow", "resourceName": []},
            "resourceName: must",
        ),
        ("PUT", f"/workflows/{OWN}/{NAME}/stop", {"nodeFieldSelector": 1}, "nodeFieldSelector: must be a string"),
        ("PUT", f"/workflows/{OWN}/{NAME}/set", {"nodeFieldSelector": "id=x", "phase": "Odd"}, "phase: 'Odd'"),
        ("PUT", f"/workflows/{OWN}/{NAME}/resubmit", {"parameters": "x"}, "parameters: must be a list"),
        ("PUT", f"/workflows/{OWN}/{NAME}/resubmit", {"memoized": True}, "memoized: is not supported"),
        ("GET", f"/workflows/{OWN}/{NAME}/log?logOptions.tailLines=many", None, "logOptions.tailLines: 'many'"),
        ("GET", f"/workflows/{OWN}/{NAME}/log?grep=(", None, "grep: "),
        ("GET", f"/workflows/{OWN}/{NAME}/log?selector=a==b==c", None, "selector: "),
        ("GET", f"/workflow-events/{OWN}?listOptions.fieldSelector=nothing", None, "listOptions.fieldSelector: "),
        ("GET", f"/workflows/{OWN}?listOptions.labelSelector=a==b==c", None, "listOptions.labelSelector: "),
    ],
)
def test_bad_input_is_refused_with_its_field(owner: Caller, method: str, path: str, body: Any, field: str) -> None:
    answer = owner.send(method, path, body)

    assert answer.status_code == 400, answer.text
    assert field in answer.json()["message"]

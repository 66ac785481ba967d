"""A user of one namespace sees nothing of another, in any view, by any route."""

import asyncio

import pytest

from tests.gateway.browser import Person, signed_in
from tests.gateway.live.page import a_page
from tests.gateway.platform import Platform
from tests.gateway.shared_platforms import OWN, SECRET
from tests.gateway.webapps.app_client import app_of
from windlass.gateway.views.all_views import VIEWS
from windlass.gateway.views.topics import view_topics

JOB = f"kind=PyTorchJob&namespace={OWN}&name={OWN}-job"
NAMESPACED = ("jobs", "home", "notebooks", "tensorboards", "volumes")
REFUSED = [
    *((f"/api/views/{topic}?namespace={SECRET}", 403) for topic in NAMESPACED if topic != "home"),
    (f"/api/views/job?kind=PyTorchJob&namespace={SECRET}&name={SECRET}-job", 403),
    ("/api/views/cluster", 403),
    (f"/api/jobs/PyTorchJob/{SECRET}/{SECRET}-job/curves", 403),
    (f"/api/metrics/podcpu?pod={SECRET}/pod", 403),
    (f"/api/metrics/podmem?namespace={SECRET}", 403),
    ("/api/views/nothing", 404),
    (f"/api/views/job?kind=Deployment&namespace={OWN}&name=x", 404),
    (f"/api/views/job?kind=PyTorchJob&namespace={OWN}&name=x", 404),
    (f"/api/jobs/PyTorchJob/{OWN}/x/curves", 404),
    ("/api/metrics/disk", 404),
    ("/api/views/jobs?namespace=A_B", 400),
    ("/api/views/jobs?names=x", 400),
    ("/api/views/job?kind=PyTorchJob", 400),
    (f"/api/jobs/PyTorchJob/{OWN}/A_B/curves", 400),
    ("/api/metrics/node?interval=Last1m", 400),
    ("/api/metrics/podcpu?pod=x", 400),
    ("/api/metrics/podcpu?top=0", 400),
    ("/api/metrics/podcpu?top=many", 400),
]


ALIASES = "\n".join(["a0: &a0 [x]", *(f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 9)}]" for n in range(1, 12))])


def a_job_set(replicas: int) -> dict[str, object]:
    jobs = [{"name": "a", "replicas": replicas, "template": {"spec": {"template": {"spec": {"containers": []}}}}}]
    return {"apiVersion": "jobset.x-k8s.io/v1alpha2", "kind": "JobSet", "spec": {"replicatedJobs": jobs}}


def a_volcano_job(task: object) -> dict[str, object]:
    spec = {"minAvailable": 1, "tasks": [task]}
    return {"apiVersion": "batch.volcano.sh/v1alpha1", "kind": "Job", "metadata": {"name": "x"}, "spec": spec}


MALFORMED = (
    a_volcano_job("x"),
    a_volcano_job({"replicas": 1, "minAvailable": []}),
    a_volcano_job({"replicas": 1, "template": {"spec": {"containers": [1]}}}),
    a_volcano_job({"replicas": 1, "template": {"spec": {"containers": [{"resources": {"limits": {"cpu": "x"}}}]}}}),
    {**a_job_set(1), "spec": {"replicatedJobs": [1]}},
    {"apiVersion": ["v1"], "kind": {"a": 1}},
    {"apiVersion": "trainer.kubeflow.org/v1alpha1", "kind": "TrainJob", "metadata": {"name": "x"}, "spec": {}},
)


def test_every_declared_topic_is_served() -> None:
    topics = view_topics()
    assert {*VIEWS} == {topic.name for topic in topics}
    assert all(topic.params is VIEWS[topic.name].params for topic in topics)


@pytest.mark.parametrize(("path", "code"), REFUSED)
def test_a_route_refuses_with_a_reason(platform: Platform, owner: Person, path: str, code: int) -> None:
    answer = signed_in(platform, owner).get(path)

    assert answer.status_code == code, answer.text
    assert answer.json()["error"]


@pytest.mark.parametrize(
    "path",
    [
        *(f"/api/views/{topic}" for topic in ("queues", "timeline", *NAMESPACED)),
        *(f"/api/views/{topic}?namespace={OWN}" for topic in NAMESPACED),
        f"/api/views/home?namespace={SECRET}",
        f"/api/views/job?{JOB}",
        f"/api/jobs/PyTorchJob/{OWN}/{OWN}-job/curves",
        "/api/metrics",
        "/api/metrics/node",
        "/api/metrics/podcpu",
        "/api/metrics/podcpu?top=8",
        "/api/metrics/podmem?interval=Last5m",
    ],
)
def test_no_answer_names_anything_of_another_namespace(platform: Platform, owner: Person, path: str) -> None:
    answer = signed_in(platform, owner).get(path)

    assert answer.status_code == 200, answer.text
    assert SECRET not in answer.text.replace(f'"namespace":"{SECRET}"', "")


@pytest.mark.parametrize("topic", ["jobs", "queues", "home", "volumes", "notebooks"])
def test_own_objects_are_in_the_view(platform: Platform, owner: Person, topic: str) -> None:
    assert OWN in signed_in(platform, owner).get(f"/api/views/{topic}").text


async def test_topics_of_the_stream_keep_to_the_same_rights(platform: Platform, owner: Person) -> None:
    params = {topic: {"namespace": OWN} for topic in NAMESPACED} | {"queues": {}, "timeline": {}}
    params["job"] = {"kind": "PyTorchJob", "namespace": OWN, "name": f"{OWN}-job"}
    async with a_page(platform, owner) as page:
        for id, (topic, asked) in enumerate(params.items()):
            await page.send(op="subscribe", id=id, topic=topic, params=asked)
            assert SECRET not in str((await page.next("value", id))["value"])
        for id, (topic, asked, code) in enumerate(
            [
                ("jobs", {"namespace": SECRET}, 403),
                ("job", {"kind": "PyTorchJob", "namespace": SECRET, "name": f"{SECRET}-job"}, 403),
                ("cluster", {}, 403),
                ("job", {"kind": "PyTorchJob", "namespace": OWN, "name": "gone"}, 404),
                ("jobs", {"namespace": 7}, 400),
                ("queues", {"x": 1}, 400),
            ],
            start=100,
        ):
            await page.send(op="subscribe", id=id, topic=topic, params=asked)
            assert (await page.next("error", id))["status"] == code


async def test_a_view_is_sent_again_when_an_object_changes(platform: Platform, owner: Person) -> None:
    claims = f"/api/v1/namespaces/{OWN}/persistentvolumeclaims"
    claim = {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}}
    async with a_page(platform, owner) as page:
        await page.send(op="subscribe", id=1, topic="volumes", params={"namespace": OWN})
        await page.next("value", 1)
        body = {"metadata": {"name": "later"}, "spec": claim}
        await asyncio.to_thread(platform.api.create, claims, body)

        while "later" not in str((await page.next("value", 1))["value"]):
            pass


def test_forecasts_and_questions_are_limited_to_what_the_user_sees(platform: Platform, owner: Person) -> None:
    api = app_of(platform, owner, "")
    manifest = {
        "kind": "Job",
        "apiVersion": "batch/v1",
        "metadata": {"name": "new"},
        "spec": {"template": {"spec": {}}},
    }

    for path, body, code in (
        ("/api/forecast", {"manifest": manifest, "namespace": SECRET}, 403),
        ("/api/forecast", {"manifest": manifest, "namespace": "A_B"}, 400),
        ("/api/forecast", {"manifest": "a: [", "namespace": OWN}, 400),
        ("/api/forecast", {"manifest": 7, "namespace": OWN}, 400),
        ("/api/forecast", {"manifest": {**manifest, "metadata": {"name": "new", "namespace": SECRET}}}, 403),
        ("/api/what-if", {"manifest": {**manifest, "metadata": {"namespace": SECRET}}, "namespace": OWN}, 403),
        ("/api/forecast", {"manifest": {**manifest, "spec": {"parallelism": 2**31}}, "namespace": OWN}, 400),
        ("/api/forecast", {"manifest": a_job_set(2**31), "namespace": OWN}, 400),
        ("/api/forecast", {"manifest": ALIASES, "namespace": OWN}, 400),
        ("/api/forecast", {"manifest": "&a [*a]", "namespace": OWN}, 400),
        ("/api/forecast", {"manifest": "x" * 300_000, "namespace": OWN}, 400),
        *(("/api/forecast", {"manifest": odd, "namespace": OWN}, 400) for odd in MALFORMED),
        ("/api/forecast", {}, 400),
        ("/api/forecast", {"manifest": {"kind": "Deployment", "spec": {}}, "namespace": OWN}, 400),
        ("/api/what-if", {"queues": [{"name": "nothing", "weight": 2}]}, 400),
        ("/api/what-if", {"nodes": {"count": 0, "like": "x"}}, 400),
        ("/api/what-if", {"nodes": {"count": 1, "allocatable": {"cpu": "many"}}}, 400),
        ("/api/what-if", {"removeNodes": ["nothing"]}, 400),
    ):
        answer = api.post(path, body)
        assert (answer.status_code, bool(answer.json()["error"])) == (code, True), (path, body, answer.text)
    answer = api.post("/api/what-if", {"nodes": {"count": 4, "allocatable": {"cpu": "64", "memory": "64Gi"}}})
    assert answer.status_code == 200, answer.text
    assert SECRET not in answer.text
    outcome = {one["name"]: one for one in answer.json()["gangs"]}[f"{OWN}-gang"]
    assert (outcome["beforeSeconds"], outcome["afterSeconds"]) == (None, 0.0)

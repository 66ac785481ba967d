"""Suspend, resume, restart and clone jobs, with the rights of the user."""

from tests.gateway.browser import Person
from tests.gateway.platform import Platform
from tests.gateway.shared_platforms import OWN, SECRET, a_training_job
from tests.gateway.webapps.app_client import app_of

JOBS = f"/apis/kubeflow.org/v1/namespaces/{OWN}/pytorchjobs"


def test_a_job_is_suspended_and_resumed(platform: Platform, owner: Person) -> None:
    platform.api.create(JOBS, a_training_job("pausing", OWN))
    api = app_of(platform, owner, "")

    assert api.post(f"/api/jobs/PyTorchJob/{OWN}/pausing/suspend", {}).json()["state"] == "Suspended"
    resumed = api.post(f"/api/jobs/pytorchjob/{OWN}/pausing/resume", {})
    assert (resumed.status_code, resumed.json()["state"] != "Suspended") == (200, True), resumed.text


def test_a_restart_keeps_name_and_spec_and_is_refused_while_the_job_runs(platform: Platform, owner: Person) -> None:
    made = platform.api.create(JOBS, a_training_job("again", OWN, suspend=True))
    api = app_of(platform, owner, "")
    refused = api.post(f"/api/jobs/PyTorchJob/{OWN}/again/restart", {})
    assert (refused.status_code, "forced" in refused.json()["error"]) == (409, True), refused.text

    answer = api.post(f"/api/jobs/PyTorchJob/{OWN}/again/restart", {"force": True})

    assert answer.status_code == 200, answer.text
    after = platform.api.get(f"{JOBS}/again")
    assert after["metadata"]["uid"] == answer.json()["uid"] != made["metadata"]["uid"]
    assert after["spec"] == made["spec"]


def test_a_clone_is_a_manifest_that_can_be_created(platform: Platform, owner: Person) -> None:
    platform.api.create(JOBS, a_training_job("model", OWN, suspend=True))

    manifest = app_of(platform, owner, "").post(f"/api/jobs/PyTorchJob/{OWN}/model/clone", {}).json()["manifest"]

    assert {*manifest} == {"apiVersion", "kind", "metadata", "spec"}
    assert manifest["metadata"] == {"name": "model-copy", "namespace": OWN}
    assert platform.api.create(JOBS, manifest)["metadata"]["name"] == "model-copy"
    restarted = app_of(platform, owner, "").post(f"/api/jobs/PyTorchJob/{OWN}/model/restart", {"force": True})
    assert restarted.status_code == 200, f"a job that has a clone can be restarted: {restarted.text}"


def test_actions_need_rights_and_a_job(platform: Platform, owner: Person) -> None:
    api = app_of(platform, owner, "")

    for action in ("suspend", "resume", "restart", "clone"):
        assert api.post(f"/api/jobs/PyTorchJob/{SECRET}/{SECRET}-job/{action}", {}).status_code == 403
        assert api.post(f"/api/jobs/PyTorchJob/{OWN}/nothing/{action}", {}).status_code == 404
    assert api.post(f"/api/jobs/PyTorchJob/{OWN}/model/restart", {"force": "yes"}).status_code == 400


def test_a_page_of_another_site_cannot_act(platform: Platform, owner: Person) -> None:
    browser = app_of(platform, owner, "").browser

    for path in (f"/api/jobs/PyTorchJob/{OWN}/{OWN}-job/restart", "/api/forecast", "/api/what-if"):
        answer = browser.session.post(f"{browser.url}{path}", json={}, timeout=60)
        assert answer.status_code == 403, answer.text

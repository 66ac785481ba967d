"""`kfp.Client()` with nothing but a kubeconfig: the API server says to the pipelines API whose request it proxies."""

from pathlib import Path

import pytest
import requests
import yaml

from tests.e2e.notebooks.desk import Desk
from tests.e2e.pipelines.sdk import KFP2
from tests.e2e.training.sdk_environment import run_story, sdk_python
from tests.support import eventually

STORY = Path(__file__).parent / "kfp2_kubeconfig_stories.py"
PROXY = "/api/v1/namespaces/kubeflow/services/ml-pipeline:http/proxy//apis/v2beta1/experiments"
pytestmark = pytest.mark.timeout(600)


def test_a_run_by_a_client_that_knows_only_a_kubeconfig(desk: Desk) -> None:
    done = desk.platform.windlass("kubeconfig", "--user", desk.person.email)
    assert done.returncode == 0, done.stderr
    kubeconfig = Path(done.stdout.strip())
    eventually(lambda: bool(desk.kubectl("get", "endpointslice", "-n", "kubeflow", "-o", "name")), 60, "the endpoint")

    found = run_story(sdk_python(*KFP2), STORY, (str(kubeconfig), desk.namespace), 300)

    assert found["state"] == "SUCCEEDED"
    assert found["foreign"] == 403


def test_nobody_can_say_who_they_are_by_a_header(desk: Desk) -> None:
    api = desk.platform.api
    done = desk.platform.windlass("kubeconfig", "--user", desk.person.email)
    token = yaml.safe_load(Path(done.stdout.strip()).read_text())["users"][0]["user"]["token"]

    def status(**headers: str) -> int:
        answer = requests.get(f"{api.url}{PROXY}", headers=headers, verify=str(api.ca), timeout=30)
        return answer.status_code

    assert status(Authorization=f"Bearer {token}", **{"kubeflow-userid": "root@example.com"}) == 200
    assert status() in (401, 403)
    assert status(Authorization="Bearer wlx_guessed") == 401
    assert status(Authorization="Bearer wlx_guessed", **{"kubeflow-userid": desk.person.email}) == 401

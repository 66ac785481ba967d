"""A profile's namespace admits no pod with a folder of the host, whichever way it is asked for."""

from typing import Any

import pytest

from tests.apps.notebooks.web.test_form import a_form
from tests.gateway.platform import Platform
from tests.gateway.test_volumes_script import PROFILE, Script, script_of

NOTEBOOKS = f"/jupyter/api/namespaces/{PROFILE}/notebooks"
HOST = {"hostPath": {"path": "/etc"}}


@pytest.fixture
def editor(platform: Platform) -> Script:
    return script_of(platform, PROFILE, "default-editor")


@pytest.mark.parametrize(
    "fields",
    [
        {"datavols": [{"mount": "/host", "existingSource": HOST}]},
        {"workspace": {"mount": "/home/jovyan", "existingSource": HOST}},
    ],
    ids=["data", "workspace"],
)
def test_the_notebook_form_gives_no_folder_of_the_host(
    platform: Platform, editor: Script, fields: dict[str, Any]
) -> None:
    answer = editor.curl("POST", NOTEBOOKS, a_form(name="host-folder", **fields))

    assert (answer.status_code, "hostPath" in answer.json()["log"]) == (403, True), answer.text
    made = f"/apis/kubeflow.org/v1/namespaces/{PROFILE}/notebooks/host-folder"
    assert platform.api.request("GET", made).status == 404

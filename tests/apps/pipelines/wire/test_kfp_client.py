"""The unmodified SDK against the API."""

from pathlib import Path
from typing import Any

import pytest

from tests.apps.pipelines.wire.people import PipelinesUser
from tests.e2e.training.sdk_environment import run_story, sdk_python

STORIES = Path(__file__).with_name("kfp_stories.py")
SDK = "kfp==2.17.0"


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The SDK keeps the namespace that its user has chosen in the home folder."""
    monkeypatch.setenv("HOME", str(tmp_path))


@pytest.fixture(scope="module")
def python() -> Path:
    return sdk_python(SDK)


def result_of(python: Path, story: str, user: PipelinesUser, folder: Path, path: str = "/pipeline") -> Any:
    return run_story(python, STORIES, (story, f"{user.url}{path}", user.token, str(folder)), 120)


@pytest.mark.parametrize("path", ["/pipeline", ""])
def test_the_sdk_manages_experiments(python: Path, anna: PipelinesUser, tmp_path: Path, path: str) -> None:
    result = result_of(python, "experiments", anna, tmp_path, path)

    assert result == {"same": True, "listed": True, "archived": "ARCHIVED", "created": True}


def test_the_sdk_manages_pipelines(python: Path, anna: PipelinesUser, tmp_path: Path) -> None:
    result = result_of(python, "pipelines", anna, tmp_path)

    assert result["name"] == "greeting"
    assert result["versions"] == ["v2", "greeting"]
    assert result["pipeline"] == "greeting"
    assert result["by name"] is True
    assert result["left"] is None


def test_the_sdk_manages_runs(python: Path, anna: PipelinesUser, tmp_path: Path) -> None:
    result = result_of(python, "runs", anna, tmp_path)

    assert result["parameters"] == {"name": "x", "n": 2}
    assert result["inline"] == {"n": 3}
    assert result["listed"] == ["by version"]
    assert result["state"] in ("CANCELING", "FAILED")
    assert result["archived"] == "ARCHIVED"


def test_the_sdk_manages_recurring_runs(python: Path, anna: PipelinesUser, tmp_path: Path) -> None:
    result = result_of(python, "recurring_runs", anna, tmp_path)

    assert result["listed"] == ["nightly"]
    assert str(result["concurrency"]) == "3"
    assert result["cron"] == "0 0 3 * * *"
    assert result["status"] == "DISABLED"


def test_the_sdk_1_8_manages_everything(anna: PipelinesUser, tmp_path: Path) -> None:
    python = sdk_python("kfp==1.8.22", "setuptools<81")
    words = (f"{anna.url}/pipeline", anna.token, anna.namespace, str(tmp_path))
    result = run_story(python, STORIES.with_name("kfp_v1_stories.py"), words, 120)

    assert result == {
        "same": True,
        "pipeline": "n",
        "by version": "by version",
        "parameters": [["n", "4"]],
        "manifest": "Workflow",
        "listed": ["by package", "by version"],
        "jobs": ["nightly"],
    }

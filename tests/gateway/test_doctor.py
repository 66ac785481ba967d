"""`windlass doctor` on a running platform, and on one that does not run."""

import json
from pathlib import Path

from tests.gateway.browser import a_person
from tests.gateway.platform import Platform
from tests.support import eventually


def problems(platform: Platform) -> list[str]:
    done = platform.windlass("doctor", "-o", "json")
    found = json.loads(done.stdout)
    assert done.returncode == (1 if found else 0), done.stderr
    return [one["problem"] for one in found]


def test_a_user_without_a_profile_is_named_until_there_is_one(platform: Platform) -> None:
    person = a_person(platform, "patient@example.com")
    mine = f"{person.email} has no profile, so that the list of namespaces is empty"
    text = platform.windlass("doctor")

    assert text.returncode == 1
    assert f"profiles: {mine}\n  Make one: windlass profile create NAME --owner {person.email}\n" in text.stdout
    assert platform.windlass("profile", "create", "patient", "--owner", person.email).returncode == 0
    assert mine not in problems(platform)


def test_a_failed_profile_is_shown_with_its_message(platform: Platform) -> None:
    platform.api.create("/api/v1/namespaces", {"metadata": {"name": "taken", "annotations": {"owner": "else@where"}}})
    assert platform.windlass("profile", "create", "taken", "--owner", "patient@example.com").returncode == 0

    eventually(
        lambda: [one for one in problems(platform) if one.startswith("profile taken failed: ")], 30, "it is told"
    )
    assert platform.windlass("profile", "delete", "taken").returncode == 0


def test_a_gateway_that_does_not_answer_is_named(platform: Platform) -> None:
    state = platform.data_dir / "run" / "state.json"
    before = state.read_text()
    state.write_text(json.dumps({**json.loads(before), "gateway_listen": "http://127.0.0.1:1"}))
    found = problems(platform)
    state.write_text(before)

    assert any("the gateway does not answer at" in one and "refused" in one for one in found), found
    assert not any("the gateway does not answer" in one for one in problems(platform))


def test_a_windlass_that_does_not_run_is_said_to_be_so(tmp_path: Path) -> None:
    done = Platform(tmp_path).windlass("doctor")

    assert done.returncode == 1
    assert "Start it: windlass up --detach" in done.stdout
    assert not (tmp_path / "data").exists(), "looking must change nothing"

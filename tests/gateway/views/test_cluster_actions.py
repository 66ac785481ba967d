"""The page of the cluster: an administrator ends sessions and writes backups; nobody else does, and each is logged."""

import json
import os
import stat
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.gateway.browser import Person, a_person, signed_in
from tests.gateway.platform import Platform
from tests.gateway.webapps.app_client import RBAC, app_of
from windlass.gateway.views.cluster_actions import ON_A_CLUSTER, backup_refusal
from windlass.gateway.views.cluster_rows import ProcessUse, component_rows
from windlass.supervisor import process
from windlass.supervisor.run_state import ComponentState, RunState

BINDINGS = f"{RBAC}/clusterrolebindings"


@pytest.fixture(scope="module")
def administrator(platform: Platform) -> Iterator[Person]:
    person = a_person(platform, "views-admin@example.com")
    binding = {
        "metadata": {"name": "views-admin"},
        "roleRef": {"apiGroup": "rbac.authorization.k8s.io", "kind": "ClusterRole", "name": "cluster-admin"},
        "subjects": [{"apiGroup": "rbac.authorization.k8s.io", "kind": "User", "name": person.email}],
    }
    platform.api.create(BINDINGS, binding)
    yield person
    platform.api.request("DELETE", f"{BINDINGS}/views-admin")


def audited(platform: Platform, event: str) -> list[dict[str, str]]:
    text = (platform.data_dir / "logs" / "audit.log").read_text()
    return [line for line in map(json.loads, text.splitlines()) if line["event"] == event]


def test_an_administrator_ends_the_session_of_another_user(platform: Platform, administrator: Person) -> None:
    victim = a_person(platform, "views-victim@example.com")
    browser, api = signed_in(platform, victim), app_of(platform, administrator, "")
    sessions = api.get("/api/views/cluster").json()["sessions"]
    session = next(one for one in sessions if one["user"] == victim.email)
    assert session["userAgent"].startswith("python-requests")
    path = f"/api/cluster/users/{victim.email}/sessions/{session['id']}"

    ended = api.delete(path)

    assert (ended.status_code, victim.email in ended.json()["message"]) == (200, True), ended.text
    assert browser.get("/api/account/session", allow_redirects=False).status_code == 401
    assert api.delete(path).status_code == 404
    line = audited(platform, "session.revoked")[-1]
    assert (line["user"], line["of"], line["session"]) == (administrator.email, victim.email, session["id"])


def test_a_backup_is_written_for_the_owner_alone(platform: Platform, administrator: Person) -> None:
    api = app_of(platform, administrator, "")

    answer = api.post("/api/cluster/backup", {})

    assert answer.status_code == 200, answer.text
    backup = answer.json()["backup"]
    file = Path(backup["path"])
    assert (file.parent, file.stat().st_size) == (platform.data_dir / "backups", backup["bytes"])
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    with tarfile.open(file) as tar:
        assert {"backup.json", "store.db", "gateway/gateway.db"} <= {*tar.getnames()}
    view = api.get("/api/views/cluster").json()
    assert (view["lastBackup"], view["backupRefusal"]) == (backup, "")
    assert audited(platform, "backup.written")[-1]["user"] == administrator.email
    assert all(one["cpuSeconds"] > 0 for one in view["components"] if one["pid"])


def test_old_backups_give_way_to_a_new_one(platform: Platform, administrator: Person) -> None:
    api, folder = app_of(platform, administrator, ""), platform.data_dir / "backups"
    folder.mkdir(mode=0o700, exist_ok=True)
    old = [folder / f"windlass-202001{day:02}T000000Z.tar" for day in range(1, 13)]
    for file in (*old, folder / "mine.tar"):
        file.touch()

    written = Path(api.post("/api/cluster/backup", {}).json()["backup"]["path"])

    limit = api.get("/api/views/cluster").json()["maxBackups"]
    kept = sorted(file for file in folder.iterdir() if file.name.startswith("windlass-"))
    assert (limit, len(kept), written in kept, old[-1] in kept) == (10, 10, True, True)
    assert (folder / "mine.tar").exists()
    assert str(old[0]) in {line["path"] for line in audited(platform, "backup.deleted")}


@pytest.mark.parametrize(
    ("method", "path"), [("POST", "backup"), ("DELETE", "users/views-admin@example.com/sessions/x")]
)
def test_others_and_other_sites_cannot(
    platform: Platform, owner: Person, administrator: Person, method: str, path: str
) -> None:
    url = f"/api/cluster/{path}"
    refused = app_of(platform, owner, "").send(method, url, json={})
    assert (refused.status_code, "administrator" in refused.json()["error"]) == (403, True), refused.text

    api = app_of(platform, administrator, "")
    without_token = api.browser.session.request(method, f"{platform.url}{url}", json={}, timeout=60)
    foreign = api.send(method, url, json={}, headers={"Origin": "https://evil.example"})
    assert (without_token.status_code, foreign.status_code) == (403, 403)


def test_a_gateway_without_the_files_says_so(tmp_path: Path) -> None:
    assert backup_refusal(None) == ON_A_CLUSTER
    assert str(tmp_path) in backup_refusal(tmp_path)
    (tmp_path / "store.db").touch()
    assert backup_refusal(tmp_path) == ""


def test_a_component_has_the_use_of_its_process() -> None:
    own = ProcessUse(process.memory(os.getpid()), process.cpu_seconds(os.getpid()))
    states = (ComponentState(name="server", state="running", pid=7), ComponentState(name="node", state="restarting"))
    run = RunState(pid=1, born=1, version="0.1.0", phase="ready", url="", started=0.0, components=states)

    rows = component_rows(run, {7: own})

    assert [(row.state, row.cpu_seconds) for row in rows] == [("ok", own.cpu_seconds), ("down", None)]
    assert (own.cpu_seconds or 0) > 0

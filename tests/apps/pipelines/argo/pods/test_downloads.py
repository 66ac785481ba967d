"""Input artifacts at URLs and in git: the container of the pod that gets them, and its program."""

import gzip
import io
import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from tests.apps.pipelines.argo.simulation import Simulation
from tests.apps.pipelines.workflows import a_container, a_workflow
from windlass.apps.pipelines.argo.pods.downloads import PROGRAM, container
from windlass.kube.json import Object

SECRET = {"name": "s", "key": "k"}


def archive(**files: str) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w") as tar:
        for name, content in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(content)
            tar.addfile(entry, io.BytesIO(content.encode()))
    return gzip.compress(made.getvalue())


CONTENTS = {"/plain": b"hello", "/one.tgz": archive(x="one"), "/two.tgz": archive(x="one", y="two")}


class Files(BaseHTTPRequestHandler):
    """Serves CONTENTS, and at /headers what it was sent."""

    def do_GET(self) -> None:
        sent = f"{self.headers['X-Word']} {self.headers['Authorization']}".encode()
        content = CONTENTS.get(self.path, sent if self.path == "/headers" else None)
        self.send_response(200 if content is not None else 404)
        self.end_headers()
        self.wfile.write(content or b"")

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    server = HTTPServer(("127.0.0.1", 0), Files)
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def get(folder: Path, artifact: Object, **variables: str) -> "subprocess.CompletedProcess[str]":
    """Run the program for one artifact, as its container would."""
    made = container({"a": {"name": "a", **artifact}}, {}, str(folder / "inputs"))
    given = {item["name"]: item["value"].replace("$$(", "$(") for item in made["env"] if "value" in item}
    environment = {**os.environ, **given, "MESSAGE": str(folder / "message"), **variables}
    words = [sys.executable, "-c", PROGRAM]
    return subprocess.run(words, env=environment, capture_output=True, text=True, timeout=60, check=False)


def test_a_file_is_downloaded_with_headers_and_credentials(url: str, tmp_path: Path) -> None:
    place = {"url": f"{url}/headers", "headers": [{"name": "X-Word", "value": "$(HOME)"}]}

    done = get(tmp_path, {"http": place}, SECRET_0_USERNAME="u", SECRET_0_PASSWORD="p")

    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "inputs/a").read_text() == "$(HOME) Basic dTpw"


@pytest.mark.parametrize(
    ("path", "fields", "files"),
    [
        ("/plain", {}, {"a": "hello"}),
        ("/one.tgz", {}, {"a": "one"}),
        ("/two.tgz", {}, {"a/x": "one", "a/y": "two"}),
    ],
)
def test_an_archive_is_unpacked(url: str, tmp_path: Path, path: str, fields: Object, files: dict[str, str]) -> None:
    assert get(tmp_path, {"http": {"url": f"{url}{path}"}, **fields}).returncode == 0

    folder = tmp_path / "inputs"
    found = {str(one.relative_to(folder)): one.read_text() for one in folder.rglob("*") if one.is_file()}
    assert found == files


def test_an_archive_stays_packed_where_the_artifact_says_so(url: str, tmp_path: Path) -> None:
    get(tmp_path, {"http": {"url": f"{url}/one.tgz"}, "archive": {"none": {}}})

    assert (tmp_path / "inputs/a").read_bytes() == CONTENTS["/one.tgz"]


def test_a_url_without_a_file_fails_unless_the_artifact_is_optional(url: str, tmp_path: Path) -> None:
    refused = get(tmp_path, {"http": {"url": f"{url}/no"}})
    optional = get(tmp_path, {"http": {"url": f"{url}/no"}, "optional": True})

    assert (refused.returncode, optional.returncode) == (1, 0)
    assert (tmp_path / "message").read_text() == f"Cannot download {url}/no: the server answered 404 Not Found"


def git(folder: Path, *words: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    done = subprocess.run(["git", *identity, *words], cwd=folder, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("repository")
    git(folder, "init", "-q", "-b", "main")
    for number in (1, 2):
        (folder / "file").write_text(f"{number}")
        git(folder, "add", "file")
        git(folder, "commit", "-qm", f"{number}")
    git(folder, "branch", "old", "HEAD~1")
    return folder


@pytest.mark.parametrize(
    ("fields", "content"),
    [
        ({}, "2"),
        ({"branch": "old", "singleBranch": True, "depth": 1}, "1"),
        ({"revision": "old", "fetch": ["refs/heads/old:refs/heads/old"]}, "1"),
        ({"revision": "HEAD~1"}, "1"),
    ],
)
def test_a_repository_is_cloned_at_a_revision(repository: Path, tmp_path: Path, fields: Any, content: str) -> None:
    done = get(tmp_path, {"git": {"repo": f"file://{repository}", **fields}})

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "inputs/a/file").read_text() == content


def test_a_revision_that_a_shallow_clone_lacks_is_fetched(repository: Path, tmp_path: Path) -> None:
    revision = git(repository, "rev-parse", "HEAD~1")

    done = get(tmp_path, {"git": {"repo": f"file://{repository}", "revision": revision, "depth": 1}})

    assert done.returncode == 0, done.stderr
    assert (tmp_path / "inputs/a/file").read_text() == "1"


def test_a_repository_that_cannot_be_cloned_fails_with_the_reason(tmp_path: Path) -> None:
    done = get(tmp_path, {"git": {"repo": f"file://{tmp_path}/nothing"}})

    assert done.returncode == 1
    assert (tmp_path / "message").read_text().startswith(f"Cannot clone file://{tmp_path}/nothing: fatal: ")


def test_an_image_without_git_is_named(tmp_path: Path) -> None:
    done = get(tmp_path, {"git": {"repo": "https://example.com/r.git"}}, PATH="/nowhere")

    assert done.returncode == 1
    assert (tmp_path / "message").read_text().endswith("the image of the container has no program git")


def test_secrets_are_variables_of_the_container_and_not_in_its_plan() -> None:
    auth = {"basicAuth": {"usernameSecret": SECRET, "passwordSecret": SECRET}}
    made = container(
        {
            "h": {"http": {"url": "u", "auth": auth}},
            "g": {"git": {"repo": "r", "sshPrivateKeySecret": SECRET, "depth": 1}},
        },
        {"mountPath": "/x"},
        "/f",
    )

    variables = {item["name"]: item for item in made["env"]}
    assert {name for name in variables if "valueFrom" in variables[name]} == {
        "SECRET_0_USERNAME", "SECRET_0_PASSWORD", "SECRET_1_KEY"
    }  # fmt: skip
    assert variables["SECRET_1_KEY"]["valueFrom"] == {"secretKeyRef": SECRET}
    assert json.loads(variables["DOWNLOADS"]["value"]) == [
        {"name": "h", "http": {"url": "u"}, "archive": "tgz", "optional": False},
        {"name": "g", "git": {"repo": "r", "depth": 1}, "archive": "tgz", "optional": False},
    ]


def test_a_pod_with_downloads_gets_their_container_first() -> None:
    artifacts = [{"name": "code", "path": "/src", "git": {"repo": "{{workflow.parameters.r}}"}, "optional": True}]
    template = a_container("m", "ls", inputs={"artifacts": artifacts}, initContainers=[{"name": "mine", "image": "i"}])

    run = Simulation(
        a_workflow(template, arguments={"parameters": [{"name": "r", "value": "https://example.com/r.git"}]})
    ).run()

    pod = run.pod_of("")["spec"]
    assert [one["name"] for one in pod["initContainers"]] == ["download-artifacts", "mine"]
    first = pod["initContainers"][0]
    assert first["volumeMounts"] == [{"name": "argo-artifacts", "mountPath": "/var/run/argo", "subPath": ".argo/w"}]
    assert "https://example.com/r.git" in next(item["value"] for item in first["env"] if item["name"] == "DOWNLOADS")
    assert "[ ! -e /var/run/argo/inputs/code ] || cp -R" in run.command_of("")[2]

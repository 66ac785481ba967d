"""The viewer of scalars, as its image runs it: on the files that the image's rule names, with TensorBoard's options."""

import json
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

import pytest
import yaml

from tests.formats.event_files import TENSORBOARDX, event, simple
from tests.support import eventually
from windlass.node.images import shipped

TOKEN = "a" * 64


@pytest.fixture(scope="module")
def logs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("logs")
    (folder / "events.out.tfevents.1.host").write_bytes(TENSORBOARDX)
    (folder / "eval").mkdir()
    (folder / "eval" / "events.out.tfevents.2.host").write_bytes(event(7, 2.0, simple("accuracy", float("nan"))))
    (folder / "broken").mkdir()
    (folder / "broken" / "events.out.tfevents.3.host").write_bytes(b"this is not a record, whatever it is called")
    (folder / "notes.txt").write_text("not an event file")
    return folder


@pytest.fixture(scope="module")
def url(tmp_path_factory: pytest.TempPathFactory, logs: Path) -> Iterator[str]:
    root = tmp_path_factory.mktemp("image")
    rules = yaml.safe_load(Path(shipped.__file__).with_name("builtin.yaml").read_text())["images"]
    rule = next(rule for rule in rules if rule["image"] == "windlass/scalar-viewer")
    for target, source in shipped.files(root, rule["files"], "/usr/bin").items():
        placed = root / "placed" / target.lstrip("/")
        placed.parent.mkdir(parents=True, exist_ok=True)
        placed.write_bytes(Path(source).read_bytes())
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    main = root / "placed/opt/windlass/scalar_viewer/__main__.py"
    words = [sys.executable, "-I", "-S", str(main), f"--logdir={logs}", "--bind_all", f"--port={port}"]
    with subprocess.Popen(words, cwd=root, env={"WINDLASS_SERVER_TOKEN": TOKEN}) as server:
        base = f"http://127.0.0.1:{port}"

        def is_up() -> bool:
            assert server.poll() is None
            try:
                return urlopen(f"{base}/healthz", timeout=5).status == 200
            except URLError:
                return False

        try:
            eventually(is_up, 20, "the viewer listens")
            yield base
        finally:
            server.terminate()


def of_gateway(url: str) -> Request:
    return Request(url, headers={"x-windlass-server-token": TOKEN})


def get(url: str) -> Any:
    with urlopen(of_gateway(url), timeout=10) as answer:
        return json.load(answer)


def test_runs_and_curves_have_tensorboards_paths(url: str) -> None:
    assert get(f"{url}/data/runs") == [".", "broken", "eval"]
    tags = get(f"{url}/data/plugin/scalars/tags")
    assert {run: list(found) for run, found in tags.items()} == {
        ".": ["train/loss"],
        "broken": [],
        "eval": ["accuracy"],
    }
    points = get(f"{url}/data/plugin/scalars/scalars?run=.&tag=train%2Floss")
    assert points == [
        [1700000000.0, 0, 1.0],
        [1700000001.0, 1, 0.5],
        [1700000002.0, 2, pytest.approx(1 / 3)],
    ]
    assert get(f"{url}/data/plugin/scalars/scalars?run=eval&tag=accuracy") == [[2.0, 7, None]]


def test_page_has_a_banner_and_damaged_files_are_named(url: str) -> None:
    with urlopen(of_gateway(f"{url}/"), timeout=10) as answer:
        assert "built-in viewer shows scalars only" in answer.read().decode()
        assert "default-src 'none'" in answer.headers["content-security-policy"]
    assert "damaged at byte 0" in get(f"{url}/data/problems")["broken/events.out.tfevents.3.host"]


@pytest.mark.parametrize("path", ["/data/plugin/scalars/scalars?run=no&tag=no", "/../etc/passwd", "/lib/x", "/data"])
def test_what_is_not_there_is_404(url: str, path: str) -> None:
    with pytest.raises(HTTPError) as refused:
        urlopen(of_gateway(url + path), timeout=10)

    assert refused.value.code == 404
    refused.value.close()


def test_what_is_appended_is_read(url: str, logs: Path) -> None:
    with (logs / "eval" / "events.out.tfevents.2.host").open("ab") as file:
        file.write(event(8, 3.0, simple("accuracy", 0.5)))

    def steps() -> list[int]:
        return [step for _, step, _ in get(f"{url}/data/plugin/scalars/scalars?run=eval&tag=accuracy")]

    eventually(lambda: steps() == [7, 8], 20, "the appended point")


@pytest.mark.parametrize("headers", [{}, {"x-windlass-server-token": "b" * 64}, {"Authorization": f"token {TOKEN}"}])
@pytest.mark.parametrize("path", ["/", "/data/runs"])
def test_only_the_gateway_is_answered(url: str, path: str, headers: dict[str, str]) -> None:
    with pytest.raises(HTTPError) as refused:
        urlopen(Request(url + path, headers=headers), timeout=10)

    assert refused.value.code == 403
    refused.value.close()

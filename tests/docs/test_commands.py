"""Every command in the README and the docs does what the page says, on a Windlass of its own."""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.e2e.training.images import kept_images

from .pages import PAGES, ROOT, Block, Step, blocks

RUNNABLE = [page for page in PAGES if any(not block.not_run for block in blocks(page))]
MARK = "<<step>>"
OLDEST_KUBECTL = 28  # the `auth whoami` of 1.27 knows only versions that Kubernetes has dropped
WITHOUT_PODS = (  # they run none, so they need no node
    "access.md",
    "admission.md",
    "cluster.md",
    "custom-resources.md",
    "dashboard-api.md",
    "data.md",
    "profiles.md",
)
WITH_GATEWAY = ("README.md", "dashboard-api.md", "getting-started.md", "login.md", "pipelines.md")
WITH_KEPT_IMAGES = ("notebooks.md", "tensorboards.md")
"""They need environments of hundreds of megabytes, which outlive a test run."""
LONGEST_PAGE = 240  # seconds, on a slow machine that does other things too
END_JOBS = "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n"


@pytest.fixture
def environment(tmp_path: Path) -> Iterator[dict[str, str]]:
    """A newcomer's shell: an empty home, Windlass on the PATH, and a port that nobody else uses."""
    home = tmp_path / "h"
    home.mkdir()
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("WINDLASS_", "XDG_", "KUBE"))}
    with socket.socket() as probe, socket.socket() as other:
        probe.bind(("127.0.0.1", 0))
        other.bind(("127.0.0.1", 0))
        port, gateway_port = probe.getsockname()[1], other.getsockname()[1]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    env = {**kept, "HOME": str(home), "PATH": path, "NO_COLOR": "1"}
    env |= {"WINDLASS_PORT": str(port), "WINDLASS_GATEWAY_PORT": str(gateway_port)}
    yield env
    subprocess.run(["windlass", "down", "--kill"], env=env, check=False, capture_output=True)


def kubectl_minor() -> int:
    """The minor version of the kubectl on the PATH, 0 without one."""
    if not shutil.which("kubectl"):
        return 0
    done = subprocess.run(["kubectl", "version", "--client", "-o", "json"], capture_output=True, check=True)
    return int(re.sub(r"\D", "", json.loads(done.stdout)["clientVersion"]["minor"]))


@pytest.mark.timeout(LONGEST_PAGE + 20)
@pytest.mark.parametrize("page", RUNNABLE, ids=lambda page: str(page.relative_to(ROOT)))
def test_the_commands_of_a_page_work_in_order(page: Path, environment: dict[str, str]) -> None:
    steps = [(block, step) for block in blocks(page) if not block.not_run for step in block.steps]
    if any("kubectl" in step.command for _, step in steps) and kubectl_minor() < OLDEST_KUBECTL:
        pytest.skip(f"there is no kubectl 1.{OLDEST_KUBECTL} or newer on the PATH")
    if page.name in WITHOUT_PODS:
        environment["WINDLASS_NO_NODE"] = "true"
    if page.name in WITH_KEPT_IMAGES:
        environment["WINDLASS_IMAGES_DIR"] = str(kept_images())
    if page.name not in WITH_GATEWAY:
        environment["WINDLASS_NO_GATEWAY"] = "true"
    script = END_JOBS + "".join(f"echo '{MARK}'\n{step.command.rstrip()}\n" for _, step in steps)
    end, outputs = run_script(script, environment)
    assert end == "0", f"{where(page, *steps[len(outputs) - 1])} ended with {end}:\n{outputs[-1]}"
    for (block, step), output in zip(steps, outputs, strict=True):
        compare(where(page, block, step), step.prints, output, environment["HOME"])


def run_script(script: str, environment: dict[str, str]) -> tuple[str, list[str]]:
    """How a script has ended, and what each of its steps printed; the last one is that which failed or hangs."""
    try:
        done = subprocess.run(
            ["bash", "-euo", "pipefail", "-c", script],
            env=environment,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            timeout=LONGEST_PAGE,
            check=False,
        )
        end, printed = str(done.returncode), done.stdout
    except subprocess.TimeoutExpired as error:
        end, printed = f"no result after {LONGEST_PAGE} s", error.stdout or b""
    return end, printed.decode(errors="replace").split(f"{MARK}\n")[1:]


def where(page: Path, block: Block, step: Step) -> str:
    return f"{page.relative_to(ROOT)}:{block.line}: {step.command}"


def compare(place: str, shown: tuple[str, ...], printed: str, home: str) -> None:
    """Each line shown is printed, in that order; numbers, ages, paths and widths may differ, and … is anything."""
    rest = iter([normal(line, home) for line in printed.splitlines()])
    for line in shown:
        if line.strip() in ("...", "…"):
            continue
        pattern = re.escape(normal(line, home)).replace("…", ".*")
        assert any(re.fullmatch(pattern, one) for one in rest), f"{place}\nshows  {line!r}\nprints {printed}"


def normal(line: str, home: str) -> str:
    line = re.sub(
        r" deleted from \S+ namespace$", " deleted", line.replace(home, "/home/ann")
    )  # kubectl 1.34 says where
    line = re.sub(r"https://127\.0\.0\.1:\d+", "https://127.0.0.1:6443", line)
    line = re.sub(r"\b\d+(\.\d+)?(d|h|m|s|ms)?((\d+)(h|m|s))?\b", "0", line)
    line = re.sub(r"\b0 (B|KB|MB|GB)\b", "0 MB", line)
    return re.sub(r"\s+", " ", line).strip()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    targets = re.findall(r"\]\((?!https?://|#)([^)#\s]+)", page.read_text())

    assert [target for target in targets if not (page.parent / target).exists()] == []

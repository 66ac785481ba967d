"""Pods may name packages that their image's environment gets besides; pip then has nothing to do."""

import asyncio
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.node.images.builders import a_wheel, only
from windlass.apis.pod_packages import PodPackages, parse_packages
from windlass.node.images.image import Image
from windlass.node.images.images import Images
from windlass.node.images.package_failures import RETRY_AFTER, PackageFailures
from windlass.node.images.pip_program import ORIGINAL
from windlass.node.images.pipconfig import PipConfig

PYTHON = f"python:{sys.version_info[0]}.{sys.version_info[1]}"


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheels")
    a_wheel(folder, "tiny")
    a_wheel(folder, "small", requires=("tiny>=1.0",))
    a_wheel(folder, "needy", requires=("absent>=1.0", 'tiny; extra == "more"', 'other; os_name == "nt"'))
    return folder


def an_images(tmp_path: Path, wheels: Path, rules: str = "images: []") -> Images:
    (tmp_path / "images.yaml").write_text(rules)
    images = Images(tmp_path)
    images.config = only(wheels)
    return images


def run(image: Image, *argv: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": ":".join([*image.path, "/usr/bin", "/bin"]), **image.environment, "HOME": "/", **variables}
    return subprocess.run(["env", *argv], env=environment, capture_output=True, text=True, check=False)


def is_importable(image: Image, name: str) -> bool:
    return run(image, "python3", "-c", f"import {name}").returncode == 0


async def test_packages_are_in_the_environment_with_what_they_depend_on(tmp_path: Path, wheels: Path) -> None:
    images = an_images(tmp_path, wheels)
    packages = parse_packages("small")
    assert images.present(PYTHON, packages) is None

    image = await images.pull(PYTHON, packages=packages)

    assert is_importable(image, "small")
    assert is_importable(image, "tiny")
    assert image.warnings == ()
    assert images.present(PYTHON, packages) == image
    assert Images(tmp_path).environments.all()[0].requirements == ("small",)


async def test_packages_without_dependencies_come_alone(tmp_path: Path, wheels: Path) -> None:
    image = await an_images(tmp_path, wheels).pull(PYTHON, packages=parse_packages("--no-deps\nneedy"))

    assert is_importable(image, "needy")
    assert not is_importable(image, "absent")


async def test_the_plain_image_is_another_environment(tmp_path: Path, wheels: Path) -> None:
    images = an_images(tmp_path, wheels)
    packages = parse_packages("tiny")

    with_packages, plain = await images.pull(PYTHON, packages=packages), await images.pull(PYTHON)

    assert is_importable(with_packages, "tiny")
    assert not is_importable(plain, "tiny")
    assert images.present(PYTHON) == plain
    assert images.present(PYTHON, packages) == with_packages
    assert await images.pull(PYTHON, packages=parse_packages("tiny\ntiny")) == with_packages


async def test_packages_are_added_to_those_of_the_image(tmp_path: Path, wheels: Path) -> None:
    rule = f"images: [{{image: me/app, python: '{PYTHON[7:]}', packages: [tiny], command: [tiny]}}]"
    image = await an_images(tmp_path, wheels, rule).pull("me/app", packages=parse_packages("--no-deps\nneedy"))

    assert is_importable(image, "tiny")
    assert is_importable(image, "needy")


def test_an_image_that_is_not_built_is_left_alone(tmp_path: Path, wheels: Path) -> None:
    images = an_images(tmp_path, wheels)

    assert images.present("busybox", parse_packages("tiny")) == images.present("busybox")


async def test_the_plain_image_runs_with_a_warning_where_packages_cannot_be_had(tmp_path: Path, wheels: Path) -> None:
    images = an_images(tmp_path, wheels)
    packages = parse_packages("tiny==9\n--no-deps\nsmall")

    image = await images.pull(PYTHON, packages=packages)

    assert (image.path, len(image.warnings)) == ((await images.pull(PYTHON)).path, 1)
    assert image.warnings[0].startswith("the image does not have tiny==9, small, which the container installs itself")
    assert "tiny" in image.warnings[0].split(": ", 1)[1]
    assert images.present(PYTHON, packages) == image


async def test_an_index_that_cannot_be_reached_gives_the_plain_image(tmp_path: Path) -> None:
    images = Images(tmp_path)
    images.config = PipConfig(index_url="http://127.0.0.1:9/simple")

    image = await images.pull(PYTHON, packages=PodPackages(whole=("tiny",)))

    assert "cannot be reached" in image.warnings[0]


def test_a_failure_counts_for_a_while() -> None:
    now = 100.0
    failures = PackageFailures(lambda: now)
    failures.add("key", "offline")

    assert failures.recent("key") == "offline"
    assert failures.recent("other") is None
    now += RETRY_AFTER.total_seconds()
    assert failures.recent("key") is None


PIP = ("python3", "-m", "pip", "install", "--no-index")
QUICK = ("python3", "-X", "importtime", "-m", "pip", "install")


def is_quick(image: Image, *arguments: str, **variables: str) -> bool:
    """Whether an install ended without pip's own program."""
    done = run(image, *QUICK, *arguments, PIP_NO_INDEX="1", **variables)
    is_pip = "pip._internal" in done.stderr
    assert is_pip or done.returncode == 0
    return not is_pip


@pytest.fixture(scope="module")
def image(tmp_path_factory: pytest.TempPathFactory, wheels: Path) -> Image:
    images = an_images(tmp_path_factory.mktemp("data"), wheels)
    return asyncio.run(images.pull(PYTHON, packages=parse_packages("small\n--no-deps\nneedy")))


def test_pip_ends_at_once_when_all_is_installed(image: Image) -> None:
    assert is_quick(image, "--quiet", "--no-warn-script-location", "small", "tiny>=0.5,<2")
    assert is_quick(image, "-q", "Small==1.0", 'absent<5; python_version<"3.4"')
    assert is_quick(image, "-q", "needy==1.0", "--no-deps")
    assert run(image, *PIP, "--quiet", "tiny").stdout == ""
    # pip has --no-index from its command line here, which the quick program does not know
    assert "already" in run(image, *PIP, "tiny").stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["tiny==2.0"],
        ["tiny>1.0"],
        ["absent"],
        ["needy"],
        ["--no-deps", "absent"],
        ["--upgrade", "tiny"],
        ["--force-reinstall", "tiny"],
        ["--target=/nowhere", "tiny"],
        ["-r", "tiny"],
        ["./tiny"],
        ["tiny @ https://127.0.0.1:9/tiny.whl"],
        ["tiny; nonsense"],
        ["tiny!"],
        [],
    ],
)
def test_pip_itself_decides_everything_else(image: Image, arguments: list[str]) -> None:
    assert not is_quick(image, "-q", *arguments)


def test_pip_itself_runs_where_it_is_configured_otherwise(image: Image, tmp_path: Path) -> None:
    (tmp_path / ".pip").mkdir()
    (tmp_path / ".pip" / "pip.conf").write_text("[install]\nupgrade = true\n")

    assert not is_quick(image, "-q", "tiny", PIP_UPGRADE="1")
    assert not is_quick(image, "-q", "tiny", HOME=str(tmp_path))
    assert is_quick(image, "-q", "tiny", PIP_INDEX_URL="http://127.0.0.1:9")


def test_the_other_commands_of_pip_are_its_own(image: Image) -> None:
    assert run(image, "python3", "-m", "pip", "--version").stdout.startswith("pip ")
    listed = run(image, "python3", "-m", "pip", "list", "--format=freeze").stdout.split()
    assert {"tiny==1.0", "small==1.0", "needy==1.0"} <= set(listed)
    assert run(image, "python3", "-m", "pip", "nonsense").returncode != 0


def test_what_a_container_installed_counts(image: Image, tmp_path: Path) -> None:
    a_wheel(tmp_path, "tiny", version="2.0")
    folder = Path(image.path[1]).parent
    try:
        assert run(image, *PIP, f"--find-links={tmp_path}", "tiny==2.0").returncode == 0
        assert is_quick(image, "-q", "tiny==2.0")
        assert not is_quick(image, "-q", "tiny==1.0")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def test_the_files_of_uvs_cache_are_not_changed(image: Image) -> None:
    (package,) = Path(image.path[0]).parent.glob("lib/python3*/site-packages/pip")
    cached = list(Path(image.path[0]).parents[2].glob("cache/**/pip/__main__.py"))

    assert "_internal" in (package / ORIGINAL).read_text()
    assert cached
    assert all(path.samefile(package / ORIGINAL) for path in cached)

"""Images become environments: built once, whole or not at all, and shared."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.node.images.builders import a_wheel, only
from tests.support import eventually
from windlass.node.images.catalogue import Environment
from windlass.node.images.choosing import Chooser, local_torch
from windlass.node.images.environments import RECORD
from windlass.node.images.image import Image, PullFailed, UnknownImage
from windlass.node.images.images import Images
from windlass.node.images.interpreters import Interpreter, find, nearest
from windlass.node.images.pipconfig import PipConfig, read
from windlass.node.images.pruning import prune

MINOR = f"{sys.version_info[0]}.{sys.version_info[1]}"


@pytest.fixture
def wheels(tmp_path: Path) -> Path:
    a_wheel(tmp_path / "wheels", "tiny", size=100_000)
    a_wheel(tmp_path / "wheels", "small")
    return tmp_path / "wheels"


def an_images(tmp_path: Path, wheels: Path, rules: str) -> Images:
    (tmp_path / "images.yaml").write_text(rules)
    images = Images(tmp_path)
    images.config = only(wheels)
    return images


def run(image: Image, *argv: str) -> str:
    path = ":".join([*image.path, "/usr/bin", "/bin"])
    environment = {"PATH": path, **image.environment}
    done = subprocess.run(["env", *argv], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


async def test_a_bare_python_is_built_without_a_network_and_has_pip(tmp_path: Path) -> None:
    images = Images(tmp_path)
    images.config = PipConfig(no_index=True)
    assert images.present(f"python:{MINOR}") is None

    image = await images.pull(f"python:{MINOR}")

    assert run(image, "python3", "-c", "import sys; print('%d.%d' % sys.version_info[:2])") == MINOR
    assert run(image, "python3", "-m", "pip", "--version").startswith("pip ")
    assert image.command == ("python3",)
    assert image.id.startswith("sha256:")
    assert image.warnings == ()
    assert images.present(f"python:{MINOR}") == image
    assert Images(tmp_path).present(f"python:{MINOR}") == image


@pytest.mark.parametrize(
    ("reference", "mapping"),
    [
        (
            "gcr.io/kubeflow-ci/pytorch-dist-sendrecv-test:1.0",
            "--python 3.11 --package torch --package numpy --package scikit-learn --command 'python3 train.py'",
        ),
        ("team/train:2", "--python 3.11 --package 'torch>=2' --command 'python3 train.py'"),
        ("nobody/knows:1", "--python 3.11 --command 'python3 train.py'"),
    ],
)
def test_an_image_without_a_program_says_what_to_do_before_anything_is_built(
    tmp_path: Path, reference: str, mapping: str
) -> None:
    rules = "lenient: true\nimages: [{image: team/train, python: '3.11', packages: ['torch>=2']}]"
    image = an_images(tmp_path, tmp_path, rules).described(reference)

    assert (image.entrypoint, image.command) == ((), ())
    assert image.remedy == (
        f'the program of image "{reference}" is not on this machine, only its environment. Give the container a '
        f"command in its manifest, or say what the image runs, e.g. windlass images add {reference} {mapping}"
    )


def test_an_image_with_a_program_needs_no_remedy(tmp_path: Path) -> None:
    images = Images(tmp_path)

    assert [images.described(one).remedy for one in ("python:3.11", "busybox", "kubeflow/tf-dist-mnist-test")] == [
        ""
    ] * 3


async def test_the_folders_of_an_image_hold_its_interpreter_unless_every_pod_sees_it(tmp_path: Path) -> None:
    image = await Images(tmp_path).pull(f"python:{MINOR}")

    real = Path(image.path[0], "python3").resolve()
    assert any(real.is_relative_to(prefix) for prefix in ("/usr", *image.prefixes))
    assert str(Path(image.path[0]).parent) in image.prefixes


async def test_packages_and_their_programs_are_there(tmp_path: Path, wheels: Path) -> None:
    rule = f"images: [{{image: me/app, python: '{MINOR}', packages: [tiny], env: {{A: b}}, workdir: /w, user: 7}}]"
    images = an_images(tmp_path, wheels, rule)
    told: list[str] = []

    image = await images.pull("me/app:1", told.append)

    assert run(image, "tiny") == "1.0"
    assert any("tiny==1.0" in line for line in told)
    assert (image.environment["A"], image.working_dir, image.user) == ("b", "/w", 7)
    assert image.size > 100_000


async def test_pip_in_a_container_installs_beside_the_shared_environment(tmp_path: Path, wheels: Path) -> None:
    image = await Images(tmp_path).pull(f"python:{MINOR}")
    folder = Path(image.path[1]).parent
    try:
        run(image, "python3", "-m", "pip", "install", "--no-index", f"--find-links={wheels}", "tiny")

        assert run(image, "tiny") == "1.0"
        assert run(image, "python3", "-c", "import tiny; print(tiny.__file__)").startswith(f"{folder}/")
        assert not list(Path(image.path[0]).parent.rglob("tiny"))
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def test_a_virtual_environment_in_a_container_sees_the_packages_of_the_image_and_of_its_pip(
    tmp_path: Path, wheels: Path
) -> None:
    a_wheel(wheels, "later")
    images = an_images(tmp_path, wheels, f"images: [{{image: me/app, python: '{MINOR}', packages: [tiny]}}]")
    image = await images.pull("me/app:1")
    folder = Path(image.path[1]).parent
    index = ("--no-index", f"--find-links={wheels}")
    look = "import importlib.util as u; print([bool(u.find_spec(name)) for name in ('tiny', 'later')])"
    try:
        run(image, "python3", "-m", "pip", "install", *index, "later")
        for name, options in (("open", ["--system-site-packages"]), ("closed", [])):
            run(image, "python3", "-m", "venv", "--without-pip", *options, str(tmp_path / name))

        assert run(image, str(tmp_path / "open" / "bin" / "python3"), "-c", look) == "[True, True]"
        assert run(image, str(tmp_path / "closed" / "bin" / "python3"), "-c", look) == "[False, False]"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


async def test_packages_of_a_virtual_environment_come_before_those_around_it(tmp_path: Path, wheels: Path) -> None:
    images = an_images(tmp_path, wheels, f"images: [{{image: me/app, python: '{MINOR}', packages: [tiny]}}]")
    image = await images.pull("me/app:1")
    run(image, "python3", "-m", "venv", "--without-pip", "--system-site-packages", str(tmp_path / "own"))

    own = next((tmp_path / "own").glob("lib/python3*/site-packages")) / "tiny.py"
    own.write_text("VERSION = 'own'")

    assert run(image, str(tmp_path / "own" / "bin" / "python3"), "-c", "import tiny; print(tiny.VERSION)") == "own"


async def test_an_environment_of_an_earlier_version_is_extended_at_the_start(tmp_path: Path, wheels: Path) -> None:
    image = await an_images(tmp_path, wheels, "images: []").pull(f"python:{MINOR}")
    library = next(Path(image.path[0]).parent.glob("lib/python3*"))
    shutil.rmtree(library / "windlass-shims")
    (library / "site-packages" / "_windlass_venv.pth").unlink()

    Images(tmp_path)

    run(image, "python3", "-m", "venv", "--without-pip", "--system-site-packages", str(tmp_path / "own"))
    assert list((tmp_path / "own").rglob("_windlass_parent.pth"))


async def test_twenty_at_once_build_once(tmp_path: Path, wheels: Path) -> None:
    images = an_images(tmp_path, wheels, f"images: [{{image: me/*, python: '{MINOR}', packages: [tiny]}}]")
    told: list[str] = []

    found = await asyncio.gather(*(images.pull(f"me/app{number}", told.append) for number in range(20)))

    assert len({image.path for image in found}) == 1
    assert sum("tiny==1.0" in line for line in told) == 1


async def test_two_environments_share_the_files_of_a_package(tmp_path: Path, wheels: Path) -> None:
    rule = "{{image: {0}, python: '{1}', packages: [{2}]}}".format
    rules = f"images: [{rule('a', MINOR, 'tiny')}, {rule('b', MINOR, 'tiny, small')}]"
    images = an_images(tmp_path, wheels, rules)

    files = [
        next(Path((await images.pull(name)).path[0]).parent.glob("lib/python*/site-packages/tiny/data.txt"))
        for name in ("a", "b")
    ]

    assert files[0] != files[1]
    assert files[0].stat().st_ino == files[1].stat().st_ino


async def test_a_package_that_is_nowhere_is_reported_and_leaves_nothing(tmp_path: Path, wheels: Path) -> None:
    images = an_images(tmp_path, wheels, f"images: [{{image: a, python: '{MINOR}', packages: [absent-package]}}]")

    with pytest.raises(PullFailed, match="absent-package"):
        await images.pull("a")

    assert list((tmp_path / "node/images/environments").iterdir()) == []


async def test_an_index_that_cannot_be_reached_gives_a_hint(
    tmp_path: Path, wheels: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UV_HTTP_RETRIES", "0")  # uv waits before each
    images = an_images(tmp_path, wheels, f"images: [{{image: a, python: '{MINOR}', packages: [tiny]}}]")
    images.config = PipConfig(index_url="http://127.0.0.1:1/simple")

    with pytest.raises(PullFailed, match="index cannot be reached"):
        await images.pull("a")


def test_an_unknown_image_says_how_to_map_it(tmp_path: Path) -> None:
    with pytest.raises(UnknownImage, match="windlass images add nobody/knows:1 "):
        Images(tmp_path).present("nobody/knows:1")


def test_an_image_of_a_program_that_is_not_here_names_it(tmp_path: Path) -> None:
    (tmp_path / "images.yaml").write_text("images: [{image: a, programs: [no-such-program]}]")

    with pytest.raises(UnknownImage, match="no-such-program, which is not on this machine"):
        Images(tmp_path).present("a")


def test_a_missing_program_is_named_with_how_to_install_it(tmp_path: Path) -> None:
    rule = "{image: a, programs: [no-such-program], install: get-it now}"
    (tmp_path / "images.yaml").write_text(f"images: [{rule}]")

    with pytest.raises(UnknownImage, match=r"install no-such-program \(get-it now\)"):
        Images(tmp_path).present("a")


def test_an_image_of_host_programs_is_there_at_once(tmp_path: Path) -> None:
    image = Images(tmp_path).present("debian:12")

    assert image is not None
    assert (image.prefixes, image.path, image.command) == ((), (), ("sh",))


def test_an_edited_file_counts_at_once_and_a_damaged_one_is_named(tmp_path: Path) -> None:
    images = Images(tmp_path)
    path = tmp_path / "images.yaml"
    path.write_text("images: [{image: mine, command: [one]}]")
    first = images.present("mine")
    path.with_suffix(".new").write_text("images: [{image: mine, command: [two]}]")
    path.with_suffix(".new").replace(path)
    second = images.present("mine")
    path.write_text("images: {")

    assert first is not None
    assert second is not None
    assert (first.command, second.command) == (("one",), ("two",))
    with pytest.raises(UnknownImage, match=r"images\.yaml"):
        images.present("mine")


async def test_an_environment_of_the_users_own_is_used_as_it_is(tmp_path: Path) -> None:
    made = await Images(tmp_path / "other").pull(f"python:{MINOR}")
    folder = Path(made.path[0]).parent
    (tmp_path / "images.yaml").write_text(f"images: [{{image: mine, path: {folder}}}]")

    image = Images(tmp_path).present("mine")

    assert image is not None
    assert image.path == made.path[:1]
    assert set(made.prefixes) <= set(image.prefixes)


BUILD = """
import asyncio, sys
from pathlib import Path
from windlass.node.images.images import Images
from windlass.node.images.pipconfig import PipConfig
images = Images(Path(sys.argv[1]))
images.config = PipConfig(find_links=(sys.argv[2],), no_index=True)
asyncio.run(images.pull("a", lambda line: print(line, flush=True)))
"""


async def test_a_build_that_is_killed_leaves_nothing_broken(tmp_path: Path, wheels: Path) -> None:
    images = an_images(tmp_path, wheels, f"images: [{{image: a, python: '{MINOR}', packages: [tiny]}}]")
    folder = images.environments.path(images.find("a")[2])

    def killed_in_time() -> bool:
        builder = subprocess.Popen([sys.executable, "-c", BUILD, str(tmp_path), str(wheels)])
        try:
            eventually(folder.exists, what="the build to begin")
        finally:
            os.kill(builder.pid, signal.SIGKILL)
            builder.wait()
        return not (folder / RECORD).exists() or not images.environments.remove(folder.name)

    assert any(killed_in_time() for _ in range(5))

    again = Images(tmp_path)
    again.config = only(wheels)

    assert again.present("a") is None
    assert run(await again.pull("a"), "tiny") == "1.0"


async def test_two_processes_build_it_once(tmp_path: Path, wheels: Path) -> None:
    images = an_images(tmp_path, wheels, f"images: [{{image: a, python: '{MINOR}', packages: [tiny]}}]")
    started = [
        subprocess.Popen([sys.executable, "-c", BUILD, str(tmp_path), str(wheels)], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    outputs = [await asyncio.to_thread(one.communicate, timeout=200) for one in started]

    assert [one.returncode for one in started] == [0, 0]
    assert sum(output[0].count("+ tiny==1.0") for output in outputs) == 1
    assert images.present("a") is not None


async def test_what_an_interrupted_build_left_is_removed_at_the_start(tmp_path: Path) -> None:
    images = Images(tmp_path)
    leftover = images.environments.folder / "0123456789abcdef"
    leftover.mkdir()
    busy = images.environments.folder / "fedcba9876543210"
    busy.mkdir()

    with images.environments.lock(busy.name):
        Images(tmp_path)

    assert not leftover.exists()
    assert busy.exists()


async def test_an_environment_whose_python_has_gone_is_built_anew(tmp_path: Path, wheels: Path) -> None:
    images = an_images(tmp_path, wheels, f"images: [{{image: a, python: '{MINOR}'}}]")
    await images.pull("a")
    record = images.environments.all()[0]
    path = Path(record.folder, RECORD)
    path.write_text(path.read_text().replace(record.interpreter, "/gone/python"))

    again = Images(tmp_path)

    assert again.present("a") is None
    assert run(await again.pull("a"), "python3", "-c", "print(1)") == "1"


async def test_a_python_that_is_nowhere_is_replaced_by_the_nearest_and_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("UV_PYTHON_DOWNLOADS", "never")
    (tmp_path / "images.yaml").write_text("images: [{image: a, python: '3.99'}]")

    image = await Images(tmp_path).pull("a")

    assert "python 3.99 is not on this machine" in image.warnings[0]
    newest = nearest((3, 99))
    assert newest is not None
    assert image.environment["PYTHON_VERSION"] == newest.text


async def test_prune_keeps_what_was_used_lately_and_what_a_pod_runs_in(tmp_path: Path, wheels: Path) -> None:
    rules = f"images: [{{image: a, python: '{MINOR}'}}, {{image: b, python: '{MINOR}', packages: [tiny]}}]"
    images = an_images(tmp_path, wheels, rules)
    kept, gone = [await images.pull(name) for name in ("a", "b")]
    pod = tmp_path / "node/pods/uid/containers/main/0"
    pod.mkdir(parents=True)
    (pod / "spec.json").write_text(f'{{"prefixes": ["{Path(kept.path[0]).parent}"]}}')

    lately = prune(images.environments, 3600)
    all_ = prune(images.environments, 0)

    assert lately.removed == ()
    assert [one.folder for one in all_.removed] == [str(Path(gone.path[0]).parent)]
    assert [one.folder for one in all_.busy] == [str(Path(kept.path[0]).parent)]
    assert (images.present("a"), images.present("b")) == (kept, None)


async def test_looking_for_an_image_that_is_there_takes_less_than_a_millisecond(tmp_path: Path) -> None:
    images = Images(tmp_path)
    await images.pull(f"python:{MINOR}")

    began = time.perf_counter()
    for _ in range(200):
        images.present(f"python:{MINOR}")

    assert (time.perf_counter() - began) / 200 < 0.001


async def test_real_packages_come_from_where_pip_takes_them(tmp_path: Path) -> None:
    (tmp_path / "images.yaml").write_text(f"images: [{{image: a, python: '{MINOR}', packages: [six==1.16.0]}}]")
    images = Images(tmp_path)

    try:
        image = await images.pull("a")
    except PullFailed as error:
        if "cannot be reached" in str(error):
            pytest.skip("there is no package index here")
        raise

    assert run(image, "python3", "-c", "import six; print(six.__version__)") == "1.16.0"


def test_a_torch_for_cpu_in_a_folder_of_pips_is_found_for_its_python(tmp_path: Path) -> None:
    for name in ("torch-2.9.0+cpu-cp311-cp311-linux_x86_64.whl", "torch-2.13.0+cpu-cp311-cp311-linux_x86_64.whl"):
        (tmp_path / name).touch()
    config = PipConfig(find_links=(str(tmp_path),))

    assert local_torch(config, Interpreter("", (3, 11, 4), (), "", 0)) == "2.13.0+cpu"
    assert local_torch(config, Interpreter("", (3, 12, 4), (), "", 0)) is None


async def test_on_a_machine_without_a_gpu_the_torch_of_pips_folders_is_chosen(tmp_path: Path) -> None:
    config, interpreter = read(), find((3, 11))
    if interpreter is None or not local_torch(config, interpreter) or Path("/dev/nvidiactl").exists():
        pytest.skip("pip is configured with no folder that has a PyTorch for CPU")
    images = Images(tmp_path)
    bare = await images.pull("python:3.11")
    target = ("--python", f"{bare.path[0]}/python", *config.flags())
    chooser = Chooser(images.builds.uv, target, interpreter, config)

    newest = await chooser.choose(Environment(packages=("torch",)))
    older = await chooser.choose(Environment(packages=("torch==2.1.2",), nearest=True))

    assert newest.warnings == ()
    for choice in (newest, older):
        plan = await chooser.plan(*choice.arguments, *choice.packages)
        assert any("+ torch==" in line and "+cpu" in line for line in plan)
        assert not any("nvidia" in line for line in plan)
    assert older.warnings == () or "torch==2.1.2 is not available as a CPU build" in older.warnings[0]


NEW_AND_OLD = "images: [{{image: a, python: '{0}', packages: ['tiny=={1}', small], nearest: {2}}}]".format


@pytest.mark.parametrize(("asked", "installed"), [("1.0", "1.0"), ("0.9", "1.0"), ("1.5", "2.0"), ("3.0", "2.0")])
async def test_a_version_that_is_not_to_be_had_gives_way_to_the_next_one_and_is_reported(
    tmp_path: Path, wheels: Path, asked: str, installed: str
) -> None:
    a_wheel(wheels, "tiny", "2.0")
    images = an_images(tmp_path, wheels, NEW_AND_OLD(MINOR, asked, "true"))

    image = await images.pull("a")

    assert run(image, "tiny") == installed
    said = f"tiny {asked} has no build for Python {MINOR}: {installed} is installed instead"
    assert image.warnings == (() if asked == installed else (said,))


async def test_a_version_of_the_users_own_rule_is_never_another(tmp_path: Path, wheels: Path) -> None:
    images = an_images(tmp_path, wheels, NEW_AND_OLD(MINOR, "0.9", "false"))

    with pytest.raises(PullFailed, match=r"tiny==0\.9"):
        await images.pull("a")


async def test_packages_are_compiled_since_pods_cannot_write_beside_them(tmp_path: Path, wheels: Path) -> None:
    images = an_images(tmp_path, wheels, f"images: [{{image: a, python: '{MINOR}', packages: [tiny]}}]")

    folder = Path((await images.pull("a")).path[0]).parent

    assert list(folder.glob("lib/python*/site-packages/tiny/__pycache__/__init__*.pyc"))


async def test_data_directories_may_share_environments_and_prune_none_that_a_pod_of_another_runs_in(
    tmp_path: Path, wheels: Path
) -> None:
    rules = f"images: [{{image: a, python: '{MINOR}', packages: [tiny]}}]"
    for name in ("one", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "images.yaml").write_text(rules)
    one, other = [Images(tmp_path / name, root=tmp_path / "shared") for name in ("one", "other")]
    one.config = other.config = only(wheels)
    image = await one.pull("a")
    pod = tmp_path / "one/node/pods/uid"
    pod.mkdir(parents=True)
    (pod / "spec.json").write_text(f'{{"prefixes": ["{Path(image.path[0]).parent}"]}}')

    assert other.present("a") == image
    assert [one.folder for one in prune(other.environments, 0).busy] == [str(Path(image.path[0]).parent)]

    shutil.rmtree(tmp_path / "one")

    assert len(prune(other.environments, 0).removed) == 1

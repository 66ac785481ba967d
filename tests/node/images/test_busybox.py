"""Busybox in images that are made of it: its shell, and applets that the machine lacks."""

import shutil
import subprocess
from pathlib import Path

import pytest

from windlass.node.images import busybox
from windlass.node.images.image import Image
from windlass.node.images.images import PROGRAMS, Images

PLAIN = Image(reference="busybox", id="sha256:x", files={"/etc/motd": "/m"}, path=("/before",))


def a_machine(folder: Path, applets: str = "sh ash wget vi", ls: str = "/bin/ls") -> str:
    """A folder of programs with a busybox whose shell finds `ls` there, and with a wget of its own."""
    folder.mkdir()
    busybox = f"#!/bin/sh\ncase $1 in --list) echo {applets} | tr ' ' '\\n';; sh) echo {ls};; esac\n"
    for name, script in (("busybox", busybox), ("wget", "#!/bin/sh\n")):
        (folder / name).write_text(script)
        (folder / name).chmod(0o755)
    return str(folder)


def is_there() -> bool:
    program = shutil.which("busybox", path=PROGRAMS)
    return program is not None and not busybox.is_standalone(program)


def test_its_shell_comes_first_and_its_other_applets_where_the_machine_lacks_them(tmp_path: Path) -> None:
    image = busybox.added_to(PLAIN, tmp_path, a_machine(tmp_path / "bin"))

    assert image.path[0] == "/before"
    folder = Path(image.files[busybox.FOLDER])
    assert {link.name: str(link.readlink()) for link in folder.iterdir()} == dict.fromkeys(
        ("sh", "ash", "vi"), str(tmp_path / "bin" / "busybox")
    )
    assert image.path[1:] == (busybox.FOLDER, str(folder))
    assert image.prefixes == PLAIN.prefixes, "no path of the machine appears in the container"
    assert image.files["/etc/motd"] == "/m"


def test_the_shell_that_bin_sh_leads_to_is_covered_only_if_it_is_dash() -> None:
    assert [busybox.shell_file(shell) for shell in ("/usr/bin/dash", "/usr/bin/bash")] == ["/usr/bin/dash", ""]


@pytest.mark.parametrize("applets", ["vi wget", "$(exit 1)"])
def test_an_image_stays_as_it_is_without_a_busybox_that_has_a_shell(tmp_path: Path, applets: str) -> None:
    assert busybox.added_to(PLAIN, tmp_path, str(tmp_path)) == PLAIN
    assert busybox.added_to(PLAIN, tmp_path, a_machine(tmp_path / "bin", applets)) == PLAIN


def test_a_busybox_whose_shell_ignores_the_path_is_left(tmp_path: Path) -> None:
    assert busybox.added_to(PLAIN, tmp_path, a_machine(tmp_path / "bin", ls="ls")) == PLAIN


@pytest.mark.skipif(not is_there(), reason="needs a busybox whose shell uses the PATH")
@pytest.mark.parametrize("reference", ["busybox:1.36", "alpine:3.20"])
def test_the_shell_of_these_images_knows_double_brackets(tmp_path: Path, reference: str) -> None:
    image = Images(tmp_path).present(reference)

    assert image is not None
    script = '[[ "$1" == a* ]] && echo "matches"'
    done = subprocess.run(
        [f"{image.path[-1]}/sh", "-c", script, "sh", "abc"], capture_output=True, text=True, check=True
    )
    assert done.stdout == "matches\n"

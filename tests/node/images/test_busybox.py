"""Busybox in images that are made of it: its shell, and applets that the machine lacks."""

import shutil
import subprocess
from pathlib import Path

import pytest

from windlass.node.images import busybox
from windlass.node.images.applet_names import hidden_but
from windlass.node.images.image import Image
from windlass.node.images.images import PROGRAMS, Images

MACHINES = shutil.which("busybox", path=PROGRAMS)
"""The busybox of this machine."""
PLAIN = Image(reference="busybox", id="sha256:x", files={"/etc/motd": "/m"}, path=("/before",))


STANDALONE = b"""#!/bin/sh
case $1 in
    --list) printf '%s\\n' ash ls sh vi wget ;;
    sh) if grep -qaP '\\x00ls\\x00' "$0"; then echo ls; else echo /bin/ls; fi ;;
esac
exit
"""
TABLE = b"\0ash\0ls\0sh\0vi\0wget\0"


def a_machine(folder: Path, applets: str = "sh ash wget vi", ls: str = "/bin/ls") -> str:
    """A folder of programs with a busybox whose shell finds `ls` there, and with a wget of its own."""
    folder.mkdir()
    busybox = f"#!/bin/sh\ncase $1 in --list) echo {applets} | tr ' ' '\\n';; sh) echo {ls};; esac\n"
    for name, script in (("busybox", busybox), ("wget", "#!/bin/sh\n")):
        (folder / name).write_text(script)
        (folder / name).chmod(0o755)
    return str(folder)


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


def test_the_shell_of_a_standalone_busybox_is_a_copy_without_applets(tmp_path: Path) -> None:
    programs = a_machine(tmp_path / "bin")
    standalone = tmp_path / "bin" / "busybox"
    standalone.write_bytes(STANDALONE + TABLE)

    image = busybox.added_to(PLAIN, tmp_path, programs)

    links = {link.name: link.readlink() for link in Path(image.files[busybox.FOLDER]).iterdir()}
    copy = links["sh"]
    assert links == {"sh": copy, "ash": copy, "vi": standalone, "ls": standalone}
    assert copy.read_bytes() == STANDALONE + b"\0ash\0l\x01\0sh\0v\x01\0wge\x01\0"
    assert subprocess.run([copy, "sh"], capture_output=True, text=True, check=True).stdout == "/bin/ls\n"
    if shell := busybox.shell_file(str(Path(busybox.POSIX_SHELL).resolve())):
        assert image.files[shell] == str(copy)


@pytest.mark.parametrize("table", [b"", TABLE + TABLE])
def test_a_standalone_busybox_without_a_table_that_can_be_changed_is_left(tmp_path: Path, table: bytes) -> None:
    programs = a_machine(tmp_path / "bin")
    (tmp_path / "bin" / "busybox").write_bytes(STANDALONE + TABLE.replace(b"vi", b"") + table)

    assert busybox.added_to(PLAIN, tmp_path, programs) == PLAIN


@pytest.mark.skipif(MACHINES is None, reason="needs a busybox")
def test_a_busybox_with_hidden_applets_answers_to_its_shells_alone(tmp_path: Path) -> None:
    copy = tmp_path / "busybox"
    applets = busybox.applets_of(str(MACHINES))
    copy.write_bytes(hidden_but(busybox.SHELLS, applets, Path(str(MACHINES)).read_bytes()))
    copy.chmod(0o755)

    def answers(applet: str) -> bool:
        done = subprocess.run([copy, applet, "--help"], capture_output=True, stdin=subprocess.DEVNULL, check=False)
        return b"applet not found" not in done.stderr

    assert [applet for applet in applets if answers(applet)] in (["ash", "sh"], ["ash", "busybox", "sh"])
    assert subprocess.run([copy, "sh", "-c", "[[ a == a* ]]"], check=False).returncode == 0


@pytest.mark.skipif(MACHINES is None, reason="needs a busybox")
@pytest.mark.parametrize("reference", ["busybox:1.36", "alpine:3.20"])
def test_the_shell_of_these_images_knows_double_brackets(tmp_path: Path, reference: str) -> None:
    image = Images(tmp_path).present(reference)

    assert image is not None
    script = '[[ "$1" == a* ]] && echo "matches"'
    done = subprocess.run(
        [f"{image.path[-1]}/sh", "-c", script, "sh", "abc"], capture_output=True, text=True, check=True
    )
    assert done.stdout == "matches\n"

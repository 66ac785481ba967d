"""Programs and files that come with Windlass, or from the machine, are in the images that name them."""

import subprocess
from pathlib import Path

import pytest

from windlass.kube.json import Object
from windlass.node.container_spec import container_spec
from windlass.node.images import shipped
from windlass.node.images.catalogue import BadRule, Rule, check
from windlass.node.images.image import Image, UnknownImage
from windlass.node.images.images import Images
from windlass.node.runtimes.base import Mount

MPI = {"/home/mpiuser/.sshd_config": "mpi/sshd_config", "/home/mpiuser/pi": "mpi/pi"}


def test_a_program_that_is_brought_runs_before_the_machines_own(tmp_path: Path) -> None:
    rule = "images: [{image: a, brings: [nslookup, nc]}]"
    (tmp_path / "images.yaml").write_text(rule)

    image = Images(tmp_path).present("a:3.10")

    assert image is not None
    folder = Path(image.path[0])
    done = subprocess.run([folder / "nslookup"], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (1, "usage: nslookup HOST [DNS_SERVER]\n")
    assert str(folder) in image.prefixes
    assert Images(tmp_path).present("a:3.10") == image


def test_what_is_brought_has_another_folder_when_it_changes(tmp_path: Path) -> None:
    one = shipped.bring(tmp_path, ("nslookup",))
    more = shipped.bring(tmp_path, ("nslookup", "exec_client.py"))

    assert one.folder != more.folder
    assert sorted(path.name for path in Path(more.folder).iterdir()) == ["exec_client.py", "nslookup"]


def test_files_are_reported_the_path_of_their_image_and_scripts_can_be_run(tmp_path: Path) -> None:
    found = shipped.files(tmp_path, MPI, "/env/bin:/usr/bin")

    settings, script = (Path(found[target]) for target in MPI)
    assert "SetEnv PATH=/env/bin:/usr/bin\n" in settings.read_text()
    assert (settings.stat().st_mode & 0o777, script.stat().st_mode & 0o777) == (0o644, 0o755)


def test_a_file_of_the_machine_is_used_as_it_is_and_named_when_it_has_gone(tmp_path: Path) -> None:
    (tmp_path / "team.conf").write_text("blue")
    rule = f"images: [{{image: a, files: {{/etc/team.conf: {tmp_path}/team.conf}}}}]"
    (tmp_path / "images.yaml").write_text(rule)

    image = Images(tmp_path).present("a")

    assert image is not None
    assert image.files == {"/etc/team.conf": str(tmp_path / "team.conf")}
    (tmp_path / "team.conf").unlink()
    with pytest.raises(UnknownImage, match=r"team\.conf, which the image has at /etc/team\.conf, does not exist"):
        Images(tmp_path).present("a")


def test_files_of_an_image_are_mounted_read_only_unless_the_pod_mounts_something_there() -> None:
    image = Image("a", "sha256:0", files={"/etc/a": "/host/a", "/etc/b": "/host/b"})
    pod: Object = {"metadata": {"name": "p"}, "spec": {}}
    own = Mount("/volumes/b", "/etc/b")

    spec = container_spec(
        pod, {"name": "main"}, image, attempt=0, spec_hash="", argv=("true",), environment={}, mounts=(own,)
    )

    assert spec.mounts == (Mount("/host/a", "/etc/a", read_only=True, of_image=True), own)


@pytest.mark.parametrize(
    ("rule", "said"),
    [
        (Rule(image="a", brings=("no-such-program",)), "is not shipped with Windlass"),
        (Rule(image="a", files={"/etc/x": "not/there"}), "is not shipped with Windlass"),
        (Rule(image="a", files={"etc/x": "/etc/hosts"}), "not the absolute path of a file"),
    ],
)
def test_what_cannot_be_brought_is_refused_by_name(rule: Rule, said: str) -> None:
    with pytest.raises(BadRule, match=said):
        check(rule)

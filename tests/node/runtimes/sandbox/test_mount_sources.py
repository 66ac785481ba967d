"""What is mounted into a container is what the agent has found, whatever a container puts in its place meanwhile."""

import errno
import os
from pathlib import Path

import pytest

from windlass.node.runtimes.sandbox import rootfs, syscalls

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only root may open mounts of this machine")


@pytest.fixture
def volume(tmp_path: Path) -> Path:
    (tmp_path / "volume" / "deep").mkdir(parents=True)
    return tmp_path / "volume"


def test_a_folder_without_links_is_opened(volume: Path) -> None:
    opened = syscalls.open_tree_without_links(str(volume / "deep"))
    try:
        assert os.fstat(opened).st_ino == (volume / "deep").stat().st_ino
    finally:
        os.close(opened)


@pytest.mark.parametrize("swapped", ["last", "middle"])
def test_a_folder_that_was_swapped_for_a_link_is_refused(volume: Path, swapped: str) -> None:
    link = volume / "link"
    link.symlink_to("/" if swapped == "last" else "/etc")
    source = str(link if swapped == "last" else link / "ssl")

    with pytest.raises(OSError) as refused:
        syscalls.open_tree_without_links(source)
    assert refused.value.errno == errno.ELOOP


def test_the_refusal_names_what_was_to_be_mounted(volume: Path) -> None:
    (volume / "link").symlink_to("/")
    with pytest.raises(rootfs.CannotMount, match=r'failed to mount to "/seen": .*/link: too many levels of symbolic'):
        rootfs._source({"source": str(volume / "link"), "target": "/seen"})

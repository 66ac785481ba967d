"""`kubectl cp`, with files of a user whom the container does not know."""

import os
from pathlib import Path

from tests.e2e.node.pods import PodShell, container, pod
from tests.e2e.ordinary_user import ORDINARY


def test_a_file_of_an_ordinary_user_is_copied_in_and_out(kubectl: PodShell, tmp_path: Path) -> None:
    note = tmp_path / "note"
    note.write_text("dear pod\n")
    if os.geteuid() == 0:
        os.chown(note, ORDINARY, ORDINARY)
    kubectl.apply(pod("box", container()))
    kubectl.ready("box")

    kubectl(f"cp {note} box:/tmp/note")
    kubectl(f"cp box:/tmp/note {tmp_path}/back")

    assert (tmp_path / "back").read_text() == "dear pod\n"

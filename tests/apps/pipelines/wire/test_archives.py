"""Uploaded archives: of all entries the pipeline alone is unpacked."""

import io
import zipfile

import pytest

from windlass.apps.pipelines.wire.archives import MAX_MEMBERS, pipeline_text
from windlass.apps.pipelines.wire.errors import InvalidArgument


def zipped(*entries: tuple[str, bytes]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        for name, content in entries:
            archive.writestr(name, content)
    return made.getvalue()


def test_other_entries_of_a_zip_are_not_unpacked() -> None:
    """A thousand entries of 32 MiB fit into a small file. This one is damaged, so that reading it would fail."""
    damaged = zipped(("a.yaml", b"original"), ("pipeline.yaml", b"wanted")).replace(b"original", b"changed!", 1)

    assert pipeline_text(damaged) == b"wanted"


def test_a_zip_with_very_many_entries_is_refused() -> None:
    entries = [(f"{number}.yaml", b"") for number in range(MAX_MEMBERS + 1)]

    with pytest.raises(InvalidArgument, match=f"more than {MAX_MEMBERS} members"):
        pipeline_text(zipped(*entries))


@pytest.mark.parametrize("name", ["../../etc/pipeline.yaml", "/etc/pipeline.yaml"])
def test_the_name_of_an_entry_leads_nowhere(name: str) -> None:
    assert pipeline_text(zipped((name, b"wanted"))) == b"wanted", "entries are read, never written to the disk"

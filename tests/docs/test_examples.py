"""Every example is run by a page's commands, which have tests, or by tests of its own."""

from pathlib import Path

import pytest

from .pages import PAGES, ROOT, blocks

BY_OTHER_TESTS = (
    "examples/training/",
    "examples/trainer/",
    "examples/pipelines/train_and_predict.py",
    "examples/pipelines/data_passing.py",
    "examples/pipelines/control_structures.py",
    "examples/pipelines/kubectl.yaml",
)
EXAMPLES = [file for file in sorted((ROOT / "examples").rglob("*")) if file.is_file() and file.suffix != ".pyc"]
RUN = "\n".join(step.command for page in PAGES for block in blocks(page) if not block.not_run for step in block.steps)


@pytest.mark.parametrize("file", EXAMPLES, ids=lambda file: str(file.relative_to(ROOT)))
def test_an_example_is_run(file: Path) -> None:
    name = str(file.relative_to(ROOT))

    assert name in RUN or name.startswith(BY_OTHER_TESTS)

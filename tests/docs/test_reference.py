"""The pages that list things list all of them: kinds, dependencies, decisions; and their Python can be read."""

import re
import tomllib

import pytest

from windlass.apiserver.builtin import RESOURCES
from windlass.apps import definitions

from .pages import PAGES, ROOT


def page(name: str) -> str:
    return (ROOT / "docs" / name).read_text()


def packages(requirements: list[str]) -> set[str]:
    return {re.split(r"[\[<>=]", one)[0] for one in requirements}


def test_every_built_in_kind_is_on_the_page_of_the_api_and_no_other() -> None:
    rows = re.findall(r"^\| ([\w., ]+?) \| ([\w.,;() ]+?) \|$", page("api.md"), re.M)
    listed = {kind for _, kinds in rows for kind in re.findall(r"\b[A-Z]\w+", kinds)}

    assert listed == {resource.kind for resource in RESOURCES}


def test_every_kind_that_windlass_brings_is_on_the_page_of_the_api_with_its_versions() -> None:
    rows = re.findall(r"^\| ([a-z.0-9-]+) \| ([\w, ]+?) \| ([\w, ]+?) \| ", page("api.md"), re.M)
    listed = {(group, kind): versions.split(", ") for group, kinds, versions in rows for kind in kinds.split(", ")}
    specs = [definition["spec"] for definition in definitions()]

    assert listed == {
        (spec["group"], spec["names"]["kind"]): [version["name"] for version in spec["versions"]] for spec in specs
    }


def test_every_dependency_says_why_it_is_there_and_none_is_named_that_is_not() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    run, build, develop = re.split("## To build|## For development", page("dependencies.md"))

    assert rows(run) == packages(project["project"]["dependencies"])
    assert rows(build) == packages(project["build-system"]["requires"])
    assert rows(develop) == packages(project["dependency-groups"]["dev"])


def rows(text: str) -> set[str]:
    first_cells = re.findall(r"^\| ([\w, -]+?) \| [^-]", text, re.M)
    return {name for cell in first_cells for name in cell.split(", ")} - {"package"}


def test_every_decision_is_linked_from_the_architecture() -> None:
    records = {f"decisions/{file.name}" for file in (ROOT / "docs" / "decisions").glob("*.md")}

    assert records <= set(re.findall(r"\]\(([^)]+)\)", page("architecture.md")))


SNIPPETS = [
    pytest.param(snippet, id=f"{file.name}-{number}")
    for file in PAGES
    for number, snippet in enumerate(re.findall(r"^```python\n(.*?)^```$", file.read_text(), re.M | re.S))
]


@pytest.mark.parametrize("snippet", SNIPPETS)
def test_python_on_a_page_is_python(snippet: str) -> None:
    compile(snippet, "snippet", "exec")

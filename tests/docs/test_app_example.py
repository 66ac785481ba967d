"""The app of docs/developers.md is the example of the tests, file by file."""

import re

from tests.docs.pages import ROOT

PAGE = ROOT / "docs" / "developers.md"
EXAMPLE = ROOT / "tests" / "apps" / "example"
QUOTED = re.compile(r"^```python\n# (lamps/\S+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_page_quotes_the_files_of_the_example() -> None:
    files = {str(path.relative_to(EXAMPLE)): path.read_text() for path in EXAMPLE.glob("lamps/**/*.py")}

    assert dict(QUOTED.findall(PAGE.read_text())) == files

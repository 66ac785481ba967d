"""The plug-in of docs/developers.md: its code declares a plug-in that the gateway accepts."""

import re
from pathlib import Path

from windlass.gateway.plugins import DashboardPlugin
from windlass.gateway.plugins.plugin import problem

PAGE = Path(__file__).parents[2] / "docs" / "developers.md"


def test_the_documented_plugin_is_accepted(tmp_path: Path) -> None:
    code = re.search(r"```python\n(# costs/windlass_pages\.py.*?)```", PAGE.read_text(), re.DOTALL)
    assert code is not None
    (tmp_path / "pages").mkdir()
    names: dict[str, object] = {"__file__": str(tmp_path / "windlass_pages.py")}

    exec(code[1], names)

    plugin = names["PLUGIN"]
    assert isinstance(plugin, DashboardPlugin)
    assert problem(plugin) is None

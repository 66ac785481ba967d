"""Names that are declared in `wellknown` are written nowhere else."""

import ast
import re
from pathlib import Path

import windlass
from windlass.apis import wellknown

SOURCE = Path(windlass.__file__).parent
NAMES = {value for name, value in vars(wellknown).items() if name.isupper() and isinstance(value, str)}
SPELLED = re.compile("|".join(map(re.escape, NAMES)))


def test_no_module_spells_a_well_known_name() -> None:
    modules = [path for path in SOURCE.rglob("*.py") if path != Path(wellknown.__file__)]
    spelled = [
        f"{path.relative_to(SOURCE)}:{node.lineno}: {node.value}"
        for path in modules
        if path.relative_to(SOURCE).parts[0] != "kube"  # below apis, so it cannot import them
        if SPELLED.search(text := path.read_text())  # parsing is slow
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.Constant) and node.value in NAMES
    ]

    assert spelled == []

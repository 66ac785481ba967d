"""Idle components do without what only some requests need."""

import subprocess
import sys

import pytest

SERVER = ("import windlass.apiserver.server", ("aiohttp", "cryptography", "jwt", "bcrypt", "yaml", "numpy"))
MANAGER = (
    "from windlass.cli.components.manager import _embedded_controllers\n"
    "from windlass.cli.manager_settings import ManagerSettings\n"
    "import windlass.kube.manager\n"
    "_embedded_controllers(ManagerSettings())",
    ("numpy", "cryptography", "aiohttp.web", "windlass.scheduler.cycle", "windlass.scheduler.plugins"),
)
NODE = ("import windlass.node.agent", ("numpy", "cryptography", "kubernetes_asyncio"))


@pytest.mark.parametrize(("imports", "large"), [SERVER, MANAGER, NODE], ids=["server", "manager", "node"])
def test_what_is_large_is_imported_when_it_is_needed(imports: str, large: tuple[str, ...]) -> None:
    script = f"{imports}\nimport sys\nprint(sorted(name for name in {large!r} if name in sys.modules))"

    done = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"

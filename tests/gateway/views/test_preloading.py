"""What computes the views is imported before a page waits for it, and not before somebody comes."""

import subprocess
import sys

SCRIPT = """
import asyncio, sys
import windlass.gateway.server
from windlass.gateway.views.services import VIEWS_MODULE, ViewServices

async def main():
    views = ViewServices(None)
    before = VIEWS_MODULE in sys.modules
    await asyncio.gather(views.preload(), views.preload())
    print(before, VIEWS_MODULE in sys.modules, "numpy" in sys.modules)

asyncio.run(main())
"""


def test_views_are_imported_on_demand_and_without_the_simulator() -> None:
    done = subprocess.run([sys.executable, "-P", "-c", SCRIPT], capture_output=True, text=True, check=True)

    assert done.stdout.split() == ["False", "True", "False"]

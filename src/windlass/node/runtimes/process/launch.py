"""Starts the zygote: `python -I -S launch.py SOCKET-FD DATA-DIR`. A script, as the sandbox's is."""

import sys
from pathlib import Path
from types import ModuleType


def stand_in_for_packages() -> None:
    """Install empty packages instead of those whose imports a zygote must not carry."""
    runtimes = Path(__file__).resolve().parents[1]
    above = {"windlass.node.runtimes": runtimes, "windlass.node": runtimes.parent, "windlass": runtimes.parents[1]}
    for name, folder in above.items():
        sys.modules[name] = _empty(name, folder)
    for kind in ("sandbox", "process"):
        name = f"windlass.node.runtimes.{kind}"
        sys.modules[name] = _empty(name, runtimes / kind)


def _empty(name: str, folder: Path) -> ModuleType:
    package = ModuleType(name)
    package.__path__ = [str(folder)]
    return package


if __name__ == "__main__":
    stand_in_for_packages()
    from windlass.node.runtimes.process import zygote

    sys.exit(zygote.main(sys.argv[1:]))

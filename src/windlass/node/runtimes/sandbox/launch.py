"""Starts the zygote: `python -I -S launch.py SOCKET-FD DATA-DIR [PID:FD …]`.

A script and not a module: the packages above this one may import what a zygote must not carry (msgspec, asyncio), so
they are stood in for by empty ones.
"""

import sys
from pathlib import Path
from types import ModuleType


def stand_in_for_packages() -> None:
    folder = Path(__file__).resolve().parent
    name = "windlass.node.runtimes.sandbox"
    while name:
        package = ModuleType(name)
        package.__path__ = [str(folder)]
        sys.modules[name] = package
        folder, name = folder.parent, name.rpartition(".")[0]


if __name__ == "__main__":
    stand_in_for_packages()
    from windlass.node.runtimes.sandbox import zygote

    sys.exit(zygote.main(sys.argv[1:]))

"""Starts the zygote: `python -I -S launch.py SOCKET-FD DATA-DIR [PID:FD …]`.

A script and not a module: the parent packages may import what a zygote must not carry (msgspec, asyncio), so empty
packages replace them.
"""

# What is forked for every pod and container does without pathlib, which is slow and heavy.
# ruff: noqa: PTH120
import os
import sys
from types import ModuleType


def stand_in_for_packages() -> None:
    folder = os.path.dirname(os.path.realpath(__file__))
    name = "windlass.node.runtimes.sandbox"
    while name:
        package = ModuleType(name)
        package.__path__ = [folder]
        sys.modules[name] = package
        folder, name = os.path.dirname(folder), name.rpartition(".")[0]


if __name__ == "__main__":
    stand_in_for_packages()
    from windlass.node.runtimes.sandbox import zygote

    sys.exit(zygote.main(sys.argv[1:]))

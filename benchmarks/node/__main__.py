"""Run the benchmark: `python -m benchmarks.node [--quick] [--only PART]`."""

import argparse
import asyncio
import os
import platform
import shutil
import tempfile
from pathlib import Path

from benchmarks.node.parts import PARTS, say
from benchmarks.node.platform import Platform


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.node", description="Measure the node.")
    parser.add_argument("--quick", action="store_true", help="small numbers: whether it works at all")
    parser.add_argument("--only", action="append", choices=sorted(PARTS), help="one part (may be repeated)")
    parser.add_argument("--folder", type=Path, help="where Windlass keeps its data (a disk, not tmpfs)")
    options = parser.parse_args()
    folder = Path(tempfile.mkdtemp(prefix="windlass-bench-", dir=options.folder))
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    print(f"{os.cpu_count()} processors, load {load}, Python {platform.python_version()}, {platform.release()}\n")
    say("", "Windlass", "without it", "ratio", "wanted")
    try:
        asyncio.run(_measure(folder, options.only or list(PARTS), quick=options.quick))
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print("\nunshare: the same namespaces made by util-linux, with a shell in them, in the same run. Memory is PSS.")
    return 0


async def _measure(folder: Path, parts: list[str], *, quick: bool) -> None:
    async with Platform(folder) as running:
        for part in parts:
            await PARTS[part](running, quick)


if __name__ == "__main__":
    raise SystemExit(main())

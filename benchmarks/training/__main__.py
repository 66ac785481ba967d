"""Run the benchmark: `python -m benchmarks.training [--quick] [--only PART]`."""

import argparse
import asyncio
import os
import platform
import shutil
import tempfile
from pathlib import Path

from benchmarks.node.parts import say
from benchmarks.node.platform import Platform
from benchmarks.training.parts import ALONE, PARTS


def main() -> int:
    names = sorted({*PARTS, *ALONE})
    parser = argparse.ArgumentParser(prog="python -m benchmarks.training", description="Measure training jobs.")
    parser.add_argument("--quick", action="store_true", help="small numbers: whether it works at all")
    parser.add_argument("--only", action="append", choices=names, help="one part (may be repeated)")
    parser.add_argument("--folder", type=Path, help="where Windlass keeps its data (a disk, not tmpfs)")
    options = parser.parse_args()
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    print(f"{os.cpu_count()} processors, load {load}, Python {platform.python_version()}, {platform.release()}\n")
    say("", "Windlass", "without it", "ratio", "wanted")
    asked = options.only or names
    for part in asked:
        folder = Path(tempfile.mkdtemp(prefix="windlass-bench-", dir=options.folder))
        try:
            asyncio.run(_measure(folder, part, quick=options.quick))
        finally:
            shutil.rmtree(folder, ignore_errors=True)
    return 0


async def _measure(folder: Path, part: str, *, quick: bool) -> None:
    if part in ALONE:
        await ALONE[part](folder, quick)
        return
    async with Platform(folder) as running:
        await PARTS[part](running, quick)


if __name__ == "__main__":
    raise SystemExit(main())

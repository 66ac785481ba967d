"""Run the benchmark: `python -m benchmarks.api [--quick] [--only PART]`."""

import argparse
import os
import platform
import shutil
import sys
import tempfile
import time
from pathlib import Path

from benchmarks.api import wrk
from benchmarks.api.parts import PARTS, QUICK, WHOLE, Bench, Scale


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.api", description="Measure the API server.")
    parser.add_argument("--quick", action="store_true", help="a few seconds on small numbers: whether it works at all")
    parser.add_argument("--only", action="append", choices=sorted(PARTS), help="one part (may be repeated)")
    parser.add_argument("--folder", type=Path, help="where the servers keep their data (a disk, not tmpfs)")
    options = parser.parse_args()
    try:
        wrk.ensure()
    except wrk.WrkMissing as missing:
        print(f"error: {missing}", file=sys.stderr)
        return 2
    folder = Path(tempfile.mkdtemp(prefix="windlass-bench-", dir=options.folder))
    print(_machine(), flush=True)
    bench = Bench(folder, QUICK if options.quick else Scale())
    interrupted = False
    try:
        for part in options.only or WHOLE:
            print(f"measuring {part} … ", end="", flush=True)
            began = time.monotonic()
            PARTS[part](bench)
            print(f"{time.monotonic() - began:.0f} s", flush=True)
    except KeyboardInterrupt:
        interrupted = True
        print("interrupted; what was measured until then:")
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    print()
    print(bench.report.text())
    print(_legend())
    return 130 if interrupted else 0


def _machine() -> str:
    load = ", ".join(f"{each:.1f}" for each in os.getloadavg())
    return f"{os.cpu_count()} processors, load {load}, Python {platform.python_version()}, {platform.release()}"


def _legend() -> str:
    return f"""
bare: an ASGI handler (uvicorn, httptools, uvloop, TLS) that only decodes, stamps, writes a synced journal and answers,
in the same run and under the same requests. CPU/request is the server's processor time: other load on the machine
changes it least.
* Kubernetes 1.35 with etcd, measured elsewhere on a quiet machine of this class (2 processors). On a loaded one it
falls to a third of that, so compare ratios.
Load average at the end: {os.getloadavg()[0]:.1f} on {os.cpu_count()} processors."""


if __name__ == "__main__":
    sys.exit(main())

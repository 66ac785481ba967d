"""`make fuzz`: requests that are almost right, to a whole platform, until something happens that must not.

FUZZ_REQUESTS (500000) says how many, FUZZ_SEED which ones (printed; random where it is not given), FUZZ_SECONDS when to
end at the latest, and FUZZ_ONLY that request of the seed alone. Exits with 1 and the request at the first answer of
5xx, traceback in a log, or process that was started again; with FUZZ_KEEP_GOING, after all of them.
"""

import asyncio
import os
import random
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz.running import Run
from tests.fuzz.watched import Finding, watched


def main() -> int:
    seed = int(os.environ.get("FUZZ_SEED") or random.randrange(10**6))
    requests = int(os.environ.get("FUZZ_REQUESTS") or 500_000)
    seconds = float(os.environ.get("FUZZ_SECONDS") or 6 * 3600)
    only = os.environ.get("FUZZ_ONLY")
    print(f"seed {seed}, {requests} requests, at most {seconds:.0f} s", flush=True)
    with (
        tempfile.TemporaryDirectory(prefix="windlass-fuzz-") as folder,
        watched(Path(folder), "--max-pods", "30") as it,
    ):
        run = Run(it, seed, requests, seconds, int(only) if only else None, bool(os.environ.get("FUZZ_KEEP_GOING")))
        began = time.monotonic()
        try:
            asyncio.run(run.run())
        except Finding as found:
            run.findings.append(str(found))
        took = time.monotonic() - began
    print(f"{run.sent} requests in {took:.0f} s ({run.sent / took:.0f} a second): {dict(sorted(run.codes.items()))}")
    for found in run.findings:
        print(f"\n=== FOUND ===\n{found}")
    return 1 if run.findings else 0


if __name__ == "__main__":
    sys.exit(main())

"""The part of `make fuzz` for the gateway: hostile requests to each of its routes, as two users and as nobody.

FUZZ_GATEWAY_REQUESTS (100000) says how many; FUZZ_SEED, FUZZ_SECONDS, FUZZ_ONLY and FUZZ_KEEP_GOING are as for the API
server. Exits with 1 and the request at the first answer of 5xx, missing answer, traceback in a log, process that was
started again, redirect to elsewhere, or name that is of another user's namespace.
"""

import asyncio
import os
import random
import sys
import tempfile
import time
from pathlib import Path

from tests.fuzz.gateway.running import Run, running, watched
from tests.fuzz.watched import Finding


def main() -> int:
    seed = int(os.environ.get("FUZZ_SEED") or random.randrange(10**6))
    requests = int(os.environ.get("FUZZ_GATEWAY_REQUESTS") or 100_000)
    seconds = float(os.environ.get("FUZZ_SECONDS") or 6 * 3600)
    only, keep_going = os.environ.get("FUZZ_ONLY"), bool(os.environ.get("FUZZ_KEEP_GOING"))
    print(f"gateway: seed {seed}, {requests} requests, at most {seconds:.0f} s", flush=True)
    with tempfile.TemporaryDirectory(prefix="windlass-fuzz-") as folder, running(Path(folder) / "home") as (it, users):
        routes = Path(folder) / "routes"
        number = int(only) if only else None
        run = Run(it, watched(it), users, seed, requests, routes, seconds, number, keep_going)
        began = time.monotonic()
        try:
            asyncio.run(run.run())
        except Finding as found:
            run.findings.append(str(found))
        took = time.monotonic() - began
    print(f"{run.sent} requests to {len(run.sent_to)} routes in {took:.0f} s: {dict(sorted(run.codes.items()))}")
    for found in run.findings:
        print(f"\n=== FOUND ===\n{found}")
    return 1 if run.findings else 0


if __name__ == "__main__":
    sys.exit(main())

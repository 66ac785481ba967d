"""The cost of large amounts to a platform: `python -m benchmarks.gateway.limits`.

200 stopped notebooks (memory and processor time while idle), and 10,000 sessions.
"""

import os
import sys
import tempfile
import time
from pathlib import Path

import requests

from benchmarks.gateway.__main__ import idle
from benchmarks.gateway.platform import PASSWORD, Platform, notebook, resident_mib
from windlass.gateway.database import Database
from windlass.gateway.identity.static_file import StaticFile
from windlass.gateway.identity.users import Users
from windlass.gateway.sessions.store import Sessions

NOTEBOOKS, SESSIONS, USERS = 200, 10_000, 200
ASKED = 1000
"""Sessions that a request is made with."""
SETTLING_SECONDS = 20.0


def stopped_notebooks(platform: Platform) -> None:
    platform.apply(*(notebook(f"n{number}") for number in range(NOTEBOOKS)))
    time.sleep(SETTLING_SECONDS)
    print(f"{NOTEBOOKS} stopped notebooks:", end=" ", flush=True)
    idle(platform, 30.0)


def sessions(platform: Platform) -> None:
    """The gateway with many sessions: its memory, a page, and the end of all."""
    database = Database(platform.folder / "gateway" / "gateway.db")
    store, users = Sessions(database), Users(database, StaticFile(None, {}))
    emails = [users.add(f"user{number}@example.com", PASSWORD).email for number in range(USERS)]
    before = resident_mib(platform.pids()["gateway"])
    began = time.monotonic()
    cookies = [store.start(emails[number % USERS], user_agent="Mozilla/5.0") for number in range(SESSIONS)]
    each = (time.monotonic() - began) / SESSIONS
    url = f"{platform.url}/oauth2/userinfo"
    asked = cookies[:: SESSIONS // ASKED]
    began = time.monotonic()
    for cookie in asked:
        answer = requests.get(url, cookies={"oauth2_proxy_kubeflow": cookie}, timeout=30)
        assert answer.status_code == 200, f"{url} answered {answer.status_code}: {answer.text}"
    answered = (time.monotonic() - began) / len(asked)
    grown = resident_mib(platform.pids()["gateway"]) - before
    began = time.monotonic()
    listed = len(store.list(emails[0]))
    took = time.monotonic() - began
    began = time.monotonic()
    Sessions(database, lambda: time.time() + 8 * 86400).start("late@example.com")
    cleaned = time.monotonic() - began
    database.close()
    print(
        f"{SESSIONS} sessions   {each * 1e3:.1f} ms to start one   gateway {grown:.1f} MiB more after {len(asked)} of"
        f" them asked, {answered * 1e3:.1f} ms each"
        f"   {took * 1e3:.1f} ms to list {listed}   {cleaned * 1e3:.0f} ms to forget all",
        flush=True,
    )


def main() -> int:
    print(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f}", flush=True)
    platform = Platform(Path(tempfile.mkdtemp(prefix="windlass-bench-")))
    platform.start()
    try:
        idle(platform)
        platform.sign_in()
        platform.route_to("192.0.2.1", 9)
        stopped_notebooks(platform)
        sessions(platform)
    finally:
        platform.stop()
    print(f"load at the end {os.getloadavg()[0]:.1f}: beyond 2 the figures are too low")
    return 0


if __name__ == "__main__":
    sys.exit(main())

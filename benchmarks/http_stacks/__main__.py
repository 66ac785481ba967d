"""Compare HTTP stacks for servers that are no API server: `python -m benchmarks.http_stacks [--quick]`.

The same proxy, written for aiohttp.web and for Starlette on uvicorn, with the same client and the same backend
behind it. All take turns in one run; the backend asked directly is what the ratios are of.
"""

import argparse
import asyncio
import sys
from contextlib import ExitStack

from benchmarks.api import wrk
from benchmarks.http_stacks.measuring import MANY, Server

PROXIES = {"aiohttp.web": "aiohttp_proxy", "Starlette": "starlette_proxy"}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.http_stacks", description="Compare HTTP stacks.")
    parser.add_argument("--quick", action="store_true", help="one short round: whether it works at all")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seconds", type=int, default=3, help="of each load in a round")
    options = parser.parse_args()
    try:
        wrk.ensure()
    except wrk.WrkMissing as missing:
        print(f"error: {missing}", file=sys.stderr)
        return 2
    rounds, seconds = (1, 1) if options.quick else (options.rounds, options.seconds)
    with ExitStack() as stack:
        backend = stack.enter_context(Server("backend, directly", "backend"))
        servers = [stack.enter_context(Server(name, module, backend)) for name, module in PROXIES.items()]
        for number in range(rounds):
            print(f"round {number + 1} of {rounds}", flush=True)
            for server in (backend, *servers):
                asyncio.run(server.measure(seconds))
    print(table(backend, servers))
    return 0


def table(backend: Server, proxies: list[Server]) -> str:
    """A row a figure: what each server did, and its part of what the backend does."""
    ours, direct = [server.figures for server in (backend, *proxies)], backend.figures
    rows = [
        ["", *(server.name for server in (backend, *proxies))],
        [f"requests/s, {MANY} connections", *(f"{each.rate:,.0f} ({each.rate / direct.rate:.2f})" for each in ours)],
        ["p50, 1 connection", *(f"{each.delay * 1e3:.2f} ms ({each.delay / direct.delay:.2f})" for each in ours)],
        ["WebSocket round trips/s", *(f"{each.trips:,.0f} ({each.trips / direct.trips:.2f})" for each in ours)],
        [
            "processor time of a request",
            *(f"{each.cost * 1e6:.0f} µs ({each.cost / direct.cost:.2f})" for each in ours),
        ],
        ["memory", *(f"{each.memory:.0f} MB ({each.memory / direct.memory:.2f})" for each in ours)],
    ]
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    return "\n".join(
        "  ".join([row[0].ljust(widths[0]), *(c.rjust(w) for c, w in zip(row[1:], widths[1:], strict=True))])
        for row in rows
    )


if __name__ == "__main__":
    sys.exit(main())

"""Signals that the caller ignores: by this process, and not by what it starts."""

import json
import signal
import subprocess
import sys

import pytest

SHOW = "import json, signal; print(json.dumps([signal.getsignal(n) is signal.SIG_IGN for n in (1, 2, 3)]))"
PARENT = f"""
import asyncio, json, os, signal, subprocess, sys
from windlass.kube.signals import is_ignored, keep_ignored_from_children, on_signals

async def handled():
    loop = asyncio.get_running_loop()
    return on_signals(loop, [signal.SIGHUP, signal.SIGINT, signal.SIGTERM], lambda: None)

keep_ignored_from_children()
for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT):
    if is_ignored(number):
        os.kill(os.getpid(), number)
child = subprocess.run([sys.executable, "-c", {SHOW!r}], capture_output=True, check=True).stdout
print(json.dumps({{"handled": asyncio.run(handled()), "child": json.loads(child)}}))
"""


@pytest.mark.parametrize(
    ("ignored", "handled"),
    [
        ("", [signal.SIGHUP, signal.SIGINT, signal.SIGTERM]),
        ("HUP", [signal.SIGINT, signal.SIGTERM]),
        ("INT QUIT", [signal.SIGHUP, signal.SIGTERM]),
        ("HUP INT QUIT TERM", [signal.SIGTERM]),
    ],
)
def test_what_the_caller_ignores_stays_ignored_here_and_is_default_in_children(
    ignored: str, handled: list[signal.Signals]
) -> None:
    trap = f'trap "" {ignored}; ' if ignored else ""
    argv = ["sh", "-c", f'{trap}exec "$0" "$@"', sys.executable, "-c", PARENT]
    done = subprocess.run(argv, capture_output=True, text=True, check=False, timeout=60)

    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == {"handled": handled, "child": [False, False, False]}

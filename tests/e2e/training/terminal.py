"""`windlass` as a person types it: to its end, or in a terminal where Ctrl-C can be pressed."""

import os
import pty
import select
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

WINDLASS = (sys.executable, "-P", "-m", "windlass")
CTRL_C = "\x03"


@dataclass
class Desk:
    """A folder with scripts, and the commands of Windlass typed in it."""

    folder: Path
    data_dir: Path
    namespace: str

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def __call__(self, command: str, *words: str, within: float = 200.0) -> subprocess.CompletedProcess[str]:
        """`command`, which takes a namespace, in this one."""
        return subprocess.run(
            self.argv(command, *words),
            cwd=self.folder, env=self.environment(), stdin=subprocess.DEVNULL,
            capture_output=True, text=True, check=False, timeout=within,
        )  # fmt: skip

    def argv(self, command: str, *words: str) -> list[str]:
        return [*WINDLASS, command, "-n", self.namespace, "--data-dir", str(self.data_dir), *words]

    def environment(self) -> dict[str, str]:
        return {**os.environ, "NO_COLOR": "1"}

    def terminal(self, command: str, *words: str) -> "Terminal":
        return Terminal(self.argv(command, *words), self.folder, self.environment())


class Terminal:
    """One command in a terminal of its own."""

    def __init__(self, argv: list[str], folder: Path, environment: dict[str, str]) -> None:
        self.shown = ""
        ours, theirs = pty.openpty()
        self._screen = ours
        self._process = subprocess.Popen(
            argv, cwd=folder, env=environment, stdin=theirs, stdout=theirs, stderr=theirs,
            preexec_fn=lambda: _become_the_terminal_of(theirs),
        )  # fmt: skip
        os.close(theirs)

    def press(self, keys: str) -> None:
        os.write(self._screen, keys.encode())

    def until(self, text: str, within: float = 120.0) -> None:
        """Wait until something new shows `text`."""
        start, deadline = len(self.shown), time.monotonic() + within
        while text not in self.shown[start:]:
            assert time.monotonic() < deadline, f"{text!r} is not shown:\n{self.shown}"
            assert self._read(), f"it ended before {text!r} was shown:\n{self.shown}"

    def end(self, within: float = 120.0) -> int:
        """Wait until the command ends; its exit code."""
        deadline = time.monotonic() + within
        while self._read():
            assert time.monotonic() < deadline, f"it does not end:\n{self.shown}"
        os.close(self._screen)
        return self._process.wait(60)

    def _read(self) -> bool:
        """What came meanwhile, if anything did; False at the end."""
        if not select.select([self._screen], [], [], 0.2)[0]:
            return True
        try:
            came = os.read(self._screen, 65536)
        except OSError:  # nobody holds the other end any more
            return False
        self.shown += came.decode(errors="replace")
        return bool(came)


def _become_the_terminal_of(descriptor: int) -> None:
    import fcntl
    import termios

    os.setsid()
    fcntl.ioctl(descriptor, termios.TIOCSCTTY, 0)

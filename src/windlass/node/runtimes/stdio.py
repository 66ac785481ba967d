"""The agent's descriptors of a process' streams, as `base.Process` has them."""

import os


class Stdio:
    """Descriptors that are owned until closed; with a terminal, `stdin` and `stdout` are the same."""

    def __init__(self, stdin: int | None = None, stdout: int | None = None, stderr: int | None = None) -> None:
        self.stdin, self.stdout, self.stderr = stdin, stdout, stderr
        self.is_closed = False

    def hold(self, *, stdin: int | None = None, stdout: int | None = None, stderr: int | None = None) -> None:
        """Set the given descriptors; the others stay."""
        self.stdin = self.stdin if stdin is None else stdin
        self.stdout = self.stdout if stdout is None else stdout
        self.stderr = self.stderr if stderr is None else stderr

    def _descriptors(self) -> set[int]:
        return {fd for fd in (self.stdin, self.stdout, self.stderr) if fd is not None}

    def unblock(self) -> None:
        for descriptor in self._descriptors():
            os.set_blocking(descriptor, False)

    def close_descriptors(self) -> bool:
        """Close all descriptors; False if they were closed before."""
        if self.is_closed:
            return False
        self.is_closed = True
        for descriptor in self._descriptors():
            try:
                os.close(descriptor)
            except OSError:
                continue  # its owner has closed it already, to end the input
        return True

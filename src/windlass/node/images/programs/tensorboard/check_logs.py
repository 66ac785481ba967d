"""Checks that TensorBoard can list its logs in an object store: `check_logs.py --logdir=URL`; if not, says why.

It asks by TensorBoard's own file systems, so what it finds out is what TensorBoard would.
"""

from __future__ import annotations

import importlib
import os
import sys

OPTION = "--logdir="


def problem_of(url: str) -> str:
    """Return why the logs cannot be listed; empty if they can, also where there are none yet."""
    gfile = importlib.import_module("tensorboard.compat.tensorflow_stub.io.gfile")

    place = url.rstrip("/") + "/"
    try:
        gfile.get_filesystem(place).exists(place)
    except Exception as error:  # noqa: BLE001 - each store's library has errors of its own
        return f"cannot read {url}: {error}"
    return ""


def main(words: list[str]) -> int:
    os.environ.setdefault("AWS_MAX_ATTEMPTS", "2")  # a container that ends is started again anyway
    urls = [word[len(OPTION) :] for word in words if word.startswith(OPTION)]
    problems = [problem for problem in map(problem_of, urls) if problem]
    for problem in problems:
        print(problem, file=sys.stderr)  # noqa: T201 - the container's log
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

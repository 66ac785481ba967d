"""A subset of busybox's nc: `nc -z [-w SECONDS] HOST PORT` checks whether a port is open. Exit code 1: it is not.

It avoids the `socket` module, which takes as much memory again as Python itself: init containers have little.
"""

import _socket
import sys
from typing import Any

USAGE = "usage: nc -z [-w SECONDS] HOST PORT (this version only checks whether a port is open)\n"
SECONDS = 5.0


def read(arguments: list[str]) -> tuple[str, int, float] | None:
    """Parse host, port and timeout; None for any other usage."""
    words, seconds, looks = list(arguments), SECONDS, False
    while words and words[0].startswith("-"):
        option = words.pop(0)
        if option == "-z":
            looks = True
        elif option == "-w" and words and words[0].isdecimal():
            seconds = float(words.pop(0))
        else:
            return None
    if not looks or len(words) != 2 or not words[1].isdecimal() or not 0 < int(words[1]) < 65536:
        return None
    return words[0], int(words[1]), max(seconds, 0.1)


def listens(host: str, port: int, seconds: float) -> bool:
    try:
        found = _socket.getaddrinfo(host, port, 0, _socket.SOCK_STREAM)
    except OSError:
        return False
    return any(_takes(family, address, seconds) for family, _, _, _, address in found)


def _takes(family: int, address: Any, seconds: float) -> bool:
    link = _socket.socket(family, _socket.SOCK_STREAM)
    link.settimeout(seconds)
    try:
        link.connect(address)
    except OSError:
        return False
    finally:
        link.close()
    return True


def main(arguments: list[str]) -> int:
    asked = read(arguments)
    if asked is None:
        sys.stderr.write(USAGE)
        return 1
    return 0 if listens(*asked) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

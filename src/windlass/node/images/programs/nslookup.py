"""busybox's nslookup: resolves a name with the pod's name servers and search domains. Exit code 1: not found.

It avoids the `socket` module, which takes as much memory again as Python itself: init containers have little.
"""

import _socket
import os
import sys

TRIES, SECONDS = 2, 5.0
A, AAAA = 1, 28


def configuration(text: str) -> tuple[list[str], list[str], int]:
    """Parse the name servers, search domains and `ndots` of a resolv.conf."""
    servers: list[str] = []
    search: list[str] = []
    dots = 1
    for line in text.splitlines():
        words = line.split()
        if words[:1] == ["nameserver"] and len(words) > 1:
            servers.append(words[1])
        elif words[:1] in (["search"], ["domain"]):
            search = words[1:]
        elif words[:1] == ["options"]:
            dots = next((int(word[6:]) for word in words if word.startswith("ndots:")), dots)
    return servers or ["127.0.0.1"], search, dots


def candidates(name: str, search: list[str], dots: int) -> list[str]:
    """Return the names to query, in order, as the C library's resolver would."""
    if name.endswith("."):
        return [name.rstrip(".")]
    longer = [f"{name}.{domain}" for domain in search]
    return [name, *longer] if name.count(".") >= dots else [*longer, name]


def question(number: int, name: str, kind: int) -> bytes:
    header = number.to_bytes(2, "big") + b"\x01\x00\x00\x01\x00\x00\x00\x00\x00\x00"
    labels = b"".join(bytes([len(part)]) + part for part in (label.encode() for label in name.split(".")))
    return header + labels + b"\x00" + kind.to_bytes(2, "big") + b"\x00\x01"


def addresses(message: bytes, kind: int) -> list[str]:
    """Return the addresses in an answer's records of this type."""
    at = _after_name(message, 12) + 4
    found: list[str] = []
    for _ in range(int.from_bytes(message[6:8], "big")):
        at = _after_name(message, at)
        length = int.from_bytes(message[at + 8 : at + 10], "big")
        if int.from_bytes(message[at : at + 2], "big") == kind:
            family = _socket.AF_INET if kind == A else _socket.AF_INET6
            found.append(_socket.inet_ntop(family, message[at + 10 : at + 10 + length]))
        at += 10 + length
    return found


def _after_name(message: bytes, at: int) -> int:
    while message[at]:
        if message[at] >= 0xC0:
            return at + 2
        at += message[at] + 1
    return at + 1


def ask(server: str, name: str, kind: int) -> bytes | None:
    """Query a server; None if it does not answer."""
    family = _socket.AF_INET6 if ":" in server else _socket.AF_INET
    for _ in range(TRIES):
        number = int.from_bytes(os.urandom(2), "big")
        link = _socket.socket(family, _socket.SOCK_DGRAM)
        link.settimeout(SECONDS)
        try:
            link.connect((server, 53))
            link.send(question(number, name, kind))
            while True:
                message = link.recv(4096)
                if int.from_bytes(message[:2], "big") == number:
                    return message
        except OSError:
            continue
        finally:
            link.close()
    return None


def main(arguments: list[str]) -> int:
    if not arguments or len(arguments) > 2:
        sys.stderr.write("usage: nslookup HOST [DNS_SERVER]\n")
        return 1
    with open("/etc/resolv.conf") as file:  # noqa: PTH123 - without pathlib, which is slow and heavy
        servers, search, dots = configuration(file.read())
    servers = arguments[1:] or servers
    answered = False
    for name in candidates(arguments[0], search, dots):
        for server in servers:
            answers = [(kind, message) for kind in (A, AAAA) if (message := ask(server, name, kind)) is not None]
            if not answers:
                continue
            if not answered:
                sys.stdout.write(f"Server:\t\t{server}\nAddress:\t{server}:53\n\n")
                answered = True
            found = [address for kind, message in answers for address in addresses(message, kind)]
            if found:
                sys.stdout.write("".join(f"Name:\t{name}\nAddress: {address}\n" for address in found))
                return 0
            break
    why = "** server can't find {}: NXDOMAIN" if answered else ";; connection timed out; no servers could be reached"
    sys.stdout.write(why.format(arguments[0]) + "\n")
    return 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))

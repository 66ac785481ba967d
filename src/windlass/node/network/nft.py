"""Encodes a change of a ruleset as nftables' netlink messages (linux/netfilter/nf_tables.h)."""

import socket
import struct
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from windlass.node.network.netlink import APPEND, CREATE, Message, attribute, attributes, be32, be64, nested, text
from windlass.node.network.ruleset import Chain, Change, Rule, Ruleset, Set, Statement, difference

_SUBSYSTEM = 10 << 8
_NEW_TABLE, _GET_TABLE, _DELETE_TABLE, _NEW_CHAIN, _DELETE_CHAIN, _NEW_RULE, _DELETE_RULE = 0, 1, 2, 3, 5, 6, 8
_NEW_SET, _DELETE_SET, _NEW_ELEMENTS, _DELETE_ELEMENTS = 9, 11, 12, 14
_HEAD = struct.pack("=BBH", socket.AF_INET, 0, 0)
_FRAME = struct.pack(">BBH", 0, 0, 10)
BEGIN, END = Message(0x10, 0, _FRAME, "begin"), Message(0x11, 0, _FRAME, "commit")

LIST_TABLES = Message(_SUBSYSTEM | _GET_TABLE, 0, _HEAD, "list tables")

_HOOKS = {"prerouting": 0, "input": 1, "forward": 2, "output": 3, "postrouting": 4}
_INTERVAL, _MAP, _TIMEOUT, _DYNAMIC = 0x4, 0x8, 0x10, 0x20
_VERDICTS = {"drop": 0, "accept": 1, "jump": -3, "goto": -4, "return": -5}
_VERDICT_TYPE = 0xFFFFFF00
_ENDPOINT_TYPE = 7 << 6 | 13  # ipv4_addr . inet_service, for those who list it
_REGISTER = 8  # NFT_REG32_00
_AT_ONCE = 400  # elements in a message; an attribute has at most 64 KiB
_PROTOCOLS = {"TCP": 6, "UDP": 17}

# field: type for people who list, bytes, how to load it
_FIELDS: dict[str, tuple[int, int, tuple[str, bytes]]] = {
    "saddr": (7, 4, ("payload", be32(2, 1) + be32(3, 12) + be32(4, 4))),
    "daddr": (7, 4, ("payload", be32(2, 1) + be32(3, 16) + be32(4, 4))),
    "proto": (12, 1, ("meta", be32(2, 16))),
    "dport": (13, 2, ("payload", be32(2, 2) + be32(3, 2) + be32(4, 2))),
    "number": (4, 4, ("", b"")),
}
_STATES = {"established": 2, "related": 4, "new": 8}


def value(name: str, given: Any) -> bytes:
    """Encode the value that a field is compared with."""
    if name in ("saddr", "daddr"):
        return socket.inet_aton(given)
    if name == "proto":
        return bytes([_PROTOCOLS[given]])
    if name == "dport":
        return struct.pack(">H", given)
    return struct.pack("=I", given)


def _padded(data: bytes) -> bytes:
    return data + b"\0" * (-len(data) % 4)


def key(fields: tuple[str, ...], given: tuple[Any, ...]) -> bytes:
    if len(fields) == 1:
        return value(fields[0], given[0])
    return b"".join(_padded(value(name, each)) for name, each in zip(fields, given, strict=True))


# Expressions


def _expression(name: str, data: bytes = b"") -> bytes:
    return nested(1, text(1, name), nested(2, data)) if data else nested(1, text(1, name))


def _data(raw: bytes) -> bytes:
    return attribute(1, raw)


def _verdict_data(verdict: tuple[str, ...]) -> bytes:
    code = be32(1, _VERDICTS[verdict[0]])
    return nested(2, code + (text(2, verdict[1]) if len(verdict) > 1 else b""))


def _load(name: str, register: int = _REGISTER) -> bytes:
    expression, data = _FIELDS[name][2]
    return _expression(expression, be32(1, register) + data)


def _load_all(fields: tuple[str, ...]) -> bytes:
    return b"".join(_load(name, _REGISTER + index) for index, name in enumerate(fields))


def _compare(raw: bytes, *, unequal: bool = False) -> bytes:
    return _expression("cmp", be32(1, _REGISTER) + be32(2, int(unequal)) + nested(3, _data(raw)))


def _is(name: str, given: Any) -> bytes:
    return _load(name) + _compare(value(name, given))


def _is_not(name: str, given: Any) -> bytes:
    return _load(name) + _compare(value(name, given), unequal=True)


def _mask(mask: bytes) -> bytes:
    length, zero = len(mask), bytes(len(mask))
    parts = be32(1, _REGISTER) + be32(2, _REGISTER) + be32(3, length)
    return _expression("bitwise", parts + nested(4, _data(mask)) + nested(5, _data(zero)))


def _within(name: str, network: str) -> bytes:
    address, _, length = network.partition("/")
    mask = struct.pack(">I", 0xFFFFFFFF << (32 - int(length)) & 0xFFFFFFFF)
    return _load(name) + _mask(mask) + _compare(socket.inet_aton(address))


def _lookup(fields: tuple[str, ...], name: str, *, inverted: bool = False) -> bytes:
    data = text(1, name) + be32(2, _REGISTER) + (be32(5, 1) if inverted else b"")
    return _load_all(fields) + _expression("lookup", data)


def _vmap(fields: tuple[str, ...], name: str) -> bytes:
    return _load_all(fields) + _expression("lookup", text(1, name) + be32(2, _REGISTER) + be32(3, 0))


def _ports(first: int, last: int) -> bytes:
    ends = nested(3, _data(struct.pack(">H", first))) + nested(4, _data(struct.pack(">H", last)))
    return _load("dport") + _expression("range", be32(1, _REGISTER) + be32(2, 0) + ends)


def _connection(number: int, bits: int) -> bytes:
    zero = struct.pack("=I", 0)
    loaded = _expression("ct", be32(2, number) + be32(1, _REGISTER))
    return loaded + _mask(struct.pack("=I", bits)) + _compare(zero, unequal=True)


def _state(*names: str) -> bytes:
    return _connection(0, sum(_STATES[name] for name in names))


def _interface(key_number: int, name: str) -> bytes:
    return _expression("meta", be32(2, key_number) + be32(1, _REGISTER)) + _compare(name.encode().ljust(16, b"\0"))


def _numbered(count: int) -> bytes:
    return _expression("numgen", be32(1, _REGISTER) + be32(2, count) + be32(3, 1) + be32(4, 0))


def _random_dnat(count: int, name: str) -> bytes:
    looked_up = _expression("lookup", text(1, name) + be32(2, _REGISTER) + be32(3, _REGISTER))
    return _numbered(count) + looked_up + _nat(1, port=True)


def _random_vmap(count: int, name: str) -> bytes:
    return _numbered(count) + _expression("lookup", text(1, name) + be32(2, _REGISTER) + be32(3, 0))


def _immediate(register: int, raw: bytes) -> bytes:
    return _expression("immediate", be32(1, register) + nested(2, _data(raw)))


def _nat(kind: int, *, port: bool) -> bytes:
    data = be32(1, kind) + be32(2, socket.AF_INET) + be32(3, _REGISTER)
    return _expression("nat", data + (be32(5, _REGISTER + 1) if port else b""))


def _dnat(address: str, port: int) -> bytes:
    loaded = _immediate(_REGISTER, socket.inet_aton(address)) + _immediate(_REGISTER + 1, struct.pack(">H", port))
    return loaded + _nat(1, port=True)


def _snat(address: str) -> bytes:
    return _immediate(_REGISTER, socket.inet_aton(address)) + _nat(0, port=False)


def _remember(fields: tuple[str, ...], name: str) -> bytes:
    return _load_all(fields) + _expression("dynset", text(1, name) + be32(3, 1) + be32(4, _REGISTER))


def _reject(kind: str) -> bytes:
    code = attribute(2, b"\3") if kind == "port-unreachable" else b""
    return _expression("reject", be32(1, 1 if kind == "tcp-reset" else 0) + code)


def _verdict(*verdict: str) -> bytes:
    return _expression("immediate", be32(1, 0) + nested(2, _verdict_data(verdict)))


STATEMENTS: dict[str, Callable[..., bytes]] = {
    "is": _is,
    "is not": _is_not,
    "within": _within,
    "in": _lookup,
    "not in": lambda fields, name: _lookup(fields, name, inverted=True),
    "vmap": _vmap,
    "ports": _ports,
    "state": _state,
    "was dnat": lambda: _connection(2, 0x20),
    "comes by": lambda name: _interface(6, name),
    "leaves by": lambda name: _interface(7, name),
    "random dnat": _random_dnat,
    "random vmap": _random_vmap,
    "dnat": _dnat,
    "snat": _snat,
    "masquerade": lambda: _expression("masq"),
    "remember": _remember,
    "reject": _reject,
    **{name: (lambda *more, name=name: _verdict(name, *more)) for name in _VERDICTS},
}


def _statement(statement: Statement) -> bytes:
    return STATEMENTS[statement[0]](*statement[1:])


# Messages


def _message(kind: int, flags: int, payload: bytes, about: str) -> Message:
    return Message(_SUBSYSTEM | kind, flags, _HEAD + payload, about)


def replace_table(table: str, new: Ruleset) -> list[Message]:
    """Replace the table's whole content."""
    named = text(1, table)
    return [
        _message(_NEW_TABLE, CREATE, named, f"table {table}"),
        _message(_DELETE_TABLE, 0, named, f"table {table}"),
        _message(_NEW_TABLE, CREATE, named, f"table {table}"),
        *change_table(table, difference(Ruleset(), new)),
    ]


def table_name(body: bytes) -> str:
    """Return the table's name in a reply to `LIST_TABLES`."""
    return next((each.rstrip(b"\0").decode() for number, each in attributes(body[4:]) if number == 1), "")


def delete_table(table: str) -> list[Message]:
    named = text(1, table)
    return [
        _message(_NEW_TABLE, CREATE, named, f"table {table}"),
        _message(_DELETE_TABLE, 0, named, f"table {table}"),
    ]


def change_table(table: str, change: Change) -> list[Message]:
    messages = [_new_set(table, name, each, number + 1) for number, (name, each) in enumerate(change.new_sets.items())]
    messages += [_new_chain(table, name, chain) for name, chain in change.new_chains.items()]
    for name in change.emptied:
        messages.append(_message(_DELETE_RULE, 0, text(1, table) + text(2, name), f"empty chain {name}"))
    for name, each in change.gone_elements.items():
        messages += _elements(table, _DELETE_ELEMENTS, 0, name, each)
    for name, each in change.new_elements.items():
        messages += _elements(table, _NEW_ELEMENTS, CREATE, name, each)
    for name, chain in change.refilled.items():
        messages += [_rule(table, name, rule) for rule in chain.rules]
    for name in change.gone_sets:
        messages.append(_message(_DELETE_SET, 0, text(1, table) + text(2, name), f"remove set {name}"))
    for name in change.gone_chains:
        messages.append(_message(_DELETE_CHAIN, 0, text(1, table) + text(3, name), f"remove chain {name}"))
    return messages


def _new_chain(table: str, name: str, chain: Chain) -> Message:
    payload = text(1, table) + text(3, name)
    if chain.hook is not None:
        hook = nested(4, be32(1, _HOOKS[chain.hook.at]), be32(2, chain.hook.priority))
        payload += hook + be32(5, 1) + text(7, chain.hook.type)
    return _message(_NEW_CHAIN, CREATE, payload, f"chain {name}")


def _rule(table: str, chain: str, rule: Rule) -> Message:
    expressions = b"".join(_statement(statement) for statement in rule)
    payload = text(1, table) + text(2, chain) + nested(4, expressions)
    return _message(_NEW_RULE, CREATE | APPEND, payload, f"rule of {chain}: {rule}")


def _new_set(table: str, name: str, each: Set, number: int) -> Message:
    kind, length = 0, 0
    for field in each.fields:
        kind = kind << 6 | _FIELDS[field][0]
        length += 4 if len(each.fields) > 1 else _FIELDS[field][1]
    flags = (_INTERVAL if each.intervals else 0) | (_MAP if each.data else 0)
    if each.timeout:
        flags |= _TIMEOUT | _DYNAMIC
    payload = text(1, table) + text(2, name) + be32(3, flags) + be32(4, kind) + be32(5, length)
    if each.data:
        verdict = each.data == "verdict"
        payload += be32(6, _VERDICT_TYPE if verdict else _ENDPOINT_TYPE) + be32(7, 16 if verdict else 8)
    if each.timeout:
        payload += nested(9, be32(1, 65535)) + be64(11, each.timeout * 1000)
    return _message(_NEW_SET, CREATE, payload + be32(10, number), f"set {name}")


def _elements(table: str, kind: int, flags: int, name: str, each: Set) -> Iterator[Message]:
    head = text(1, table) + text(2, name)
    for some in _in_pieces(_encoded_elements(each, deleting=kind == _DELETE_ELEMENTS)):
        yield _message(kind, flags, head + nested(3, *some), f"elements of {name}")


def _in_pieces(encoded: Iterable[bytes]) -> Iterator[list[bytes]]:
    piece: list[bytes] = []
    for each in encoded:
        piece.append(each)
        if len(piece) == _AT_ONCE:
            yield piece
            piece = []
    if piece:
        yield piece


def _encoded_elements(each: Set, *, deleting: bool) -> Iterator[bytes]:
    for given, leads_to in each.elements.items():
        if each.intervals:
            yield from _interval(*given)
            continue
        element = nested(1, _data(key(each.fields, given)))
        if each.data and not deleting:
            element += nested(2, _leads_to(each.data, leads_to))
        yield nested(1, element)


def _leads_to(kind: str, leads_to: Any) -> bytes:
    if kind == "verdict":
        return _verdict_data(leads_to)
    address, port = leads_to
    return _data(socket.inet_aton(address) + _padded(struct.pack(">H", port)))


def _interval(first: str, last: str) -> Iterator[bytes]:
    """Encode a range: its first address, and the address after its last one marked as an end."""
    yield nested(1, nested(1, _data(socket.inet_aton(first))))
    after = int.from_bytes(socket.inet_aton(last), "big") + 1
    if after < 1 << 32:
        yield nested(1, nested(1, _data(after.to_bytes(4, "big"))) + be32(3, 1))

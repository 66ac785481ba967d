"""The process that supervisors of plain processes are forked from."""

import os
import socket

from windlass.node.runtimes.process.supervisor import PlainSupervisor
from windlass.node.runtimes.sandbox import limits
from windlass.node.runtimes.sandbox.identity import Range
from windlass.node.runtimes.sandbox.supervisor import Node
from windlass.node.runtimes.sandbox.zygote import settle


def main(arguments: list[str]) -> int:
    connection = socket.socket(fileno=int(arguments[0]))
    os.set_inheritable(connection.fileno(), False)
    node = Node(arguments[1], Range(os.getuid(), 1), False, -1, limits.delegated())
    return settle(connection, node, PlainSupervisor)

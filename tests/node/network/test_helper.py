"""The process in the pods' network that acts for the node agent."""

import os
import socket
import subprocess
import sys

SCRIPT = """
import sys
from windlass.node.network import helper
helper.join = lambda user, net: None
helper.Helper = type("Idle", (), {"operations": lambda self: {}})
helper.main()
"""


def test_the_helper_of_a_killed_agent_ends_without_a_word() -> None:
    """Whatever the agent has left unread resets the connection."""
    agent, end = socket.socketpair()
    end.sendall(b"an answer that nobody reads")
    running = subprocess.Popen(
        [sys.executable, "-P", "-c", SCRIPT, str(end.fileno()), "0", "0"],
        pass_fds=[end.fileno()],
        stderr=subprocess.PIPE,
        text=True,
        env=dict(os.environ),
    )
    end.close()
    agent.close()

    _, errors = running.communicate(timeout=60)
    assert (running.returncode, errors) == (0, "")

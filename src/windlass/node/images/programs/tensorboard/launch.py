"""Runs TensorBoard as its own program does: `launch.py --logdir=FOLDER …`, for the gateway alone if there is a token.

A pod without a network of its own shares the loopback of the machine. TensorBoard then listens on the pod's address
only, and without the data server, a process of its own that would answer everybody on another port.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    Application = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]

ADDRESS = "WINDLASS_POD_IP"
BIND_ALL, DATA_SERVER = "--bind_all", "--load_fast"


def guarded(application: Application, token: str) -> Application:
    """Return the WSGI application for requests with the token, and a refusal for all others."""
    from windlass.formats.server_token import HEADER, REFUSAL, is_gateway

    variable = "HTTP_" + HEADER.upper().replace("-", "_")

    def answer(environ: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        if is_gateway(token, environ.get(variable)):
            return application(environ, start_response)
        start_response("403 Forbidden", [("Content-Type", "text/plain; charset=utf-8")])
        return [f"{REFUSAL}\n".encode()]

    return answer


def options_for(words: list[str], address: str) -> list[str]:
    """Return the options for a pod with this address of the loopback; empty for one with a network of its own."""
    if not address:
        return words
    bound = [f"--host={address}" if word == BIND_ALL else word for word in words]
    return bound if any(word.startswith(DATA_SERVER) for word in words) else [*bound, f"{DATA_SERVER}=false"]


def main(words: list[str]) -> int:
    from windlass.formats.server_token import VARIABLE

    default = importlib.import_module("tensorboard.default")
    program = importlib.import_module("tensorboard.program")
    token = os.environ.get(VARIABLE, "")

    def server(application: Application, flags: Any) -> Any:
        shown = guarded(application, token) if token else application
        return program.create_port_scanning_werkzeug_server(shown, flags)

    board = program.TensorBoard(plugins=default.get_plugins(), server_class=server)
    board.configure([words[0], *options_for(words[1:], os.environ.get(ADDRESS, ""))])
    return board.main() or 0


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).resolve().parent / "lib"))
    sys.exit(main(sys.argv))

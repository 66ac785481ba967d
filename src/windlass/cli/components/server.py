"""`windlass server`: run only the API server in the foreground, as a supervisor or a container does."""

import asyncio
import os
import time
from dataclasses import fields, replace

import click

from windlass import __version__
from windlass.cli import screen
from windlass.cli.components.app_options import use_options
from windlass.cli.components.supervised import end_with_supervisor, set_up_logging, supervised_option
from windlass.cli.failure import Failure
from windlass.cli.settings import ServerFlags, data_dir_at, takes
from windlass.supervisor import ports, process, run_state


@click.command()
@supervised_option
@takes(ServerFlags)
def server(settings: ServerFlags, supervised: bool) -> None:
    """Run only the API server, in the foreground."""
    data = data_dir_at(settings.data_dir)
    set_up_logging(settings.debug)
    if supervised:
        end_with_supervisor()
        _serve(settings)
        return
    from windlass.cli.up import claim, warn_if_open

    data.prepare()
    lock = claim(data)
    try:
        settings = replace(settings, port=ports.choose_port(settings.listen, settings.port, command="windlass server"))
        screen.headline(data)
        warn_if_open(settings.listen)
        url = ports.url(settings.listen, settings.port)
        screen.print_access(url, data.kubeconfig)
        run_state.save(data, standalone_state(url))
        _serve(replace(settings, data_dir=data.short_root))
    finally:
        run_state.forget(data)
        lock.release()


def standalone_state(url: str) -> run_state.RunState:
    """The state that `status` and `down` read for a server without a supervisor."""
    pid, born, now = os.getpid(), process.birth(os.getpid()), time.time()
    own = run_state.ComponentState(name="server", state="running", pid=pid, born=born, started=now)
    return run_state.RunState(
        pid=pid, born=born, version=__version__, phase="ready", url=url, started=now, components=(own,)
    )


def _serve(settings: ServerFlags) -> None:
    import uvloop

    from windlass.apiserver.auth.tokens import BadTokenFile
    from windlass.apiserver.server import ServerSettings, serve
    from windlass.apiserver.store import StoreError

    use_options(os.environ)
    known = {one.name for one in fields(ServerSettings)}
    options = ServerSettings(**{name: value for name, value in vars(settings).items() if name in known})
    try:
        with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
            runner.run(serve(options))
    except (StoreError, BadTokenFile) as error:
        raise Failure(str(error)) from error

"""`windlass up`: check that it can run, then start and supervise the processes, or detach from them (`--detach`)."""

import asyncio
import os
from dataclasses import fields, replace

import click

from windlass.cli import screen
from windlass.cli.failure import Failure
from windlass.cli.manager_settings import ControllerFlags, ManagerSettings, UpSettings
from windlass.cli.settings import (
    GatewayFlags,
    GatewaySettings,
    NodeFlags,
    NodeSettings,
    SchedulerFlags,
    ServerFlags,
    as_flags,
    data_dir_at,
    default_data_dir,
    takes,
)
from windlass.supervisor import log_files, node_facts, ports, run_state
from windlass.supervisor.child import WINDLASS, Child, Component
from windlass.supervisor.datadir import DataDir, Lock, acquire_lock

HANDOVER_SECONDS = 20.0  # how long the children of a supervisor that was killed may take to notice and end


@click.command()
@takes(UpSettings)
def up(settings: UpSettings) -> None:
    """Start Windlass and keep it running.

    Runs in the foreground until Ctrl-C, or with --detach in the background until `windlass down`. If Windlass is
    already running on this data dir, prints its address and exits with 1.
    """
    data = data_dir_at(settings.data_dir)
    data.prepare()
    lock = claim(data)
    settings = replace(settings, port=ports.choose_port(settings.listen, settings.port, command="windlass up"))
    gateway_url, password = "", None
    if not settings.no_gateway:
        settings, gateway_url, password = with_gateway(settings, data)
    try:
        start(settings, data, lock, gateway_url, password)
    except BaseException:
        if password is not None:  # it is made only once, so it must not be lost with a failed start
            screen.first_password(password)
        raise


def start(settings: UpSettings, data: DataDir, lock: Lock, gateway_url: str, password: str | None) -> None:
    """In the background with --detach; else here, until it is stopped."""
    if settings.detach:
        from windlass.cli.detach import start_detached

        lock.release()
        ready = start_detached(settings, data)
        screen.print_access(ready.url, data.kubeconfig, ready.gateway_url, password)
        click.echo(click.style(f"\n`{down_command(data)}` stops it.", dim=True))
        return
    from windlass.supervisor.supervise import Supervisor

    url = ports.url(settings.listen, settings.port)
    screen.headline(data)
    warn_if_open(settings.listen)
    terminal = Terminal(url, data, gateway_url, password)
    parts = components(settings, data)
    supervisor = Supervisor(
        parts,
        data,
        lock,
        terminal,
        url=url,
        api_listen=settings.listen,
        gateway_url=gateway_url,
        gateway_listen=_gateway_listen(settings),
    )
    asyncio.run(supervisor.run())


def _gateway_listen(settings: UpSettings) -> str:
    if settings.no_gateway:
        return ""
    scheme = "http" if settings.gateway_tls_cert is None else "https"
    return ports.url_of_listener(settings.gateway_listen, settings.gateway_port, scheme)


def with_gateway(settings: UpSettings, data: DataDir) -> tuple[UpSettings, str, str | None]:
    """The settings with what the gateway needs, where browsers find it, and a password to show once."""
    from windlass.cli.components.gateway import AUDIT_POLICY, gateway_settings, prepare, write_token_webhook

    port = ports.choose_port(
        settings.gateway_listen, settings.gateway_port, command="windlass up", flag_prefix="gateway-", usual=8080
    )
    settings = replace(settings, gateway_port=port)
    if settings.authentication_token_webhook_config_file is None:
        settings = replace(settings, authentication_token_webhook_config_file=write_token_webhook(data))
    if settings.audit_log_path is None and settings.audit_policy_file is None:
        settings = replace(settings, audit_log_path=data.log_of("audit-api"), audit_policy_file=AUDIT_POLICY)
    given = gateway_settings(settings)
    return settings, given.origin, prepare(given)


def claim(data: DataDir) -> Lock:
    """Acquire the data directory's lock, or raise a `Failure` that names its holder."""
    before = run_state.load(data)
    lock = acquire_lock(data)
    if lock is None and not (before and before.is_alive):
        # Its supervisor is gone, so this is either children that are about to notice, or a starting one.
        lock = acquire_lock(data, timeout=HANDOVER_SECONDS if before else 2.0)
    if lock is None:
        raise Failure(already_running(data))
    if before is not None:
        click.echo(f"The last run (pid {before.pid}) did not stop cleanly; no acknowledged write is lost.", err=True)
        run_state.forget(data)
    if data.pending_restore.exists():
        from windlass.supervisor.restore import finish_restore

        finish_restore(data)
    return lock


def already_running(data: DataDir) -> str:
    now = run_state.load(data)
    if now is None:
        return f"another windlass command holds {screen.short_path(data.root)}. Try again in a moment"
    if now.phase == "stopping":
        return f"Windlass (pid {now.pid}) is stopping on {screen.short_path(data.root)}. Try again in a moment"
    return (
        f"Windlass is already running (pid {now.pid}) at {now.url}. "
        f"Use it: export KUBECONFIG={screen.quoted(data.kubeconfig)}; stop it: {down_command(data)}"
    )


def down_command(data: DataDir) -> str:
    """The command that stops it, with --data-dir if that is not the default."""
    is_usual = data.root == default_data_dir() or "WINDLASS_DATA_DIR" in os.environ
    return "windlass down" if is_usual else f"windlass down --data-dir {screen.quoted(data.root)}"


def components(settings: UpSettings, data: DataDir) -> list[Component]:
    """The processes of this version of Windlass, in the order in which they are reported."""
    settings = replace(settings, data_dir=data.short_root)
    server = Component(
        name="server",
        argv=(*WINDLASS, "server", "--supervised", *as_flags(settings, ServerFlags)),
        log=data.log_of("server"),
        probe=data.socket,
    )
    manager = Component(
        name="manager",
        argv=(*WINDLASS, "manager", "--supervised", *as_flags(_manager_settings(settings), ManagerSettings)),
        log=data.log_of("manager"),
        ready_file=data.manager_ready_file,
    )
    node = Component(
        name="node",
        argv=(*WINDLASS, "node", "--supervised", *as_flags(_node_settings(settings), NodeSettings)),
        log=data.log_of("node"),
        ready_file=data.node_ready_file,
    )
    gateway = Component(
        name="gateway",
        argv=(*WINDLASS, "gateway", "--supervised", *as_flags(_gateway_settings(settings), GatewaySettings)),
        log=data.log_of("gateway"),
        ready_file=data.gateway_ready_file,
    )
    optional = ((manager, settings.no_manager), (node, settings.no_node), (gateway, settings.no_gateway))
    return [server, *(component for component, is_off in optional if not is_off)]


def _gateway_settings(settings: UpSettings) -> GatewaySettings:
    return GatewaySettings(**{one.name: getattr(settings, one.name) for one in fields(GatewayFlags)})


def _manager_settings(settings: UpSettings) -> ManagerSettings:
    shared = {one.name for flags in (ControllerFlags, SchedulerFlags) for one in fields(flags)}
    return ManagerSettings(**{name: getattr(settings, name) for name in shared})


def _node_settings(settings: UpSettings) -> NodeSettings:
    shared = {one.name: getattr(settings, one.name) for one in fields(NodeFlags)}
    host = "127.0.0.1" if settings.listen in (*ports.LOOPBACK, *ports.WILDCARD_ADDRESSES) else settings.listen
    return NodeSettings(**shared, server=f"{host}:{settings.port}")


def warn_if_open(listen: str) -> None:
    if listen not in ports.LOOPBACK:
        click.echo(
            click.style("  ! ", fg="yellow") + f"listening on {listen}: it can be reached from the network",
            err=True,
        )


class Terminal:
    """Prints lifecycle events for the user who called `windlass up`."""

    def __init__(self, url: str, data: DataDir, gateway_url: str = "", password: str | None = None) -> None:
        self._url = url
        self._password = password
        self._gateway_url = gateway_url
        self._data = data
        self._is_ready = False

    def started(self, child: Child, seconds: float) -> None:
        screen.done(child.component.name, f"pid {child.pid}, {seconds:.1f} s")
        if child.component.ready_file == self._data.node_ready_file:
            for problem in node_facts.problems(self._data):
                screen.problem(problem)

    def ready(self, seconds: float) -> None:
        self._is_ready = True
        click.echo(f"Ready in {seconds:.1f} s.")
        screen.print_access(self._url, self._data.kubeconfig, self._gateway_url, self._password)
        self._password = None
        click.echo(click.style("\nCtrl-C stops it.", dim=True))

    def crashed(self, child: Child) -> None:
        name, code = child.component.name, child.exit_code or 0
        how = f"signal {-code}" if code < 0 else f"exit code {code}"
        click.echo(
            click.style("  ! ", fg="yellow")
            + f"{name} exited ({how}); restarting it in {child.restart_delay:.1f} s. See {child.component.log}",
            err=True,
        )
        if code > 0:
            for line in log_files.error_lines(child.component.log)[:1]:
                click.echo(click.style(f"    {line}", dim=True), err=True)

    def stopping(self) -> None:
        if self._is_ready:
            click.echo("\nStopping. Press Ctrl-C again to kill it.")

    def killing(self) -> None:
        click.echo("Killing.")

    def stopped(self) -> None:
        if self._is_ready:
            click.echo("Stopped.")

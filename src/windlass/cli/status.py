"""`windlass status`: show what runs, for how long, its size, its objects and its addresses."""

import json
import re
import time
from dataclasses import asdict
from typing import Any

import click

from windlass.cli import screen
from windlass.cli.common_options import OUTPUT
from windlass.cli.settings import Settings, data_dir_at, takes
from windlass.supervisor import node_facts, process, run_state
from windlass.supervisor.datadir import DataDir
from windlass.supervisor.errors import SupervisorError

NOT_RUNNING = 3  # what `systemctl status` and the LSB say for it
SHOWN = 6
OBJECTS = re.compile(r'^apiserver_storage_objects\{[^}]*resource="([^"]+)"[^}]*\} ([0-9.e+]+)$', re.MULTILINE)


@click.command()
@OUTPUT
@takes(Settings)
@click.pass_context
def status(ctx: click.Context, settings: Settings, output: str) -> None:
    """Show components, addresses, sizes and the number of objects.

    Exits with 0 if Windlass is running on this data dir, and with 3 if it is not.
    """
    data = data_dir_at(settings.data_dir)
    facts = gather(data)
    if output == "json":
        click.echo(json.dumps(facts, indent=2))
    elif facts["running"]:
        _print(facts)
    else:
        click.echo(f"Windlass is not running on {screen.short_path(data.root)}. Start it: windlass up")
    ctx.exit(0 if facts["running"] else NOT_RUNNING)


def gather(data: DataDir) -> dict[str, Any]:
    now = run_state.running(data)
    facts: dict[str, Any] = {"running": now is not None, "dataDir": str(data.root), "dataDirBytes": data.size()}
    if now is None:
        return facts
    return facts | {
        "phase": now.phase,
        "version": now.version,
        "pid": now.pid,
        "uptimeSeconds": round(now.uptime, 1),
        "memoryBytes": _total_memory(now),
        "addresses": {"api": now.url, "socket": str(data.socket)}
        | ({"gateway": now.gateway_url} if now.gateway_url else {}),
        "kubeconfig": str(data.kubeconfig),
        "logs": str(data.logs),
        "components": [_component(one) for one in now.components],
        "node": _node(data),
        "objects": count_objects(data),
    }


def _node(data: DataDir) -> dict[str, Any] | None:
    """How pods run here; None while no node agent is ready."""
    facts = node_facts.load(data)
    return None if facts is None else asdict(facts)


def count_objects(data: DataDir) -> dict[str, int] | None:
    """The number of objects by resource; None if the server does not respond."""
    from windlass.supervisor.credentials import admin_token
    from windlass.supervisor.local_api import Api

    try:
        metrics = Api(data.socket, admin_token(data), timeout=5).text("/metrics")
    except SupervisorError:
        return None
    counts = {resource: int(float(count)) for resource, count in OBJECTS.findall(metrics)}
    return {resource: count for resource, count in sorted(counts.items()) if count > 0}


def _component(one: run_state.ComponentState) -> dict[str, Any]:
    return {
        "name": one.name,
        "state": one.state,
        "pid": one.pid or None,
        "uptimeSeconds": round(time.time() - one.started, 1) if one.pid else None,
        "memoryBytes": process.memory(one.pid) if one.pid else None,
        "restarts": one.restarts,
    }


def _total_memory(now: run_state.RunState) -> int:
    return sum(process.memory(pid) or 0 for pid in {now.pid, *(one.pid for one in now.components)} if pid)


def _print(facts: dict[str, Any]) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False, soft_wrap=True)
    components = Table(
        "COMPONENT",
        "STATE",
        "PID",
        "UPTIME",
        "MEMORY",
        "RESTARTS",
        box=None,
        pad_edge=False,
        padding=(0, 3, 0, 0),
        header_style="bold",
    )
    for one in facts["components"]:
        colour = "green" if one["state"] == "running" else "yellow"
        uptime = "-" if one["uptimeSeconds"] is None else screen.duration(one["uptimeSeconds"])
        components.add_row(
            one["name"],
            f"[{colour}]{one['state']}[/]",
            str(one["pid"] or "-"),
            uptime,
            screen.size(one["memoryBytes"]),
            str(one["restarts"]),
        )
    state = "running" if facts["phase"] == "ready" else facts["phase"]
    console.print(
        f"Windlass {facts['version']} has been [bold]{state}[/] for {screen.duration(facts['uptimeSeconds'])}"
        f" (pid {facts['pid']}, {screen.size(facts['memoryBytes'])} in all)\n"
    )
    console.print(components)
    console.print()
    gateway = facts["addresses"].get("gateway")
    for name, value in (
        *([("gateway", gateway)] if gateway else []),
        ("API", facts["addresses"]["api"]),
        ("socket", facts["addresses"]["socket"]),
        ("kubeconfig", facts["kubeconfig"]),
        ("logs", facts["logs"]),
        ("data", f"{facts['dataDir']} ({screen.size(facts['dataDirBytes'])})"),
        ("objects", _objects(facts["objects"])),
        *_node_lines(facts["node"]),
    ):
        style = "yellow" if name == "problem" else None
        console.print(f"{name:<12}{value}", markup=False, style=style)


def _node_lines(node: dict[str, Any] | None) -> list[tuple[str, str]]:
    """The lines about the node; none if no node agent runs."""
    if node is None:
        return []
    return [
        ("runtime", node["runtime"]),
        ("limits", node["limits"]),
        *(("problem", screen.one_line(problem)) for problem in node["problems"]),
    ]


def _objects(counts: dict[str, int] | None) -> str:
    """The total, and the most frequent resources."""
    if counts is None:
        return "unknown: the server does not answer"
    most = sorted(counts.items(), key=lambda item: -item[1])
    shown = [f"{count} {resource.partition('.')[0]}" for resource, count in most[:SHOWN]]
    return f"{sum(counts.values())} ({', '.join([*shown, '…'] if len(most) > SHOWN else shown)})"

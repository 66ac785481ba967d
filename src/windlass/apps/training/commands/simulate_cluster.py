"""`windlass simulate --from-cluster --add job.yaml`: when and where a job would start on a running cluster."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import click

from windlass.apps.training.jobs.explain.forecast import forecast_start, observe_with
from windlass.cli.connection import with_client
from windlass.cli.failure import Failure
from windlass.cli.settings import ClusterFlags
from windlass.formats import yaml_reader
from windlass.scheduler.framework.conf import Conf
from windlass.scheduler.simulate.forecast import Forecast
from windlass.scheduler.simulate.yaml_positions import BadDescription

SHOWN = 12  # nodes that are named


def print_forecast(
    settings: ClusterFlags, manifest: Path, namespace: str | None, own: Conf | None, output: str
) -> None:
    given, where = [one for one in _documents(manifest) if one], namespace or "default"
    observed, documents = with_client(settings, lambda client: observe_with(client, given, where))
    now = datetime.now(UTC)
    try:
        found = forecast_start(observed, documents, where, own, now.timestamp())
    except BadDescription as error:
        raise Failure(f"{manifest}: {error}") from error
    if output == "json":
        click.echo(json.dumps(as_json(found, now), indent=2))
    else:
        click.echo("\n".join(forecast_lines(found, now)))


def _documents(path: Path) -> list[dict[str, Any]]:
    try:
        found = yaml_reader.read_all(path.read_text(), limits=yaml_reader.OWN_FILE)
    except (OSError, UnicodeDecodeError, yaml_reader.BadYaml) as error:
        raise Failure(f"{path} cannot be read: {error}") from error
    if not all(one is None or isinstance(one, dict) for one in found):
        raise Failure(f"{path} has a document that is not an object")
    return found


# --- reporting


def forecast_lines(found: Forecast, now: datetime) -> list[str]:
    if found.after is None:
        lines = [f"{found.job} would not start, as far as is known: {found.why}"]
    else:
        when = "now" if found.after < 1 else f"in {format_duration(found.after)}, at {format_time(now, found.after)}"
        lines = [f"{found.job} would start {when}, on {len(found.nodes)} node{'s' if len(found.nodes) != 1 else ''}:"]
        listed = list(found.nodes.items())
        lines += [f"  {name}  {pods} pod{'s' if pods != 1 else ''}" for name, pods in listed[:SHOWN]]
        lines += [f"  and {len(listed) - SHOWN} more"] if len(listed) > SHOWN else []
    if found.assumptions:
        lines += ["Assumptions about running and waiting pods:", *[f"  {one}" for one in found.assumptions]]
    return lines


def as_json(found: Forecast, now: datetime) -> dict[str, Any]:
    at = format_time(now, found.after) if found.after is not None else None
    return {
        "job": found.job,
        "startsInSeconds": found.after,
        "startsAt": at,
        "nodes": found.nodes,
        "why": found.why,
        "assumptions": [str(one) for one in found.assumptions],
    }


def format_time(now: datetime, after: float) -> str:
    return (now + timedelta(seconds=after)).strftime("%Y-%m-%dT%H:%M:%SZ")


def format_duration(seconds: float) -> str:
    whole = round(seconds)
    days, hours, minutes = whole // 86_400, whole % 86_400 // 3600, whole % 3600 // 60
    if days:
        return f"{days} d {hours} h"
    if hours:
        return f"{hours} h {minutes} min"
    return f"{minutes} min {whole % 60} s" if minutes else f"{whole} s"

"""When an idle notebook is stopped. Pure: what is known of a notebook goes in, annotations to write come out.

Activity is a kernel or a terminal of Jupyter, and, for every kind of server, what clients send through the gateway,
which writes the annotation `last-activity` itself. With `cull_consider_cpu` a pod that computes is active, too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TypeAlias

import msgspec

from windlass.apps.notebooks.kinds import Notebook
from windlass.apps.notebooks.names import CULL_IDLE_MINUTES, LAST_ACTIVITY, LAST_CHECK, SERVER_TYPE, STOPPED
from windlass.apps.notebooks.options import Options
from windlass.kube.json import Object, dig, dig_list, timestamp
from windlass.kube.meta import parse_time
from windlass.kube.quantity import Quantity

JUPYTER = "jupyter"
IDLE = "idle"


class Kernel(msgspec.Struct, frozen=True):
    execution_state: str
    last_activity: datetime


class Terminal(msgspec.Struct, frozen=True):
    name: str
    last_activity: datetime


@dataclass(frozen=True, slots=True)
class Forget:
    """Nothing runs: remove what was recorded."""


@dataclass(frozen=True, slots=True)
class Begin:
    """Start to observe."""


@dataclass(frozen=True, slots=True)
class Wait:
    """Checked already."""

    remaining: timedelta


@dataclass(frozen=True, slots=True)
class Check:
    """Ask the server what it does, and decide."""


Step: TypeAlias = Forget | Begin | Wait | Check
Annotations: TypeAlias = Mapping[str, str | None]
"""To merge; None removes one."""


def next_step(notebook: Notebook, now: datetime, options: Options, *, has_pod: bool) -> Step:
    annotations = notebook.metadata.annotations
    if STOPPED in annotations or not has_pod:
        return Forget()
    last_activity, last_check = moment(annotations, LAST_ACTIVITY), moment(annotations, LAST_CHECK)
    if last_activity is None or last_check is None:
        return Begin()
    remaining = options.idleness_check_period - (now - last_check)
    return Wait(remaining) if timedelta() < remaining <= options.idleness_check_period else Check()


def forgotten(notebook: Notebook) -> Annotations:
    return {name: None for name in (LAST_ACTIVITY, LAST_CHECK) if name in notebook.metadata.annotations}


def begun(notebook: Notebook, now: datetime) -> Annotations:
    """What the gateway has written of a notebook that is new to the culler stays."""
    known = moment(notebook.metadata.annotations, LAST_ACTIVITY)
    return {LAST_CHECK: timestamp(now), **({LAST_ACTIVITY: timestamp(now)} if known is None else {})}


def checked(
    notebook: Notebook,
    kernels: Sequence[Kernel],
    terminals: Sequence[Terminal],
    now: datetime,
    options: Options,
    *,
    millicores: int | None = None,
) -> Annotations:
    """What to write after a check: the time of it, newer activity, and the stop. `millicores` is None if unknown."""
    recorded = moment(notebook.metadata.annotations, LAST_ACTIVITY) or now
    computing = [now] if is_computing(millicores, options) else []
    newest = max((recorded, *activities(kernels, terminals, now), *computing))
    written: dict[str, str | None] = {LAST_CHECK: timestamp(now)}
    if newest > recorded:
        written[LAST_ACTIVITY] = timestamp(newest)
    limit = idle_limit(notebook, options)
    if limit is not None and now > newest + limit:
        written[STOPPED] = timestamp(now)
    return written


def activities(kernels: Sequence[Kernel], terminals: Sequence[Terminal], now: datetime) -> list[datetime]:
    """A kernel that is not idle is active now. Moments of a clock that is ahead count as now."""
    of_kernels = [now if kernel.execution_state != IDLE else kernel.last_activity for kernel in kernels]
    return [min(now, moment) for moment in (*of_kernels, *(terminal.last_activity for terminal in terminals))]


def is_computing(millicores: int | None, options: Options) -> bool:
    return options.cull_consider_cpu and millicores is not None and millicores >= options.cull_busy_millicores


def used_millicores(pod_metrics: Object) -> int | None:
    """The CPU that a pod's containers use together, of a PodMetrics; None if it has no readable amount."""
    used = [dig(container, "usage", "cpu") for container in dig_list(pod_metrics, "containers")]
    try:
        return sum(Quantity.parse(amount).milli() for amount in used) if used and all(used) else None
    except (TypeError, ValueError):
        return None


def idle_limit(notebook: Notebook, options: Options) -> timedelta | None:
    """How long the notebook may be idle; None for ever. What is not a number of minutes counts as not written."""
    given = notebook.metadata.annotations.get(CULL_IDLE_MINUTES, "")
    if not given.isascii() or not given.isdigit() or len(given) > 9:
        return options.cull_idle_time
    return timedelta(minutes=int(given)) if int(given) else None


def has_jupyter(notebook: Notebook) -> bool:
    """Whether the server answers for kernels and terminals; code-server and RStudio do not."""
    return notebook.metadata.annotations.get(SERVER_TYPE, JUPYTER) == JUPYTER


def moment(annotations: Mapping[str, str], name: str) -> datetime | None:
    """The time in an annotation; None if there is none, or it is not one."""
    try:
        return parse_time(annotations[name])
    except (KeyError, ValueError):
        return None

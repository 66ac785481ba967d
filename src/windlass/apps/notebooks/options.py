"""Settings of the notebook controller: upstream's environment variables, with its defaults."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Annotated

from windlass.apis.istio.routing import DEFAULT_ROUTING, Routing
from windlass.apis.options import Option, boolean, minutes


def millicores(text: str) -> int:
    """Convert an amount of CPU."""
    from windlass.kube.quantity import Quantity

    try:
        amount = Quantity.parse(text).milli()
    except ValueError:
        amount = 0
    if amount <= 0:
        raise ValueError(f"{text!r} is not an amount of CPU, such as 100m")
    return amount


@dataclass(frozen=True, kw_only=True)
class Options:
    routing: Routing = DEFAULT_ROUTING
    """The platform's, as far as the server has routes."""
    add_fs_group: Annotated[
        bool, Option("Whether pods of notebooks get fsGroup 100 unless they have one.", "ADD_FSGROUP", boolean)
    ] = True
    enable_culling: Annotated[bool, Option("Whether idle notebooks are stopped.", "ENABLE_CULLING", boolean)] = False
    cull_idle_time: Annotated[
        timedelta, Option("Idle time after which a notebook is stopped, in minutes.", "CULL_IDLE_TIME", minutes)
    ] = timedelta(minutes=1440)
    idleness_check_period: Annotated[
        timedelta, Option("Time between two checks, in minutes.", "IDLENESS_CHECK_PERIOD", minutes)
    ] = timedelta(minutes=1)
    cull_consider_cpu: Annotated[
        bool, Option("Whether a notebook that uses CPU is busy.", "CULL_CONSIDER_CPU", boolean)
    ] = False
    cull_busy_millicores: Annotated[
        int, Option("CPU use of a busy pod; an idle JupyterLab uses about 5m.", "CULL_BUSY_CPU", millicores)
    ] = 100


DEFAULTS = Options()

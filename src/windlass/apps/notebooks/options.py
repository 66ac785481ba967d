"""Settings of the notebook controller: upstream's environment variables, with its defaults."""

from dataclasses import dataclass
from datetime import timedelta

from windlass.apis.istio.routing import DEFAULT_ROUTING, Routing


@dataclass(frozen=True, kw_only=True)
class Options:
    routing: Routing = DEFAULT_ROUTING
    add_fs_group: bool = True
    enable_culling: bool = False
    cull_idle_time: timedelta = timedelta(minutes=1440)
    idleness_check_period: timedelta = timedelta(minutes=1)
    cull_consider_cpu: bool = False
    cull_busy_millicores: int = 100
    """A pod that uses as much is busy, if CPU is considered. An idle JupyterLab uses about 5."""


DEFAULTS = Options()

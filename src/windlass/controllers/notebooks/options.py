"""Settings of the notebook controller: upstream's environment variables, with its defaults."""

from dataclasses import dataclass
from datetime import timedelta


@dataclass(frozen=True, kw_only=True)
class Options:
    use_istio: bool = True
    istio_gateway: str = "kubeflow/kubeflow-gateway"
    istio_host: str = "*"
    cluster_domain: str = "cluster.local"
    add_fs_group: bool = True
    enable_culling: bool = False
    cull_idle_time: timedelta = timedelta(minutes=1440)
    idleness_check_period: timedelta = timedelta(minutes=1)


DEFAULTS = Options()

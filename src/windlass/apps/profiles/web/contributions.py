"""Profiles at the gateway: access management, the dashboard's profile routes, and PodDefaults in forms."""

from windlass.apps.profiles.web import routes, workgroup
from windlass.apps.profiles.web.directory import owned_namespaces
from windlass.apps.profiles.web.first_profile import make_first_profile
from windlass.apps.profiles.web.pod_defaults import check_pod_defaults, offered_pod_defaults
from windlass.gateway.contributions import Contributions, PodConfigurations

CONTRIBUTIONS = Contributions(
    routes=(routes.routes, workgroup.routes),
    tasks=(make_first_profile,),
    pod_configurations=PodConfigurations(offered=offered_pod_defaults, check=check_pod_defaults),
    owned_namespaces=owned_namespaces,
)

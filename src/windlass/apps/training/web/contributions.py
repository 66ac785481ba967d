"""Training jobs at the gateway: actions on jobs, curves, forecasts, and the views of jobs and of time."""

from windlass.apps.training.web.job_params import JobParams
from windlass.apps.training.web.routes import routes
from windlass.gateway.contributions import Contributions
from windlass.gateway.views.live_view import NamespaceParams, NoParams

CONTRIBUTIONS = Contributions(
    routes=(routes,),
    topics={"jobs": NamespaceParams, "job": JobParams, "timeline": NoParams},
    views="windlass.apps.training.web.views.live",
)

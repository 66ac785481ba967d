"""Pipelines at the gateway: their API, Argo's, and the listeners for pods."""

from windlass.apps.pipelines.web import routes
from windlass.apps.pipelines.web.argo import routes as argo
from windlass.apps.pipelines.web.metadata.refusals import answer_grpc_web
from windlass.apps.pipelines.web.refusals import answer_unauthenticated
from windlass.gateway.contributions import Contributions

CONTRIBUTIONS = Contributions(
    routes=(routes.routes, argo.routes),
    tasks=(routes.run_pipelines,),
    middlewares=(answer_grpc_web, answer_unauthenticated),
)

"""Notebooks at the gateway: the REST API of the web app and the view of notebooks."""

from windlass.apps.notebooks.web.routes import routes
from windlass.gateway.contributions import Contributions
from windlass.gateway.views.live_view import NamespaceParams

CONTRIBUTIONS = Contributions(
    routes=(routes,), topics={"notebooks": NamespaceParams}, views="windlass.apps.notebooks.web.live"
)

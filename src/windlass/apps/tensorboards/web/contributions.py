"""TensorBoards at the gateway: the REST API of the web app and the view of TensorBoards."""

from windlass.apps.tensorboards.web.routes import routes
from windlass.gateway.contributions import Contributions
from windlass.gateway.views.live_view import NamespaceParams

CONTRIBUTIONS = Contributions(
    routes=(routes,), topics={"tensorboards": NamespaceParams}, views="windlass.apps.tensorboards.web.live"
)

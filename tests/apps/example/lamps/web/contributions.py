"""What the gateway serves of lamps."""

from windlass.apps.lamps.web.routes import routes

from windlass.gateway.contributions import Contributions

CONTRIBUTIONS = Contributions(routes=(routes,))

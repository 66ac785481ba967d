"""Volcano at the gateway: the view of queues."""

from windlass.gateway.contributions import Contributions
from windlass.gateway.views.live_view import NoParams

CONTRIBUTIONS = Contributions(topics={"queues": NoParams}, views="windlass.apps.volcano.web.live")

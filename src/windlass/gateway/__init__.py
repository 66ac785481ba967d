"""The front door: login, sessions, the reverse proxy into pods, and the REST back ends of the web apps.

    settings context request      what the process is given; what every route gets; who sent a request
    app                           middlewares and route groups, in plain sight
    server                        listen, TLS, stop
    health                        /healthz

A route group is a package that exports `routes(context) -> list[web.RouteDef]` and stands in `app.ROUTE_GROUPS`.
"""

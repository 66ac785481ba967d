"""The front door: login, sessions, the reverse proxy into pods, and the REST back ends of the web apps.

    settings context request      what the process is given; what every route gets; who sent a request
    contributions                 what apps add: routes, views, tasks
    app                           middlewares and route groups, in plain sight
    server                        listen, TLS, stop
    health page exposure          /healthz; pages of the gateway itself; where it may listen
    database                      SQLite: users, sessions, tokens, keys
    identity sessions tokens      who may sign in; who is signed in; credentials for programs
    login                         /oauth2/ and the middleware that finds out who sends a request
    views                         what the dashboard shows, as structs; its topics and REST routes

A route group is a function `routes(context) -> list[web.RouteDef]` in `app.route_groups` or in an app's contributions.
"""

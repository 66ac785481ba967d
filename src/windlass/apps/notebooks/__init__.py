"""Notebooks: servers for interactive work, which stop when they are idle.

A Notebook of `kinds` becomes a StatefulSet, a Service and a route (`controllers/`, by `options`); requests to its
server are recorded as use. `web/` has the REST API of the web app and the views, `commands/` the addresses for IDEs.
"""

"""Volumes: viewers of their files, and snapshots.

A PVCViewer of `kinds` passes `admission`, then `controllers/`, which make its Deployment, Service and route.
`snapshots` declares the definitions of snapshots, whose controllers are those of the embedded storage. `web/` has the
REST API of the web app and the views.
"""

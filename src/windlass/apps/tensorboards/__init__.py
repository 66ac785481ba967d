"""TensorBoards: servers over a path of logs.

A Tensorboard of `kinds` names a path (`logspath`); `controllers/` make its Deployment, Service and route, and report
why it shows nothing. `web/` has the REST API of the web app and the views.
"""

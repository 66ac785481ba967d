"""The process runtime, for machines that refuse namespaces: containers are plain processes of the user.

A pod has a supervisor that outlives the agent, as in `windlass.node.runtimes.sandbox`, whose parts it reuses. What a
plain process cannot have is provided another way (`adapt.py`, `links.py`) or refused by name. `network.py` is its
network: addresses of the loopback.
"""

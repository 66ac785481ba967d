"""The pods' network: addresses, services, policies, names, and the ways in and out.

Everything happens in a network namespace of the node's own, joined by a helper process (`helper.py`). What is to be
true there is compiled by pure functions from what the API says (`services.py`, `policies.py`) and applied at once
(`nft.py`).
"""

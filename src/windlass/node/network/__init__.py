"""The pods' network: addresses, services, policies, DNS, and connections in and out.

Everything happens in a network namespace of the node, which a helper process joins (`helper.py`). Pure functions
compile the desired state from API objects (`services.py`, `policies.py`), and `nft.py` encodes it for the kernel.
"""

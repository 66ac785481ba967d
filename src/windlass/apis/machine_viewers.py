"""The RBAC group of the only user of a machine, which the gateway adds and the embedded server gives rights to."""

MACHINE_VIEWERS = "system:windlass-machine-viewers"
"""Users and connectors cannot name it: groups that start with `system:` are refused."""

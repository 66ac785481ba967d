"""Which ids of this machine the ids of containers are.

As root every container maps 0..65535 to 100000..165535. As an ordinary user the agent's files are that user's, who is
root inside, and it can give them to nobody else.
"""

FIRST_HOST_ID = 100_000
ID_COUNT = 65_536


def host_id(inside: int, *, root: bool) -> int:
    """The id on this machine of a container's id; -1 (leave it) for an ordinary user."""
    if not 0 <= inside < ID_COUNT:
        raise ValueError(f"id {inside} is beyond 0..{ID_COUNT - 1}, which pods have on this node")
    return FIRST_HOST_ID + inside if root else -1

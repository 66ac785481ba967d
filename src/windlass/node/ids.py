"""Maps user and group ids of containers to ids of this machine.

As root every container maps 0..65535 to 100000..165535. As an ordinary user the agent's files belong to that user, who
is root inside, and cannot be given to any other user.
"""

FIRST_HOST_ID = 100_000
ID_COUNT = 65_536


def host_id(inside: int, *, root: bool) -> int:
    """Return the id on this machine of a container's id; -1 (unchanged) for an ordinary user."""
    if not 0 <= inside < ID_COUNT:
        raise ValueError(f"id {inside} is beyond 0..{ID_COUNT - 1}, which pods have on this node")
    return FIRST_HOST_ID + inside if root else -1

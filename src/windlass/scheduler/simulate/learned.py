"""How long jobs of an owner take, by those that he ran before."""

from bisect import insort


class Learned:
    """Medians by owner."""

    def __init__(self) -> None:
        self._known: dict[str, list[float]] = {}

    def add(self, owner: str, seconds: float) -> None:
        past = self._known.setdefault(owner, [])
        insort(past, seconds)

    def of(self, owner: str) -> float | None:
        """None: nothing is known of him."""
        past = self._known.get(owner)
        return past[len(past) // 2] if past else None

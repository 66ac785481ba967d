"""Thin out a curve so that it looks the same: largest triangle three buckets (Steinarsson, 2013). Pure."""

from collections.abc import Sequence


def chosen_points(x: Sequence[float], y: Sequence[float], wanted: int) -> list[int]:
    """Indices of at most `wanted` points, in order, always with the first and the last one.

    The points between are split into equal buckets. Of each bucket the point is kept that makes the largest triangle
    with the one kept before it and with the mean of the next bucket: peaks stay, flat parts get thin.
    """
    count = len(x)
    if count <= wanted or wanted < 3:
        return list(range(count)) if count <= wanted else _ends(count, wanted)
    chosen = [0]
    size = (count - 2) / (wanted - 2)
    for bucket in range(wanted - 2):
        first, last = int(bucket * size) + 1, int((bucket + 1) * size) + 1
        following = range(last, min(int((bucket + 2) * size) + 1, count))
        mean_x = sum(x[at] for at in following) / len(following)
        mean_y = sum(y[at] for at in following) / len(following)
        start_x, start_y = x[chosen[-1]], y[chosen[-1]]
        areas = (
            (abs((start_x - mean_x) * (y[at] - start_y) - (start_x - x[at]) * (mean_y - start_y)), -at)
            for at in range(first, last)
        )
        chosen.append(-max(areas)[1])
    return [*chosen, count - 1]


def _ends(count: int, wanted: int) -> list[int]:
    return [0, count - 1][:wanted] if count else []

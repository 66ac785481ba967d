from typing import Any

from windlass.scheduler.live.core.node_usage import NodeUsage
from windlass.scheduler.model.cluster import Usage

OFFERS = {"a": {"cpu": 4000, "memory": 1000}}
NOON = 1767268800.0  # 2026-01-01T12:00:00Z


def metrics(name: str, minute: int, cpu: str, memory: str) -> dict[str, Any]:
    at = f"2026-01-01T12:{minute:02d}:00Z"
    return {"metadata": {"name": name}, "timestamp": at, "usage": {"cpu": cpu, "memory": memory}}


def test_what_is_used_is_a_share_of_what_the_node_offers() -> None:
    usage = NodeUsage()

    usage.add([metrics("a", 0, "1", "500")], OFFERS)

    assert usage.now() == {"a": Usage(25, 50, NOON)}


def test_it_is_the_average_of_ten_minutes() -> None:
    usage = NodeUsage()
    for minute, cpu in ((0, "4"), (5, "2"), (12, "1"), (12, "4")):
        usage.add([metrics("a", minute, cpu, "0")], OFFERS)

    assert usage.now() == {"a": Usage(37.5, 0, NOON + 720)}


def test_nodes_that_are_gone_and_what_cannot_be_read_do_not_count() -> None:
    usage = NodeUsage()
    usage.add([metrics("a", 0, "1", "500")], OFFERS)
    usage.add([metrics("b", 0, "1", "1"), metrics("a", 1, "much", "1"), {"metadata": {"name": "a"}}], OFFERS)
    assert list(usage.now()) == ["a"]

    usage.add([], {})

    assert usage.now() == {}

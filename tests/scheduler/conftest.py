from tests.scheduler.live.objects import pool

__all__ = ["pool"]

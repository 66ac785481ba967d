"""Contributions of apps fit together: one handler for each path, one view for each topic."""

import re
import subprocess
import sys
from collections import Counter
from importlib import import_module
from pathlib import Path
from typing import Any, cast

from windlass.apps import all_apps
from windlass.gateway.app import route_groups
from windlass.gateway.context import GatewayContext, open_context
from windlass.gateway.contributions import all_contributions
from windlass.gateway.settings import GatewaySettings
from windlass.gateway.views.all_views import BODIES, VIEWS
from windlass.gateway.views.home.home_view import home_struct
from windlass.gateway.views.parts import View

LEFT_OVER = ("dashboard", "pages")
"""Groups that take what is left below /api and below the addresses of pages."""
SCRIPT = """
import sys
import windlass.gateway.server
from windlass.gateway.contributions import all_contributions
all_contributions()
wanted = ("controllers", "commands", "live")
print(sorted(name for name in sys.modules if name.startswith("windlass.apps.") and name.split(".")[-1] in wanted))
"""


def test_the_contributions_are_those_that_apps_declare() -> None:
    declared = [import_module(f"{app.web}.contributions").CONTRIBUTIONS for app in all_apps() if app.web]

    assert list(all_contributions()) == declared


def test_an_apps_paths_are_answered_by_no_other_group(tmp_path: Path) -> None:
    """So the order of apps decides nothing."""
    settings = GatewaySettings(folder=tmp_path, audit_log=tmp_path / "audit.log")
    with open_context(settings, cast(Any, None), {}) as context:
        of_apps = {group for app in all_contributions() for group in app.routes}
        groups = [group for group in route_groups() if group.__module__.split(".")[-2] not in LEFT_OVER]
        patterns = {group: [(r.method, _pattern(r.path)) for r in group(context)] for group in groups}
        for group in of_apps:
            for route in group(context):
                path = _example(route.path)
                answering = {
                    other
                    for other in groups
                    for method, pattern in patterns[other]
                    if "*" in (method, route.method) or method == route.method
                    if pattern.fullmatch(path)
                }
                assert answering == {group}, (route.method, path)


def _pattern(path: str) -> re.Pattern[str]:
    """The pattern of aiohttp for a path, of which a variable may have its own."""
    parts = re.split(r"(\{\w+(?::(?:[^{}]|\{[^{}]*\})+)?\})", path)
    return re.compile("".join(_of_variable(part) if part.startswith("{") else re.escape(part) for part in parts))


def _of_variable(part: str) -> str:
    _, colon, pattern = part[1:-1].partition(":")
    return f"(?:{pattern})" if colon else "[^{}/]+"


def _example(path: str) -> str:
    return re.sub(
        r"\{(\w+)(?::\(([^|)]*)[^{}]*)?[^{}]*\}", lambda match: (match[2] or match[1]).replace(".*", "x"), path
    )


def test_no_topic_and_no_struct_is_declared_twice() -> None:
    topics = Counter(name for app in all_contributions() for name in app.topics)

    assert not [name for name, count in topics.items() if count > 1]
    assert set(topics) < set(VIEWS)
    assert len(BODIES) == len(set(BODIES))


def test_declaring_routes_loads_no_controller_and_no_view() -> None:
    done = subprocess.run([sys.executable, "-P", "-c", SCRIPT], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == "[]"


def test_a_service_is_made_once(tmp_path: Path) -> None:
    class Counted:
        def __init__(self, context: GatewayContext) -> None:
            self.context = context

    settings = GatewaySettings(folder=tmp_path, audit_log=tmp_path / "audit.log")
    with open_context(settings, cast(Any, None), {}) as context:
        first = context.service(Counted)

        assert context.service(Counted) is first
        assert first.context is context


def test_the_home_page_has_the_fields_of_its_parts() -> None:
    class Row(View):
        name: str

    made = home_struct([{"trials": Row}, {"jobs": Row}], [{"recent_jobs": Row}])

    assert made.__struct_fields__ == (
        "namespace",
        "jobs",
        "trials",
        "attention",
        "quotas",
        "capacity",
        "recent_jobs",
    )

"""Put the built dashboard into the wheel, so that its users need no Node."""

import os
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

IN_THE_WHEEL = "windlass/gateway/pages/built"
"""Where windlass.gateway.pages.files looks for it."""
WITHOUT = "WINDLASS_WITHOUT_UI"


class DashboardHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel" or version == "editable":
            return
        folder = Path(self.root) / "ui" / "dist"
        if not (folder / "index.html").is_file():
            if os.environ.get(WITHOUT) == "1":
                return
            raise FileNotFoundError(
                f"the dashboard is not built: {folder / 'index.html'} is missing. Run `make wheel`, which builds it "
                f"first; for a wheel without a dashboard, set {WITHOUT}=1"
            )
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not path.name.startswith("."):
                build_data["force_include"][str(path)] = f"{IN_THE_WHEEL}/{path.relative_to(folder).as_posix()}"

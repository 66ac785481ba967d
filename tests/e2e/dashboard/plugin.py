"""A package of strangers that adds a page to the dashboard, installed by pip beside Windlass."""

import subprocess
import sys
import zipfile
from pathlib import Path

DISTRIBUTION = "costs-1.0.dist-info"
MODULE = """
from pathlib import Path

from windlass.gateway.plugins import DashboardPlugin, MenuEntry

PLUGIN = DashboardPlugin(
    name="costs",
    files=Path(__file__).with_name("pages"),
    menu=(MenuEntry(text="Team costs", page="index.html?ns={ns}"),),
)
"""
PAGE = """<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Costs</title>
<script src="/dashboard_lib.bundle.js" defer></script>
<script src="costs.js" defer></script>
<h1>Costs</h1>
<p id="namespace"></p>
<p id="asked"></p>
</html>
"""
SCRIPT = """
document.getElementById("asked").textContent = new URLSearchParams(location.search).get("ns");
window.centraldashboard.CentralDashboardEventHandler.init((handler) => {
  handler.onNamespaceSelected = async (namespace) => {
    const answer = await fetch(`/api/k8s/api/v1/namespaces/${namespace}/configmaps`);
    const { items } = await answer.json();
    const names = items.map((one) => one.metadata.name).join(" ");
    document.getElementById("namespace").textContent = `${namespace}: ${names}`;
  };
});
"""
FILES = {
    "costs/__init__.py": "",
    "costs/windlass_pages.py": MODULE,
    "costs/pages/index.html": PAGE,
    "costs/pages/costs.js": SCRIPT,
    f"{DISTRIBUTION}/METADATA": "Metadata-Version: 2.1\nName: costs\nVersion: 1.0\n",
    f"{DISTRIBUTION}/WHEEL": "Wheel-Version: 1.0\nGenerator: by hand\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
    f"{DISTRIBUTION}/entry_points.txt": "[windlass.dashboard]\ncosts = costs.windlass_pages:PLUGIN\n",
}


def install_plugin(folder: Path) -> Path:
    """The folder that Python has to look into."""
    wheel, site = folder / "costs-1.0-py3-none-any.whl", folder / "site"
    folder.mkdir()
    with zipfile.ZipFile(wheel, "w") as archive:
        for name, text in FILES.items():
            archive.writestr(name, text)
        record = "".join(f"{name},,\n" for name in (*FILES, f"{DISTRIBUTION}/RECORD"))
        archive.writestr(f"{DISTRIBUTION}/RECORD", record)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--target", str(site)]
    subprocess.run([*pip, str(wheel)], check=True, capture_output=True, timeout=120)
    return site

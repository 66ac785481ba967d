"""An API server that knows Kubernetes' own kinds only: `python -m tests.e2e.cluster.kubernetes_alone server …`.

No app is served, checked or merged in its process, so that what happens to their objects was installed; but
snapshots are, as on a cluster with a CSI driver: the embedded volumes need the kind.
"""

from dataclasses import replace

import windlass.apps
from windlass.apps.volumes import snapshots
from windlass.apps.volumes.app import APP as volumes

SNAPSHOTS = replace(
    volumes, name="snapshots", definitions=snapshots.definitions, controllers="", schemes=frozenset(), rules=()
)
windlass.apps.all_apps = lambda: (SNAPSHOTS,)


def main() -> None:
    from windlass.__main__ import main as run

    run()


if __name__ == "__main__":
    main()

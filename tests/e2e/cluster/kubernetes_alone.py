"""An API server that knows Kubernetes' own kinds only: `python -m tests.e2e.cluster.kubernetes_alone server …`.

No product family is served, checked or merged in its process, so that what happens to their objects was installed; but
snapshots are, as on a cluster with a CSI driver: the embedded volumes need the kind.
"""

import windlass.apis.families

windlass.apis.families.FAMILIES = (windlass.apis.families.SNAPSHOTS,)


def main() -> None:
    from windlass.__main__ import main as run

    run()


if __name__ == "__main__":
    main()

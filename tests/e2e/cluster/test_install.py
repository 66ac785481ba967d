"""`windlass install` and `windlass uninstall` on a cluster that knows nothing of Windlass."""

import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest

from tests.e2e.cluster.platform_cluster import PlatformCluster, platform_cluster

pytestmark = [pytest.mark.kubectl, pytest.mark.timeout(400)]

CLAIM = {
    "apiVersion": "v1",
    "kind": "PersistentVolumeClaim",
    "metadata": {"name": "kept"},
    "spec": {"accessModes": ["ReadWriteOnce"], "resources": {"requests": {"storage": "1Gi"}}},
}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PlatformCluster]:
    with platform_cluster(tmp_path_factory.mktemp("install")) as running:
        yield running


def command(cluster: PlatformCluster, *words: str) -> subprocess.CompletedProcess[str]:
    argv = [sys.executable, "-m", "windlass", *words, "--kubeconfig", str(cluster.kubeconfig)]
    return subprocess.run(argv, capture_output=True, text=True, check=False, timeout=300)


def names(cluster: PlatformCluster) -> set[str]:
    """Objects of the whole cluster that have to do with Windlass or Kubeflow."""
    kinds = "crd,clusterrole,clusterrolebinding,namespace,mutatingwebhookconfiguration,validatingwebhookconfiguration"
    everything = cluster.kubectl(f"get {kinds} -o name").stdout.split()
    return {name for name in everything if any(word in name for word in ("windlass", "kubeflow", "istio", "volcano"))}


def apply_printed(cluster: PlatformCluster, *options: str) -> None:
    """The other way to install."""
    cluster.kubectl("apply --server-side --validate=strict -f -", stdin=cluster.windlass("manifests", *options))


def test_an_installation_comes_in_order_repeats_and_leaves_nothing(cluster: PlatformCluster) -> None:
    before = names(cluster)
    first = command(cluster, "install", "--platform", "--user", "ada@example.com")
    again = command(cluster, "install", "--platform", "--user", "ada@example.com")

    assert first.returncode == 0, first.stderr
    assert [line for line in first.stdout.splitlines() if line.endswith("is ready.")] == [
        "windlass-manager is ready.",
        "windlass-gateway is ready.",
        "profile ada of ada@example.com is ready.",
    ]
    assert (again.returncode, again.stdout) == (0, first.stdout)
    apply_printed(cluster, "--platform")

    cluster.create("/api/v1/namespaces/ada/persistentvolumeclaims", CLAIM)
    removed = command(cluster, "uninstall")

    assert removed.returncode == 0, removed.stderr
    assert names(cluster) - before == {"namespace/kubeflow-user-example-com"}, "only users' namespaces stay"
    assert get(cluster, "/api/v1/namespaces/ada/persistentvolumeclaims/kept")["metadata"]["name"] == "kept"
    assert "ownerReferences" not in get(cluster, "/api/v1/namespaces/ada")["metadata"]
    assert "nothing to remove" in command(cluster, "uninstall").stderr


def test_after_the_printed_manifests_with_data_all_goes_but_what_others_have_put_there(
    cluster: PlatformCluster,
) -> None:
    before = names(cluster)
    apply_printed(cluster, "--platform", "--trainer")
    cluster.create("/api/v1/namespaces/kubeflow/configmaps", {"metadata": {"name": "mine"}})
    done = command(cluster, "install", "--platform", "--user", "bob@example.com")
    assert done.returncode == 0, done.stderr

    removed = command(cluster, "uninstall", "--with-data")

    assert removed.returncode == 0, removed.stderr
    assert removed.stdout.splitlines()[1:] == ["Namespace/kubeflow stays, with ConfigMap/mine."]
    assert names(cluster) - before == {"namespace/kubeflow"}
    assert cluster.request("GET", "/api/v1/namespaces/bob").status == 404


def get(cluster: PlatformCluster, path: str) -> Any:
    return cluster.get(path)

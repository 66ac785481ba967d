"""Fixtures for stories that a person tells with kubectl."""

from pathlib import Path

import pytest

from tests.e2e.shell import WIDGETS, Shell
from tests.support import Windlass


@pytest.fixture
def kubectl(server: Windlass, namespace: str, tmp_path: Path) -> Shell:
    """kubectl in a fresh namespace and an empty folder."""
    return Shell(server, namespace, tmp_path)


@pytest.fixture
def widgets(kubectl: Shell) -> Shell:
    """kubectl on a server that knows a custom kind, Widget."""
    kubectl("apply --server-side -f -", WIDGETS)
    kubectl("wait --for=condition=Established crd/widgets.shop.example --timeout=60s")
    return kubectl

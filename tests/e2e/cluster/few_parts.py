"""A cluster's own parts as far as objects need them: `python -m tests.e2e.cluster.few_parts DATA_DIR` clears away what
is deleted and makes service accounts. There is no scheduler and no kubelet: the tests say how pods fare."""

import asyncio
import sys
from pathlib import Path

from windlass.controllers.core import custom_resources, garbage_collector, namespaces, service_accounts
from windlass.kube.connect import by_socket
from windlass.kube.manager import run_manager
from windlass.supervisor.datadir import DataDir

PARTS = (
    custom_resources.CONTROLLER,
    garbage_collector.CONTROLLER,
    namespaces.CONTROLLER,
    service_accounts.CONTROLLER,
)


def main(folder: Path) -> None:
    data = DataDir(folder)
    asyncio.run(run_manager(by_socket(data.socket, token_file=data.manager_token), PARTS))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

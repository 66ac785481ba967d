"""What a cluster brings itself: `python -m tests.e2e.cluster.own_parts DATA_DIR` runs Kubernetes' own controllers
and a scheduler against the server of a data dir, and nothing of Kubeflow."""

import asyncio
import sys
from pathlib import Path

from windlass.controllers import EMBEDDED
from windlass.kube.connect import by_socket
from windlass.kube.manager import run_manager
from windlass.scheduler.live.service import SCHEDULER
from windlass.supervisor.datadir import DataDir


def main(folder: Path) -> None:
    data = DataDir(folder)
    client = by_socket(data.socket, token_file=data.manager_token)
    asyncio.run(run_manager(client, (*EMBEDDED, SCHEDULER)))


if __name__ == "__main__":
    main(Path(sys.argv[1]))

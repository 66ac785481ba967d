"""Stands for the image kubectl-delivery: puts an exec client into a folder, and waits for a launcher's workers.

`TARGET_DIR` says where to. The workers are those of the hostfile; the launcher behind this init container starts when
all of them are ready, so that it neither fails nor burns its retries because one is late.
"""

import json
import os
import shutil
import ssl
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

ACCOUNT = Path("/var/run/secrets/kubernetes.io/serviceaccount")
HOSTFILE = Path("/etc/mpi/hostfile")
EVERY = 0.2
TOLD_EVERY = 10.0
WRAPPER = """#!/bin/sh
# -I -S: whatever the variables of this container are, and quickly
if command -v python3 >/dev/null 2>&1; then exec python3 -I -S "{folder}/kubectl.py" "$@"; fi
if command -v kubectl >/dev/null 2>&1; then exec kubectl "$@"; fi
echo "error: this container has neither python3 nor kubectl, one of which is needed to reach other pods" >&2
exit 127
"""


def deliver(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(Path(__file__).with_name("exec_client.py"), folder / "kubectl.py")
    (folder / "kubectl.py").chmod(0o644)
    wrapper = folder / "kubectl"
    wrapper.write_text(WRAPPER.format(folder=folder))
    wrapper.chmod(0o755)


def hosts(text: str, own: str) -> list[str]:
    """The pods of a hostfile, in order, but for this one."""
    first = [line.split()[0] for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [name for name in dict.fromkeys(first) if name != own]


def is_ready(pod: dict[str, Any]) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or []
    return any(one.get("type") == "Ready" and one.get("status") == "True" for one in conditions)


def is_over(pod: dict[str, Any]) -> bool:
    """Whether it will never be ready any more. The launcher finds out what that means for it."""
    return (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")


def get_pod(name: str) -> dict[str, Any]:
    """A pod; empty if there is none (yet), or the server cannot be asked now."""
    host, port = os.environ["KUBERNETES_SERVICE_HOST"], os.environ.get("KUBERNETES_SERVICE_PORT", "443")
    namespace = os.environ.get("NAMESPACE") or (ACCOUNT / "namespace").read_text().strip()
    host = f"[{host}]" if ":" in host else host
    request = urllib.request.Request(f"https://{host}:{port}/api/v1/namespaces/{namespace}/pods/{name}")
    request.add_header("Authorization", f"Bearer {(ACCOUNT / 'token').read_text().strip()}")
    trust = ssl.create_default_context(cafile=str(ACCOUNT / "ca.crt"))
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), urllib.request.HTTPSHandler(context=trust))
    try:
        with opener.open(request, timeout=30) as answer:
            return json.load(answer)
    except urllib.error.HTTPError as error:
        if error.code in (401, 403):
            raise PermissionError(f"the service account of this pod may not look at pods: {error}") from error
    except OSError as error:
        say(f"the API server does not answer: {error}")
    return {}


def wait_for(names: list[str]) -> None:
    told = -TOLD_EVERY
    for name in names:
        while not is_ready(pod := get_pod(name)) and not is_over(pod):
            if time.monotonic() - told >= TOLD_EVERY:
                told = time.monotonic()
                phase = (pod.get("status") or {}).get("phase") or "not there yet"
                say(f"waiting for {name} to be ready: {phase}")
            time.sleep(EVERY)


def say(text: str) -> None:
    sys.stderr.write(f"{text}\n")


def main() -> int:
    deliver(Path(os.environ.get("TARGET_DIR") or "/opt/kube"))
    names = hosts(HOSTFILE.read_text(), os.environ.get("HOSTNAME", "")) if HOSTFILE.exists() else []
    try:
        wait_for(names)
    except PermissionError as error:
        say(f"{error}; the launcher starts without waiting for its workers")
    return 0


if __name__ == "__main__":
    sys.exit(main())

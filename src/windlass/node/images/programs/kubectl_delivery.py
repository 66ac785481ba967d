"""Replaces the image kubectl-delivery: installs an exec client, and waits for a launcher's workers.

`TARGET_DIR` is the folder to install to. The workers are those of the hostfile; the launcher that follows this init
container starts when all of them are ready, so that it does not fail or use up its retries because one is late.
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
POLL_SECONDS = 0.2
REPORT_SECONDS = 10.0
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
    """Return the pods of a hostfile, in order, without this one."""
    first = [line.split()[0] for line in text.splitlines() if line.strip() and not line.startswith("#")]
    return [name for name in dict.fromkeys(first) if name != own]


def is_ready(pod: dict[str, Any]) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or []
    return any(one.get("type") == "Ready" and one.get("status") == "True" for one in conditions)


def is_over(pod: dict[str, Any]) -> bool:
    """Whether the pod can never become ready. The launcher finds out what that means for it."""
    return (pod.get("status") or {}).get("phase") in ("Succeeded", "Failed")


def get_pod(name: str) -> dict[str, Any]:
    """Return a pod; empty if it does not exist (yet), or the server does not answer."""
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
            raise PermissionError(f"the service account of this pod may not get pods: {error}") from error
    except OSError as error:
        say(f"the API server does not answer: {error}")
    return {}


def wait_for(names: list[str]) -> None:
    reported = -REPORT_SECONDS
    for name in names:
        while not is_ready(pod := get_pod(name)) and not is_over(pod):
            if time.monotonic() - reported >= REPORT_SECONDS:
                reported = time.monotonic()
                phase = (pod.get("status") or {}).get("phase") or "not created yet"
                say(f"waiting for {name} to be ready: {phase}")
            time.sleep(POLL_SECONDS)


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

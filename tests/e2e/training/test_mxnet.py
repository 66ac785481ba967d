"""MXNet's jobs: scheduler, server and workers meet by what they are told."""

import pytest

from tests.e2e.training.jobs import CODE, JobShell, job, script, template

pytestmark = [pytest.mark.kubectl]

MEET = """
import json
import os
import socket
import time

config = json.loads(os.environ["MX_CONFIG"])
root = os.environ["DMLC_PS_ROOT_URI"], int(os.environ["DMLC_PS_ROOT_PORT"])
others = int(os.environ["DMLC_NUM_SERVER"]) + int(os.environ["DMLC_NUM_WORKER"])
assert config["task"]["type"] == os.environ["DMLC_ROLE"]
if os.environ["DMLC_ROLE"] == "scheduler":
    assert others == sum(len(each) for role, each in config["cluster"].items() if role != "scheduler")
    met = set()
    with socket.create_server(("", root[1])) as door:
        while len(met) < others:
            with door.accept()[0] as guest:
                met.add(guest.recv(100).decode())
    print("met", *sorted(met), flush=True)
else:
    who = f"{config['task']['type']}-{os.environ.get('DMLC_WORKER_ID', 0)}"
    while True:
        try:
            with socket.create_connection(root, 5) as way:
                way.sendall(who.encode())
            break
        except OSError:
            time.sleep(0.1)
"""


def test_the_scheduler_meets_everybody_and_ends_the_job(kubectl: JobShell) -> None:
    roles = {"Scheduler": 1, "Server": 1, "Worker": 2}
    pod = template("MXJob", "python:3.11", ["python", f"{CODE}/main.py"], "meet")
    kubectl.apply(script("meet", MEET), job("MXJob", "meet", roles, pod, jobMode="MXTrain"))

    kubectl.is_done("mxjobs/meet")

    assert kubectl.log("meet-scheduler-0") == "met server-0 worker-0 worker-1\n"

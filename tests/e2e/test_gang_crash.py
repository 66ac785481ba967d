"""kill -9 of the server at any moment of many gang commits: afterwards each gang is bound whole or not at all.

`GANG_COMMITS` is how many gangs must have been committed and heard of before it ends; `make soak-gangs` asks for many.
"""

import contextlib
import http.client
import itertools
import json
import os
import random
import signal
import ssl
import threading
from collections import defaultdict
from pathlib import Path
from typing import Any

import pytest

from tests.support import Windlass, eventually, running

COMMITS = int(os.environ.get("GANG_COMMITS", "60"))
LEAST_KILLS = 4
BINDERS = 4
WIDTHS = (2, 3, 8, 40, 70)  # the last is more than the store writes with one statement
GPUS = 8
NAMESPACE = "/api/v1/namespaces/default"
GANGS = "/apis/scheduling.windlass.dev/v1/namespaces/default/gangbindings"


class Binder(threading.Thread):
    """Makes gangs and binds each to nodes that nobody else uses, until the server dies under it."""

    def __init__(self, server: Windlass, number: int, round_number: int, sending: threading.Event) -> None:
        super().__init__(daemon=True)
        self.sending = sending
        self.server, self.dice = server, random.Random(f"{round_number} {number}")
        self.names = (f"g-{round_number}-{number}-{count}" for count in itertools.count())
        self.acknowledged: set[str] = set()
        self.problem: object = None

    def run(self) -> None:
        context = ssl.create_default_context(cafile=self.server.ca)
        connection = http.client.HTTPSConnection("127.0.0.1", self.server.port, context=context, timeout=20)
        with contextlib.suppress(OSError, http.client.HTTPException), contextlib.closing(connection):
            for gang in self.names:
                self.one(connection, gang, self.dice.choice(WIDTHS))

    def one(self, connection: http.client.HTTPSConnection, gang: str, width: int) -> None:
        bindings: list[Any] = []
        for member in range(width):
            metadata = {"name": f"{gang}-{member}", "labels": {"gang": gang, "width": str(width)}}
            container = {"name": "c", "image": "busybox"}
            pod = self.ask(connection, f"{NAMESPACE}/pods", {"metadata": metadata, "spec": {"containers": [container]}})
            named = {"name": pod["metadata"]["name"], "uid": pod["metadata"]["uid"]}
            target = {"kind": "Node", "name": f"{gang}-node-{member // GPUS}"}
            bindings.append({"metadata": named, "target": target})
        self.sending.set()
        self.ask(connection, GANGS, {"bindings": bindings})
        self.acknowledged.add(gang)

    def ask(self, connection: http.client.HTTPSConnection, path: str, body: Any) -> Any:
        headers = {"authorization": f"Bearer {self.server.token}", "content-type": "application/json"}
        connection.request("POST", path, json.dumps(body), headers)
        response = connection.getresponse()
        answer = json.loads(response.read())
        if response.status != 201:
            self.problem = answer
        assert response.status == 201, answer
        return answer


def check(server: Windlass, acknowledged: set[str]) -> None:
    gangs: defaultdict[str, list[Any]] = defaultdict(list)
    for pod in server.get(f"{NAMESPACE}/pods")["items"]:
        gangs[pod["metadata"]["labels"]["gang"]].append(pod)
    for gang, pods in gangs.items():
        width = int(pods[0]["metadata"]["labels"]["width"])
        on = [pod["spec"]["nodeName"] for pod in pods if "nodeName" in pod["spec"]]
        assert len(on) in (0, width), f"{gang} is partly bound: {len(on)} of {width}"
        assert all(on.count(node) <= GPUS for node in set(on)), f"{gang} has a node twice"
    whole = {gang for gang, pods in gangs.items() if "nodeName" in pods[0]["spec"]}
    assert acknowledged <= whole, f"acknowledged and lost: {acknowledged - whole}"


def wait_for_a_commit(binders: list[Binder], sending: threading.Event, dice: random.Random) -> None:
    """Until anywhere within the commit of a gang, after some others."""
    others = dice.randint(5, 25)
    eventually(lambda: sum(len(binder.acknowledged) for binder in binders) >= others, 120, "gangs are bound")
    sending.clear()
    assert sending.wait(60), "no gang is bound any more"
    threading.Event().wait(dice.random() * 0.04)  # what a commit may take; not a wait for something


@pytest.mark.crash
@pytest.mark.timeout(max(300, COMMITS))
def test_no_gang_is_partly_bound_after_the_server_was_killed_while_it_bound_gangs(tmp_path: Path) -> None:
    acknowledged: set[str] = set()
    dice, kills = random.Random(16), 0
    with running(tmp_path) as server:
        server.create(f"{NAMESPACE}/serviceaccounts", {"metadata": {"name": "default"}})
        while kills < LEAST_KILLS or len(acknowledged) < COMMITS:
            sending = threading.Event()
            binders = [Binder(server, number, kills, sending) for number in range(BINDERS)]
            for binder in binders:
                binder.start()
            wait_for_a_commit(binders, sending, dice)
            server.stop(signal.SIGKILL)
            kills += 1
            for binder in binders:
                binder.join()
                assert binder.problem is None, binder.problem
                acknowledged |= binder.acknowledged
            server.start()
            check(server, acknowledged)

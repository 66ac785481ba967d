"""kill -9 at any moment under load: what was acknowledged is there afterwards, and versions never go back."""

import contextlib
import http.client
import json
import random
import signal
import ssl
import threading
from pathlib import Path
from typing import Any

import pytest

from tests.support import Windlass, eventually, running

ROUNDS = 5
WRITERS = 6


class Writer(threading.Thread):
    """Creates, changes and deletes ConfigMaps until the server dies under it; remembers what was acknowledged."""

    def __init__(self, server: Windlass, number: int, round_number: int) -> None:
        super().__init__()
        self.server, self.number, self.round = server, number, round_number
        self.alive: dict[str, tuple[int, str]] = {}
        self.unsure: set[str] = set()
        self.highest = self.acknowledged = 0

    def run(self) -> None:
        context = ssl.create_default_context(cafile=self.server.ca)
        connection = http.client.HTTPSConnection("127.0.0.1", self.server.port, context=context, timeout=20)
        headers = {"authorization": f"Bearer {self.server.token}", "content-type": "application/json"}
        dice, count = random.Random(self.number), 0
        with contextlib.suppress(OSError, http.client.HTTPException), contextlib.closing(connection):
            while True:
                count += 1
                self.step(connection, headers, dice, f"c-{self.round}-{self.number}-{count}")

    def step(self, connection: Any, headers: dict[str, str], dice: random.Random, name: str) -> None:
        path = "/api/v1/namespaces/default/configmaps"
        choice = dice.random()
        if self.alive and choice < 0.2:
            name = dice.choice(list(self.alive))
            self.unsure.add(name)
            self.ask(connection, "DELETE", f"{path}/{name}", None, headers)
            del self.alive[name]
        elif self.alive and choice < 0.5:
            name, value = dice.choice(list(self.alive)), str(dice.random())
            self.unsure.add(name)
            body = {"metadata": {"name": name}, "data": {"v": value}}
            changed = self.ask(connection, "PUT", f"{path}/{name}", body, headers)
            self.alive[name] = (int(changed["metadata"]["resourceVersion"]), value)
        else:
            self.unsure.add(name)
            made = self.ask(connection, "POST", path, {"metadata": {"name": name}, "data": {"v": "0"}}, headers)
            self.alive[name] = (int(made["metadata"]["resourceVersion"]), "0")
        self.unsure.discard(name)

    def ask(self, connection: Any, method: str, path: str, body: Any, headers: dict[str, str]) -> Any:
        connection.request(method, path, json.dumps(body) if body else None, headers)
        response = connection.getresponse()
        answer = json.loads(response.read())
        assert response.status < 300, answer
        self.acknowledged += 1
        version = answer.get("metadata", {}).get("resourceVersion")
        self.highest = max(self.highest, int(version or 0))
        return answer


@pytest.mark.crash
def test_nothing_acknowledged_is_lost_when_the_server_is_killed_under_load(tmp_path: Path) -> None:
    expected: dict[str, tuple[int, str]] = {}
    highest = 0
    dice = random.Random(7)
    with running(tmp_path) as server:
        for number in range(ROUNDS):
            writers = [Writer(server, index, number) for index in range(WRITERS)]
            for writer in writers:
                writer.start()
            eventually(lambda under=writers: sum(one.acknowledged for one in under) > 30, 120, "there is load")
            threading.Event().wait(dice.random() / 2)  # anywhere under load; not a wait for something
            server.stop(signal.SIGKILL)
            for writer in writers:
                writer.join()
            server.start()

            listed = server.get("/api/v1/namespaces/default/configmaps")
            found = {o["metadata"]["name"]: o for o in listed["items"]}
            unsure = {name for writer in writers for name in writer.unsure}
            for writer in writers:
                expected.update(writer.alive)
                highest = max(highest, writer.highest)
            for name, (version, value) in expected.items():
                if name not in unsure:
                    assert found[name]["metadata"]["resourceVersion"] == str(version), name
                    assert found[name]["data"]["v"] == value, name
            assert int(listed["metadata"]["resourceVersion"]) >= highest
            gone = set(found) - set(expected) - unsure
            assert not gone, f"deleted and acknowledged, and back again: {gone}"
            ours = {name: o for name, o in found.items() if "v" in o["data"]}
            expected = {name: (int(o["metadata"]["resourceVersion"]), o["data"]["v"]) for name, o in ours.items()}

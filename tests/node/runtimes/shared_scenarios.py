"""What every runtime that Windlass holds by supervisors promises in the same words."""

import asyncio
import os

from tests.node.runtimes.bench import Bench, read_until


async def many_pods_start_at_once(bench: Bench) -> None:
    async def one() -> int:
        uid = await bench.pod()
        await bench.start(uid, "exit 3")
        return (await bench.ended(uid)).exit_code

    assert await asyncio.gather(*(one() for _ in range(30))) == [3] * 30


async def a_run_that_is_there_already_is_not_started_again(bench: Bench) -> None:
    uid = await bench.pod()
    first, second = await asyncio.gather(bench.start(uid, "exec sleep 1000"), bench.start(uid, "exec sleep 1000"))

    assert first.id == second.id == (await bench.start(uid, "exec sleep 1000")).id
    facts = await bench.runtime.pod_facts(uid)
    assert facts is not None
    assert len(facts.containers) == 1


async def attach_is_the_containers_own_input_and_output(bench: Bench) -> None:
    uid = await bench.pod()
    await bench.start(uid, "while read x; do echo got $x; done; exit 4", stdin=True, stdin_once=True)
    process = await bench.runtime.attach(uid, "main", stdin=True, stdout=True, stderr=True)
    assert process.stdin is not None
    os.write(process.stdin, b"one\n")
    await read_until(process.stdout, b"got one\n")
    os.close(process.stdin)
    process.stdin = None

    assert await asyncio.wait_for(process.wait(), 30) == 4
    process.close()
    await bench.says(uid, "got one\n")
    assert bench.output(uid) == "got one\n"


async def changes_are_reported_as_they_happen(bench: Bench) -> None:
    changes = bench.runtime.changes()
    on_message = asyncio.ensure_future(anext(changes))
    await asyncio.sleep(0)
    uid = await bench.pod()

    assert await asyncio.wait_for(on_message, 30) == uid

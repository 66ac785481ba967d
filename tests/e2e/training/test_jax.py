"""JAX: workers become processes of one distributed computation."""

from collections.abc import Callable

import pytest

from tests.e2e.training.jobs import CODE, JobShell, job, script, template

IMAGE = "ghcr.io/kubeflow/training-v1/jaxjob-simple:latest"
pytestmark = [pytest.mark.kubectl, pytest.mark.frameworks, pytest.mark.timeout(1200)]

SUM = """
import os

import jax

jax.config.update("jax_cpu_collectives_implementation", "gloo")
jax.distributed.initialize(
    f"{os.environ['COORDINATOR_ADDRESS']}:{os.environ['COORDINATOR_PORT']}",
    num_processes=int(os.environ["NUM_PROCESSES"]),
    process_id=int(os.environ["PROCESS_ID"]),
)
own = jax.numpy.ones(jax.local_device_count()) * (jax.process_index() + 1)
total = jax.pmap(lambda each: jax.lax.psum(each, "all"), axis_name="all")(own)
print(f"process {jax.process_index()}: {jax.device_count()} devices, sum {float(total[0]):.0f}", flush=True)
jax.distributed.shutdown()
"""


def test_two_workers_sum_over_all_devices(kubectl: JobShell, pulled: Callable[[str], None]) -> None:
    pulled(IMAGE)
    pod = template("JAXJob", IMAGE, ["python", f"{CODE}/main.py"], "sum")
    kubectl.apply(script("sum", SUM), job("JAXJob", "sum", {"Worker": 2}, pod))

    kubectl.succeeds("jaxjobs/sum")

    for index in range(2):
        assert f"process {index}: 2 devices, sum 3" in kubectl.log(f"sum-worker-{index}").splitlines()

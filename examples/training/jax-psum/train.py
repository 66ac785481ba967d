"""Handwritten digits with JAX: every process has a part of the data, and psum adds up their gradients."""

import os
from functools import partial

import jax
import numpy as np
from jax.experimental import multihost_utils
from jax.sharding import Mesh, NamedSharding
from jax.sharding import PartitionSpec as P
from sklearn.datasets import load_digits

EPOCHS = int(os.environ.get("EPOCHS", "100"))
RATE = 0.5


def main() -> None:
    jax.config.update("jax_cpu_collectives_implementation", "gloo")
    jax.distributed.initialize(
        coordinator_address=f"{os.environ['COORDINATOR_ADDRESS']}:{os.environ['COORDINATOR_PORT']}",
        num_processes=int(os.environ["NUM_PROCESSES"]),
        process_id=int(os.environ["PROCESS_ID"]),
        initialization_timeout=600,
    )
    rank, world = jax.process_index(), jax.process_count()
    print(f"process {rank} of {world}: {jax.device_count()} devices, {jax.local_device_count()} here", flush=True)
    mesh = Mesh(np.array(jax.devices()), ("data",))

    pixels, labels = load_digits(return_X_y=True)
    images = np.hstack([pixels / 16, np.ones((len(pixels), 1))]).astype("float32")
    wanted = np.eye(10, dtype="float32")[labels]
    count = 1500 // world
    mine = slice(rank * count, (rank + 1) * count)
    spread = NamedSharding(mesh, P("data"))
    all_images = jax.make_array_from_process_local_data(spread, images[mine])
    all_wanted = jax.make_array_from_process_local_data(spread, wanted[mine])
    weights = multihost_utils.host_local_array_to_global_array(np.zeros((65, 10), "float32"), mesh, P())

    def loss(weights: jax.Array, image: jax.Array, target: jax.Array) -> jax.Array:
        return -(jax.nn.log_softmax(image @ weights) * target).sum(axis=1).mean()

    @jax.jit
    @partial(jax.shard_map, mesh=mesh, in_specs=(P(), P("data"), P("data")), out_specs=(P(), P()), check_vma=False)
    def step(weights: jax.Array, image: jax.Array, target: jax.Array) -> tuple[jax.Array, jax.Array]:
        value, slope = jax.value_and_grad(loss)(weights, image, target)
        devices = jax.lax.psum(1, "data")
        return weights - RATE * jax.lax.psum(slope, "data") / devices, jax.lax.psum(value, "data") / devices

    for epoch in range(1, EPOCHS + 1):
        weights, value = step(weights, all_images, all_wanted)
        if epoch % 10 == 0:
            print(f"process {rank}: epoch {epoch} loss {float(value):.4f}", flush=True)
    learned = np.asarray(weights.addressable_data(0))
    accuracy = np.mean((images[1500:] @ learned).argmax(axis=1) == labels[1500:])
    print(f"process {rank}: accuracy {accuracy:.3f}", flush=True)
    jax.distributed.shutdown()


if __name__ == "__main__":
    main()

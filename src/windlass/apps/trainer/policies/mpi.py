"""MPI: a launcher that connects to the nodes by SSH, with a key per job and a hostfile."""

from windlass.apis.env_variables import variable
from windlass.apps.trainer.blueprint import Blueprint, container, gpus, pod_spec, put, put_env, set_count
from windlass.apps.trainer.kinds import MPIPolicy, TrainJob
from windlass.apps.trainer.names import LAUNCHER, NODE
from windlass.apps.trainer.policies.policy import Policy
from windlass.kube.json import Object

SSH_VOLUME, HOSTS_VOLUME = "mpi-ssh-auth", "mpi-hostfile"
PRIVATE, PUBLIC = "ssh-privatekey", "ssh-publickey"
HOSTS_FOLDER, HOSTFILE = "/etc/mpi", "hostfile"
HOSTS, FULL_NAMES = "OMPI_MCA_orte_default_hostfile", "OMPI_MCA_orte_keep_fqdn_hostnames"
SLOTS, SSH_ARGS = "OMPI_MCA_orte_set_default_slots", "OMPI_MCA_plm_rsh_args"
SSH_RETRIES = "-o ConnectionAttempts=10"
READABLE = 0o640


def secret_name(job: TrainJob) -> str:
    return f"{job.metadata.name}-mpi-ssh-auth"


def hostfile_name(job: TrainJob) -> str:
    return f"{job.metadata.name}-mpi-hostfile"


def amend(plan: Blueprint) -> None:
    policy = policy_of(plan)
    launcher, node = plan.replicated(LAUNCHER), plan.replicated(NODE)
    if launcher is not None:
        launcher["replicas"] = 1
        set_count(launcher, 1)
    if node is not None:
        set_count(node, nodes_beside(plan, policy))
    slots = slots_of(plan, policy)
    for replicated in (launcher, node):
        if replicated is not None:
            _give_keys(plan.job, replicated, policy)
    if launcher is not None:
        _give_hosts(plan.job, launcher, slots)
    plan.beside.append(_hostfile(plan, policy, slots))


def policy_of(plan: Blueprint) -> MPIPolicy:
    policy = plan.runtime.ml_policy
    return (policy.mpi if policy is not None else None) or MPIPolicy()


def nodes_beside(plan: Blueprint, policy: MPIPolicy) -> int:
    """The number of nodes, not counting a launcher that also trains."""
    return max(1, plan.num_nodes - 1) if policy.run_launcher_as_node else plan.num_nodes


def slots_of(plan: Blueprint, policy: MPIPolicy) -> int:
    """The number of processes per node: from the job, else from the runtime, else one per GPU."""
    trainer = plan.job.spec.trainer
    if trainer is not None and trainer.num_proc_per_node is not None:
        return trainer.num_proc_per_node
    return policy.num_proc_per_node if policy.num_proc_per_node != 1 else max(1, gpus(plan.resources))


def _give_keys(job: TrainJob, replicated: Object, policy: MPIPolicy) -> None:
    items = [
        {"key": PRIVATE, "path": "id_rsa"},
        {"key": PUBLIC, "path": "id_rsa.pub"},
        {"key": PUBLIC, "path": "authorized_keys"},
    ]
    secret = {"secretName": secret_name(job), "defaultMode": READABLE, "items": items}
    put(pod_spec(replicated), "volumes", [{"name": SSH_VOLUME, "secret": secret}])
    node = container(replicated, NODE)
    if node is not None:
        put(node, "volumeMounts", [{"name": SSH_VOLUME, "mountPath": policy.ssh_auth_mount_path}])


def _give_hosts(job: TrainJob, launcher: Object, slots: int) -> None:
    config = {"name": hostfile_name(job), "items": [{"key": HOSTFILE, "path": HOSTFILE, "mode": 0o444}]}
    put(pod_spec(launcher), "volumes", [{"name": HOSTS_VOLUME, "configMap": config}])
    for name in (NODE, LAUNCHER):
        target = container(launcher, name)
        if target is None:
            continue
        put(target, "volumeMounts", [{"name": HOSTS_VOLUME, "mountPath": HOSTS_FOLDER}])
        put_env(
            target,
            [
                variable(HOSTS, f"{HOSTS_FOLDER}/{HOSTFILE}"),
                variable(FULL_NAMES, "true"),
                variable(SLOTS, slots),
                variable(SSH_ARGS, SSH_RETRIES),
            ],
        )


def _hostfile(plan: Blueprint, policy: MPIPolicy, slots: int) -> Object:
    hosts = [plan.endpoint(LAUNCHER, 0)] if policy.run_launcher_as_node and plan.replicated(LAUNCHER) else []
    if plan.replicated(NODE) is not None:
        hosts += [plan.endpoint(NODE, index) for index in range(nodes_beside(plan, policy))]
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": hostfile_name(plan.job), "namespace": plan.job.metadata.namespace},
        "data": {HOSTFILE: "".join(f"{host} slots={slots}\n" for host in hosts)},
    }


POLICY = Policy("mpi", amend, frozenset((HOSTS, FULL_NAMES, SLOTS, SSH_ARGS)), "MPI")

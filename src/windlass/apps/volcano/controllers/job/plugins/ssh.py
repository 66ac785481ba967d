"""ssh: the pods of a job may log in to each other without a password. `keys.py` makes the keys."""

from windlass.apps.volcano.controllers.job.plugins.plugin import Plugin, Shaping, append
from windlass.apps.volcano.controllers.job.tasks import hosts, tasks_of
from windlass.apps.volcano.kinds.batch import Job

NAME = "ssh"
PATH, PRIVATE_KEY, PUBLIC_KEY, PORT = "ssh-key-file-path", "ssh-private-key", "ssh-public-key", "ssh-port"
ROOT_PATH, FOLDER, DEFAULT_PORT = "/root/.ssh", ".ssh", 22
PRIVATE, PUBLIC, AUTHORIZED, CONFIG = "id_rsa", "id_rsa.pub", "authorized_keys", "config"
FILES = (PRIVATE, PUBLIC, AUTHORIZED, CONFIG)


def secret_name(job: Job) -> str:
    return f"{job.metadata.name}-ssh"


def _shape(shaping: Shaping) -> None:
    name, path = secret_name(shaping.job), shaping.given[PATH]
    items = [{"key": file, "path": f"{FOLDER}/{file}"} for file in FILES]
    mode = 0o600 if path == ROOT_PATH else 0o644  # elsewhere another user reads it, who does not own the files
    secret = {"secretName": name, "items": items, "defaultMode": mode}
    append(shaping.spec, "volumes", {"name": name, "secret": secret})
    for container in shaping.containers(initial=True):
        append(container, "volumeMounts", {"name": name, "mountPath": path, "subPath": FOLDER})


def client_config(job: Job, port: int) -> str:
    """For ssh: each pod by its short name, and no questions asked."""
    lines = ["StrictHostKeyChecking no", "UserKnownHostsFile /dev/null"]
    for task in tasks_of(job):
        for host in hosts(job, task):
            lines += [f"Host {host.split('.', 1)[0]}", f"  HostName {host}"]
            lines += [f"  Port {port}"] if port != DEFAULT_PORT else []
    return "".join(f"{line}\n" for line in lines)


FLAGS = {PATH: ROOT_PATH, PRIVATE_KEY: "", PUBLIC_KEY: "", PORT: DEFAULT_PORT}
PLUGIN = Plugin(name=NAME, shape=_shape, flags=FLAGS)

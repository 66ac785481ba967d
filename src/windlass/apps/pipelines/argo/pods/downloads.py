"""Input artifacts at URLs and in git: a container of the pod gets them, so with the pod's network and rights only."""

from collections.abc import Mapping

from windlass.apps.pipelines.argo.artifacts.archive_formats import archive_format
from windlass.kube.json import Object, dig_object, encode

NAME, IMAGE = "download-artifacts", "python:3.11"
SECRETS: Mapping[str, Mapping[str, tuple[str, ...]]] = {
    "http": {
        "username": ("auth", "basicAuth", "usernameSecret"),
        "password": ("auth", "basicAuth", "passwordSecret"),
    },
    "git": {
        "username": ("usernameSecret",),
        "password": ("passwordSecret",),
        "key": ("sshPrivateKeySecret",),
    },
}
"""Where an artifact names the Secrets of its credentials."""

PROGRAM = r"""
import base64, json, os, pathlib, shutil, subprocess, sys, tarfile, tempfile, urllib.error, urllib.request, zipfile

MESSAGE = os.environ.get("MESSAGE", "/dev/termination-log")


def fail(text):
    try:
        pathlib.Path(MESSAGE).write_text(text[:4000])
    except OSError:
        pass
    sys.exit(text)


def download(wanted, secret, target):
    request = urllib.request.Request(wanted["url"])
    for header in wanted.get("headers") or []:
        request.add_header(header["name"], header.get("value", ""))
    if secret("username") or secret("password"):
        pair = f"{secret('username')}:{secret('password')}".encode()
        request.add_header("Authorization", "Basic " + base64.b64encode(pair).decode())
    with urllib.request.urlopen(request, timeout=60) as response, open(target, "wb") as file:
        shutil.copyfileobj(response, file)


def unpack(path, archive):
    # The only entry of an archive, or a folder with all of them, takes its place.
    folder = path + ".unpacked"
    if archive == "zip":
        with zipfile.ZipFile(path) as file:
            file.extractall(folder)
    elif archive == "tgz" and tarfile.is_tarfile(path):
        with tarfile.open(path) as file:
            safe = {"filter": "data"} if hasattr(tarfile, "data_filter") else {}
            file.extractall(folder, **safe)
    else:
        return
    entries = os.listdir(folder)
    os.remove(path)
    os.rename(os.path.join(folder, entries[0]) if len(entries) == 1 else folder, path)


def clone(wanted, secret, target):
    if shutil.which("git") is None:
        fail(f"Cannot clone {wanted['repo']}: the image of the container has no program git")
    settings = dict(os.environ, GIT_TERMINAL_PROMPT="0", HOME="/tmp")
    with tempfile.TemporaryDirectory() as folder:
        asking = pathlib.Path(folder, "ask")
        asking.write_text('#!/bin/sh\ncase "$1" in User*) echo "$GIT_USERNAME";; *) echo "$GIT_PASSWORD";; esac\n')
        asking.chmod(0o700)
        settings.update(GIT_ASKPASS=str(asking), GIT_USERNAME=secret("username"), GIT_PASSWORD=secret("password"))
        checking = "no" if wanted.get("insecureIgnoreHostKey") else "accept-new"
        ssh = f"ssh -o StrictHostKeyChecking={checking} -o UserKnownHostsFile={folder}/hosts"
        if secret("key"):
            key = pathlib.Path(folder, "key")
            key.touch(0o600)
            key.write_text(secret("key").rstrip("\n") + "\n")
            ssh += f" -i {key} -o IdentitiesOnly=yes"
        settings["GIT_SSH_COMMAND"] = ssh
        if wanted.get("insecureSkipTLS"):
            settings["GIT_SSL_NO_VERIFY"] = "true"

        def git(*words):
            done = subprocess.run(["git", *words], env=settings, stderr=subprocess.PIPE, text=True)
            sys.stderr.write(done.stderr)
            if done.returncode:
                lines = done.stderr.strip().splitlines() or ["git failed"]
                reason = next((line for line in lines if line.startswith(("fatal:", "error:"))), lines[-1])
                fail(f"Cannot clone {wanted['repo']}: {reason}")

        depth = ["--depth", str(wanted["depth"])] if wanted.get("depth") else []
        options = [*depth, *(["--branch", wanted["branch"]] if wanted.get("branch") else [])]
        options += ["--single-branch"] if wanted.get("singleBranch") else []
        git("clone", *options, "--", wanted["repo"], target)
        inside = ("-C", target)
        for refspec in wanted.get("fetch") or []:
            git(*inside, "fetch", *depth, "origin", "--", refspec)
        if wanted.get("revision"):
            present = ["git", *inside, "rev-parse", "--verify", "--quiet", wanted["revision"] + "^{commit}"]
            if subprocess.run(present, env=settings, stdout=subprocess.DEVNULL).returncode == 0:
                git(*inside, "checkout", wanted["revision"])
            else:
                git(*inside, "fetch", *depth, "origin", "--", wanted["revision"])
                git(*inside, "checkout", "FETCH_HEAD")
        if not wanted.get("disableSubmodules") and os.path.exists(os.path.join(target, ".gitmodules")):
            git(*inside, "submodule", "update", "--init", "--recursive", *depth)


root = os.environ["DOWNLOADS_FOLDER"]
os.makedirs(root, exist_ok=True)
for number, artifact in enumerate(json.loads(os.environ["DOWNLOADS"])):
    target = os.path.join(root, artifact["name"])
    shutil.rmtree(target, ignore_errors=True)
    secret = lambda name: os.environ.get(f"SECRET_{number}_{name.upper()}", "")
    if "git" in artifact:
        clone(artifact["git"], secret, target)
        continue
    url = artifact["http"]["url"]
    try:
        download(artifact["http"], secret, target)
        unpack(target, artifact["archive"])
    except urllib.error.HTTPError as error:
        if error.code == 404 and artifact["optional"]:
            continue
        fail(f"Cannot download {url}: the server answered {error.code} {error.reason}")
    except (OSError, ValueError, tarfile.TarError, zipfile.BadZipFile) as error:
        fail(f"Cannot download {url}: {error}")
"""


def container(artifacts: Mapping[str, Object], mount: Object, folder: str) -> Object:
    """The container that gets the artifacts, by name, into a folder of its mount."""
    wanted: list[Object] = []
    environment: list[Object] = [{"name": "DOWNLOADS_FOLDER", "value": folder}]
    for number, (name, artifact) in enumerate(artifacts.items()):
        kind = "git" if artifact.get("git") is not None else "http"
        place = dig_object(artifact, kind)
        for field, path in SECRETS[kind].items():
            if reference := dig_object(place, *path):
                source: Object = {"secretKeyRef": {"name": reference["name"], "key": reference["key"]}}
                environment.append({"name": f"SECRET_{number}_{field.upper()}", "valueFrom": source})
        plain = {field: value for field, value in place.items() if field != "auth" and not field.endswith("Secret")}
        is_optional = bool(artifact.get("optional"))
        wanted.append({"name": name, kind: plain, "archive": archive_format(artifact), "optional": is_optional})
    environment.append({"name": "DOWNLOADS", "value": escaped(encode(wanted).decode())})
    return {
        "name": NAME,
        "image": IMAGE,
        "command": ["python3", "-c", PROGRAM],
        "env": environment,
        "volumeMounts": [mount],
    }


def escaped(text: str) -> str:
    """The value of a variable as it is: Kubernetes replaces `$(NAME)` in it."""
    return text.replace("$(", "$$(")

"""Pulls the images that a pod mounts as volumes, with kubelet's events and reasons."""

import time
from typing import TYPE_CHECKING

from windlass.kube.json import Object, dig_list, dig_object
from windlass.node.images.image import PullFailed
from windlass.node.images.reference import InvalidReference, Reference, parse
from windlass.node.lifecycle import events
from windlass.node.lifecycle.decision import EventRecord
from windlass.node.oci.credentials import Keyring, keyring
from windlass.node.oci.folders import ImageRecord
from windlass.node.pods.pull_progress import pull_progress
from windlass.node.volumes.image import mounted_image
from windlass.node.volumes.manager import mounted_volumes

if TYPE_CHECKING:
    from windlass.node.pods.worker import Worker


class ImageVolumeFailed(Exception):
    """The image of a volume is not available; `reason` is that of the containers that wait for it."""

    def __init__(self, reason: str, message: str, image: str) -> None:
        super().__init__(message)
        self.reason, self.image = reason, image


async def pull_image_volumes(worker: "Worker") -> dict[str, str]:
    """Return the folders with the files of images, by volume. Raises ImageVolumeFailed and ApiError."""
    pod, folders = worker.pod, worker.context.volumes.folders
    mounted, found = mounted_volumes(pod), dict[str, str]()
    secrets: Keyring | None = None
    for volume in dig_list(pod, "spec", "volumes"):
        name, source = str(volume.get("name")), dig_object(volume, "image")
        if not source.get("reference") or name not in mounted:
            continue
        files = mounted_image(folders.on_disk(worker.uid, name))
        if files is None:
            secrets = secrets or await _keyring(worker)
            files = (await _image(worker, source, secrets)).files
        found[name] = files
    return found


async def _keyring(worker: "Worker") -> Keyring:
    """Return the credentials in the pod's imagePullSecrets; a missing Secret is reported, and has none."""
    secrets, missing = list[Object](), list[str]()
    for entry in dig_list(worker.pod, "spec", "imagePullSecrets"):
        name = str(entry.get("name") or "")
        secret = await worker.context.sources.secret(worker.key.namespace, name) if name else None
        if secret is None:
            missing.append(name)
        else:
            secrets.append(secret)
    if missing:
        text = (
            f"Unable to retrieve some image pull secrets ({', '.join(missing)}); "
            "attempting to pull the image may not succeed."
        )
        worker.context.record_event(worker.pod, EventRecord("FailedToRetrieveImagePullSecret", text, warning=True))
    return keyring(secrets)


async def _image(worker: "Worker", source: Object, secrets: Keyring) -> ImageRecord:
    text, policy = str(source["reference"]), str(source.get("pullPolicy") or "IfNotPresent")
    try:
        reference = parse(text)
    except InvalidReference as error:
        raise ImageVolumeFailed("InvalidImageName", str(error), text) from error
    try:
        image = await _of_policy(worker, text, reference, policy, secrets)
    except PullFailed as error:
        message = f'failed to pull and unpack image "{text}": {error}'
        worker.context.record_event(worker.pod, events.pull_failed(text, message, ""))
        raise ImageVolumeFailed("ErrImagePull", message, text) from error
    if image is None:
        message = f'Container image "{text}" is not present with pull policy of Never'
        raise ImageVolumeFailed("ErrImageNeverPull", message, text)
    return image


async def _of_policy(
    worker: "Worker", text: str, reference: Reference, policy: str, secrets: Keyring
) -> ImageRecord | None:
    """Return the image; None if the policy forbids to pull it. Raises PullFailed."""
    images, context = worker.context.oci_images, worker.context
    progress = pull_progress(worker, text)
    image = None if policy == "Always" else await images.find(reference, secrets, progress)
    if image is not None:
        context.record_event(worker.pod, events.present(text, ""))
        return image
    if policy == "Never":
        return None
    context.record_event(worker.pod, events.pulling(text, ""))
    began = time.monotonic()
    image = await images.pull(reference, secrets, progress)
    context.record_event(worker.pod, events.pulled(text, time.monotonic() - began, image.size, ""))
    return image

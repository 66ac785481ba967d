"""A pod's volumes on this machine, and their mounts in containers: `manager.Volumes`."""

from windlass.node.volumes.base import BadMount, NotReady, Prepared
from windlass.node.volumes.manager import Volumes

__all__ = ["BadMount", "NotReady", "Prepared", "Volumes"]

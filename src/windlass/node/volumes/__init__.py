"""What a pod's volumes are on this machine, and where containers see them: `manager.Volumes`."""

from windlass.node.volumes.base import BadMount, NotReady, Prepared
from windlass.node.volumes.manager import Volumes

__all__ = ["BadMount", "NotReady", "Prepared", "Volumes"]

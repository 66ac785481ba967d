from tests.node.volumes.mount_program import mount_program

__all__ = ["mount_program"]

"""Names of nodes and pods, as Argo derives them: from a node's path in the Workflow, so that nothing is made twice."""

MAX_NAME = 253
_HASH_LENGTH = 11  # a dash and ten digits


def fnv32a(text: str) -> int:
    """The 32-bit FNV-1a hash."""
    value = 2166136261
    for byte in text.encode():
        value = ((value ^ byte) * 16777619) & 0xFFFFFFFF
    return value


def node_id(workflow: str, node_name: str) -> str:
    """The id of a node: the Workflow's name for the root, else with a hash of the node's name."""
    return workflow if node_name == workflow else f"{workflow}-{fnv32a(node_name)}"


def pod_name(workflow: str, node_name: str, template: str) -> str:
    """The name of a node's pod."""
    if node_name == workflow:
        return workflow
    prefix = f"{workflow}-{template}" if template else workflow
    return f"{prefix[: MAX_NAME - _HASH_LENGTH]}-{fnv32a(node_name)}"

import type { NodeRow } from "../../../kinds/generated";
import { NodeCard, NodeGrid } from "../../../pages/details/Nodes";

/** Free capacity per node. */
export function Nodes({ nodes }: { nodes: NodeRow[] }) {
  return <NodeGrid nodes={nodes}>{(node) => <NodeCard key={node.name} node={node} />}</NodeGrid>;
}

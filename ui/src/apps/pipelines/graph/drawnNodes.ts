/** The nodes of a graph that is laid out, as they are drawn. Pure. */
import type { GraphNode } from "../kinds/graph/pipelinesGraph";
import type { PlacedNode } from "./layout";

export interface DrawnNode {
  placed: PlacedNode;
  isChosen: boolean;
}

/** Every node by its id. */
export function indexOf(nodes: GraphNode[]): Map<string, GraphNode> {
  const found = new Map<string, GraphNode>();
  const add = (node: GraphNode): void => {
    found.set(node.id, node);
    node.children.forEach(add);
  };
  nodes.forEach(add);
  return found;
}

/** A node where it was placed, as it is now. */
export function refreshed(placed: PlacedNode, fresh: Map<string, GraphNode>): PlacedNode {
  const node = fresh.get(placed.node.id);
  if (node === undefined) return placed;
  return { ...placed, node, artifact: placed.artifact && (node.artifacts.find((mark) => mark.id === placed.id) ?? placed.artifact) };
}

/** The node from before where it would look the same: only those that are other objects are drawn again. */
export function unchanged(before: DrawnNode | undefined, after: DrawnNode): DrawnNode {
  if (before === undefined || before.isChosen !== after.isChosen) return after;
  const { placed: a } = before;
  const { placed: b } = after;
  const isSame =
    a.kind === b.kind &&
    a.depth === b.depth &&
    a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height &&
    a.artifact?.artifact?.artifact_id === b.artifact?.artifact?.artifact_id &&
    looksLike(a.node, b.node);
  return isSame ? before : after;
}

const looksLike = (a: GraphNode, b: GraphNode): boolean =>
  a === b ||
  (a.state === b.state &&
    a.label === b.label &&
    a.kind === b.kind &&
    a.children.length === b.children.length &&
    a.progress?.done === b.progress?.done &&
    a.progress?.total === b.progress?.total &&
    a.record?.started === b.record?.started &&
    a.record?.ended === b.record?.ended);

/** A box is below the edges inside of it, and these are below the nodes that they join. */
export const nodeLevel = ({ depth, kind }: Pick<PlacedNode, "depth" | "kind">): number => depth * 3 + (kind === "box" ? 2 : 3);
export const edgeLevel = (depth: number): number => depth * 3 + 1;

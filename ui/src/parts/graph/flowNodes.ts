/** React Flow's nodes and edges of a graph that is laid out. Pure. */
import { Position, type Node } from "@xyflow/react";
import type { GraphNode } from "../../kinds/pipelinesGraph";
import type { GraphProps } from "./Graph";
import type { PlacedEdge, PlacedNode } from "./layout";
import type { FlowData, RoutedFlowEdge } from "./nodes";

export type FlowNode = Node<FlowData>;
export type Handlers = Pick<GraphProps, "onToggle" | "onChoose" | "onArtifact">;

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

export function flowNode(placed: PlacedNode, isChosen: boolean, handlers: Handlers): FlowNode {
  const { id, kind, x, y, width, height, depth } = placed;
  const middle = width / 2;
  return {
    id,
    type: kind,
    position: { x, y },
    width,
    height,
    // Known in advance, so that edges to nodes outside of the window are drawn.
    handles: [
      { type: "target", position: Position.Top, x: middle, y: 0, width: 1, height: 1 },
      { type: "source", position: Position.Bottom, x: middle, y: height - 1, width: 1, height: 1 },
    ],
    // A box is below the edges inside of it, and these are below the nodes that they join.
    zIndex: depth * 3 + (kind === "box" ? 2 : 3),
    data: { placed, isChosen, ...handlers },
  };
}

/** The node from before where it would look the same: React Flow draws only those that are other objects. */
export function unchanged(before: FlowNode | undefined, after: FlowNode): FlowNode {
  if (before === undefined || before.type !== after.type || before.zIndex !== after.zIndex) return after;
  const { placed: a, isChosen, onToggle, onChoose, onArtifact } = before.data;
  const b = after.data.placed;
  const isSame =
    isChosen === after.data.isChosen &&
    onToggle === after.data.onToggle &&
    onChoose === after.data.onChoose &&
    onArtifact === after.data.onArtifact &&
    a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height &&
    a.artifact?.artifact?.artifact_id === b.artifact?.artifact?.artifact_id &&
    looksLike(a.node, b.node);
  return isSame ? before : after;
}

const looksLike = (a: GraphNode, b: GraphNode): boolean =>
  a.state === b.state &&
  a.label === b.label &&
  a.kind === b.kind &&
  a.children.length === b.children.length &&
  a.progress?.done === b.progress?.done &&
  a.progress?.total === b.progress?.total &&
  a.record?.started === b.record?.started &&
  a.record?.ended === b.record?.ended;

export function flowEdge({ id, from, to, points, depth }: PlacedEdge, className: string): RoutedFlowEdge {
  return { id, source: from, target: to, type: "routed", data: { points }, ...(className === "" ? {} : { className }), zIndex: depth * 3 + 1 };
}

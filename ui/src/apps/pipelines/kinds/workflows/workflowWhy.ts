/** Why a Workflow does not continue, and which of its steps says so. Pure. */
import { allNodes, failedNode, type GraphNode } from "../graph/pipelinesGraph";
import { hasFailed, workflowState, type WorkflowRow } from "./workflows";

export type WorkflowWhy =
  | { kind: "failed"; node: GraphNode | undefined; message: string }
  /** It was asked to suspend: nothing new starts. */
  | { kind: "suspended" }
  /** Steps that wait for a person. */
  | { kind: "paused"; nodes: GraphNode[] }
  /** A step whose pod cannot start, or that waits for a lock. */
  | { kind: "waiting"; node: GraphNode; message: string }
  /** Nothing has started yet, and the Workflow says why. */
  | { kind: "pending"; message: string }
  | { kind: "stopping" };

/** Undefined while it is well. */
export function workflowWhy(row: WorkflowRow, nodes: GraphNode[]): WorkflowWhy | undefined {
  const state = workflowState(row);
  if (hasFailed(state)) {
    const node = failedNode(nodes);
    return { kind: "failed", node, message: node?.record?.message || row.message };
  }
  if (state === "stopping") return { kind: "stopping" };
  if (state === "suspended") return { kind: "suspended" };
  if (state === "succeeded") return undefined;
  const leaves = allNodes(nodes).filter((node) => node.children.length === 0);
  const paused = leaves.filter((node) => node.kind === "suspend" && node.state === "running");
  if (paused.length > 0) return { kind: "paused", nodes: paused };
  const waiting = leaves.find((node) => node.state === "pending" && (node.record?.message ?? "") !== "");
  if (waiting !== undefined) return { kind: "waiting", node: waiting, message: waiting.record?.message ?? "" };
  return row.message === "" ? undefined : { kind: "pending", message: row.message };
}

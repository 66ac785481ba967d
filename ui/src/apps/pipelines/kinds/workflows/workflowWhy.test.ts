import { expect, test } from "vitest";
import { FAILED, LOCKED, NEW, PAUSED, REFUSED, RUNNING, STOPPING, SUCCEEDED, SUSPENDED, WAITING } from "../../samples/workflows";
import type { Workflow } from "../../../../kinds/generated";
import { workflowGraph } from "./workflowNodes";
import { workflowWhy } from "./workflowWhy";
import { rowOf } from "./workflows";

const why = (workflow: Workflow) => {
  const found = workflowWhy(rowOf(workflow), workflowGraph(workflow));
  if (found === undefined) return undefined;
  const nodes = "nodes" in found ? found.nodes : "node" in found && found.node !== undefined ? [found.node] : [];
  return [found.kind, nodes.map((node) => node.label), "message" in found ? found.message : ""];
};

test.each<[Workflow, unknown]>([
  [SUCCEEDED, undefined],
  [RUNNING, undefined],
  [NEW, undefined],
  [FAILED, ["failed", ["fit"], "Error (exit code 1)"]],
  [REFUSED, ["failed", [], "the template 'work' does not exist"]],
  [WAITING, ["waiting", ["load"], "Unschedulable: 0/1 nodes are available: 1 Insufficient cpu."]],
  [PAUSED, ["paused", ["approve"], ""]],
  [SUSPENDED, ["suspended", [], ""]],
  [STOPPING, ["stopping", [], ""]],
  [LOCKED, ["pending", [], "Waiting for ml/Mutex/disk lock. Lock status: 0/1"]],
])("why a Workflow does not continue %#", (workflow, expected) => {
  expect(why(workflow)).toEqual(expected);
});

import { expect, test, vi } from "vitest";
import { RUNNING, IR } from "../../gallery/pipelinesSamples";
import { runGraph, type GraphNode } from "../../kinds/pipelinesGraph";
import { readSpec } from "../../kinds/pipelinesSpec";
import { recordsOf } from "../../kinds/pipelinesTasks";
import { flowNode, indexOf, refreshed, unchanged } from "./flowNodes";
import { layoutGraph } from "./layout";
import { outlineOf } from "./layoutElsewhere";
import { shownCount } from "./useLayout";

const graph = (): GraphNode[] => runGraph(readSpec(IR)?.steps ?? [], recordsOf(RUNNING), false);
const GROUP = "root.exit-handler-1";
const OPEN = new Set([GROUP]);
const handlers = { onToggle: vi.fn(), onChoose: vi.fn(), onArtifact: vi.fn() };
const flowNodes = (nodes: GraphNode[], chosen = "") =>
  layoutGraph(nodes.map(outlineOf), { open: OPEN, hasArtifacts: true }).nodes.map((one) => flowNode(refreshed(one, indexOf(nodes)), one.id === chosen, handlers));

test("a graph is laid out from its outline as from itself", () => {
  const options = { open: OPEN, hasArtifacts: true };
  const places = (nodes: GraphNode[]) => layoutGraph(nodes, options).nodes.map(({ id, kind, x, y, width, height }) => [id, kind, x, y, width, height]);

  expect(places(graph().map(outlineOf))).toEqual(places(graph()));
});

test("what is drawn is as the run is now, not as it was when it was laid out", () => {
  const nodes = graph();
  const made = flowNodes(nodes).find((one) => one.data.placed.artifact?.artifact !== undefined);

  expect(made?.data.placed.artifact?.artifact?.artifact_id).toBeTruthy();
  expect(flowNodes(nodes).find((one) => one.id === GROUP)?.data.placed.node).toBe(nodes[0]);
});

test("of a run that is read again only the steps that have changed are other objects", () => {
  const before = flowNodes(graph());
  const again = graph();
  const changed = again[0]?.children[0];
  if (changed !== undefined) changed.state = "failed";
  const after = flowNodes(again).map((one, place) => unchanged(before[place], one));

  expect(after.filter((one, place) => one !== before[place] && one.type !== "mark").map((one) => one.id)).toEqual([changed?.id]);
});

test("a step that is chosen is drawn again", () => {
  const before = flowNodes(graph());
  const after = flowNodes(graph(), GROUP).map((one, place) => unchanged(before[place], one));

  expect(after.filter((one, place) => one !== before[place]).map((one) => one.id)).toEqual([GROUP]);
});

test("nodes in folded groups are not counted", () => {
  const nodes = graph();

  expect(shownCount(nodes, new Set())).toBe(nodes.length);
  expect(shownCount(nodes, OPEN)).toBe(nodes.length + (nodes[0]?.children.length ?? 0));
});

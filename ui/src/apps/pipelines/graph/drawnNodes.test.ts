import { expect, test } from "vitest";
import { RUNNING, IR } from "../samples/pipelines";
import { runGraph, type GraphNode } from "../kinds/graph/pipelinesGraph";
import { readSpec } from "../kinds/graph/pipelinesSpec";
import { recordsOf } from "../kinds/graph/pipelinesTasks";
import { indexOf, refreshed, unchanged } from "./drawnNodes";
import { layoutGraph } from "./layout";
import { outlineOf } from "./layoutElsewhere";
import { shownCount } from "./useLayout";

const graph = (): GraphNode[] => runGraph(readSpec(IR)?.steps ?? [], recordsOf(RUNNING), false);
const GROUP = "root.exit-handler-1";
const OPEN = new Set([GROUP]);
const drawnNodes = (nodes: GraphNode[], chosen = "") =>
  layoutGraph(nodes.map(outlineOf), { open: OPEN, hasArtifacts: true }).nodes.map((one) => ({ placed: refreshed(one, indexOf(nodes)), isChosen: one.id === chosen }));

test("a graph is laid out from its outline as from itself", () => {
  const options = { open: OPEN, hasArtifacts: true };
  const places = (nodes: GraphNode[]) => layoutGraph(nodes, options).nodes.map(({ id, kind, x, y, width, height }) => [id, kind, x, y, width, height]);

  expect(places(graph().map(outlineOf))).toEqual(places(graph()));
});

test("what is drawn is as the run is now, not as it was when it was laid out", () => {
  const nodes = graph();
  const made = drawnNodes(nodes).find((one) => one.placed.artifact?.artifact !== undefined);

  expect(made?.placed.artifact?.artifact?.artifact_id).toBeTruthy();
  expect(drawnNodes(nodes).find((one) => one.placed.id === GROUP)?.placed.node).toBe(nodes[0]);
});

test("of a run that is read again only the steps that have changed are other objects", () => {
  const before = drawnNodes(graph());
  const again = graph();
  const changed = again[0]?.children[0];
  if (changed !== undefined) changed.state = "failed";
  const after = drawnNodes(again).map((one, place) => unchanged(before[place], one));

  expect(after.filter((one, place) => one !== before[place] && one.placed.kind !== "mark").map((one) => one.placed.id)).toEqual([changed?.id]);
});

test("a step that is chosen is drawn again", () => {
  const before = drawnNodes(graph());
  const after = drawnNodes(graph(), GROUP).map((one, place) => unchanged(before[place], one));

  expect(after.filter((one, place) => one !== before[place]).map((one) => one.placed.id)).toEqual([GROUP]);
});

test("nodes in folded groups are not counted", () => {
  const nodes = graph();

  expect(shownCount(nodes, new Set())).toBe(nodes.length);
  expect(shownCount(nodes, OPEN)).toBe(nodes.length + (nodes[0]?.children.length ?? 0));
});

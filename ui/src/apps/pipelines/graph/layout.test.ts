import { expect, test } from "vitest";
import { IR, RUNNING, SUCCEEDED, wideRun } from "../samples/pipelines";
import type { Run } from "../kinds/pipelines";
import { initiallyOpen, runGraph, staticGraph, type GraphNode } from "../kinds/graph/pipelinesGraph";
import { readSpec } from "../kinds/graph/pipelinesSpec";
import { recordsOf } from "../kinds/graph/pipelinesTasks";
import { layoutGraph, type PlacedNode } from "./layout";

const graphOf = (run: Run): GraphNode[] => runGraph(readSpec(IR)?.steps ?? [], recordsOf(run), run.state === "SUCCEEDED");

function found<T extends { id: string }>(all: T[], id: string): T {
  const one = all.find((each) => each.id === id);
  if (one === undefined) throw new Error(`there is no ${id}`);
  return one;
}

const overlap = (a: PlacedNode, b: PlacedNode): boolean => a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;

test("what depends on a step is below it, and siblings do not overlap", () => {
  const nodes = graphOf(SUCCEEDED);
  const placed = layoutGraph(nodes, { open: initiallyOpen(nodes), hasArtifacts: true });

  for (const { from, to } of placed.edges) {
    const above = found(placed.nodes, from);
    expect(found(placed.nodes, to).y).toBeGreaterThanOrEqual(above.y + above.height);
  }
  const leaves = placed.nodes.filter((node) => node.kind !== "box");
  expect(leaves.filter((a, index) => leaves.slice(index + 1).some((b) => overlap(a, b)))).toEqual([]);
});

test("an edge goes around the nodes between its ends", () => {
  const placed = layoutGraph(graphOf(SUCCEEDED), { open: new Set(["root.exit-handler-1"]), hasArtifacts: true });
  const long = found(placed.edges, "root.exit-handler-1.prepare/data->root.exit-handler-1.evaluate");
  const loop = found(placed.nodes, "root.exit-handler-1.for-loop-2");

  expect(long.points.filter((point) => point.x > loop.x && point.x < loop.x + loop.width && point.y > loop.y && point.y < loop.y + loop.height)).toEqual([]);
});

test("what is in a group is inside of its box", () => {
  const nodes = graphOf(SUCCEEDED);
  const placed = layoutGraph(nodes, { open: initiallyOpen(nodes), hasArtifacts: true }).nodes;
  const group = found(placed, "root.exit-handler-1");

  for (const node of placed.filter((one) => one.id.startsWith("root.exit-handler-1."))) {
    expect([node.x >= group.x, node.y >= group.y, node.x + node.width <= group.x + group.width, node.y + node.height <= group.y + group.height]).toEqual([true, true, true, true]);
  }
});

test("folded groups are one box", () => {
  const nodes = graphOf(RUNNING);
  expect(layoutGraph(nodes, { open: new Set(), hasArtifacts: true }).nodes.map((node) => [node.id, node.kind])).toEqual([
    ["root.exit-handler-1", "step"],
    ["root.notify", "step"],
  ]);
});

test("artifacts stand between the steps that make and read them, or are left out", () => {
  const nodes = staticGraph(readSpec(IR)?.steps ?? []);
  const open = new Set(["root.exit-handler-1"]);
  const edges = layoutGraph(nodes, { open, hasArtifacts: true }).edges.map((edge) => edge.id);

  expect(edges).toContain("root.exit-handler-1.prepare->root.exit-handler-1.prepare/data");
  expect(edges).toContain("root.exit-handler-1.prepare/data->root.exit-handler-1.evaluate");
  expect(layoutGraph(nodes, { open, hasArtifacts: false }).nodes.filter((node) => node.kind === "mark")).toEqual([]);
});

test("a loop of a thousand iterations is a grid, and is laid out at once", () => {
  const nodes = graphOf(wideRun(1000));
  const started = performance.now();
  const placed = layoutGraph(nodes, { open: new Set(["root.exit-handler-1", "root.exit-handler-1.for-loop-2", "root.exit-handler-1.for-loop-2.7"]), hasArtifacts: true });

  expect(performance.now() - started).toBeLessThan(20_000);
  expect(placed.nodes.filter((node) => node.node.kind === "iteration")).toHaveLength(1000);
  expect(placed.width).toBeLessThan(3_000);
});

test("a thousand steps in a DAG are laid out within seconds", () => {
  const tasks = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`t${index}`, { dependentTasks: index === 0 ? [] : [`t${Math.floor((index - 1) / 3)}`] }]));
  const nodes = staticGraph(readSpec({ root: { dag: { tasks } } })?.steps ?? []);
  const started = performance.now();

  expect(layoutGraph(nodes, { open: new Set(), hasArtifacts: true }).nodes).toHaveLength(1000);
  expect(performance.now() - started).toBeLessThan(60_000);
});

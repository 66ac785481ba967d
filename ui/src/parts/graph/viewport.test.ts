import { expect, test } from "vitest";
import type { PlacedGraph, PlacedNode } from "./layout";
import { firstView } from "./viewport";

const step = (x: number, y: number, state: string): PlacedNode => ({ id: `${x}/${y}`, kind: "step", node: { state }, x, y, width: 200, height: 40, depth: 0 }) as unknown as PlacedNode;
const graph = (width: number, height: number, nodes: PlacedNode[] = []): PlacedGraph => ({ nodes, edges: [], width, height });
const PLACE = { width: 1000, height: 500 };

test("a small graph is in the middle, not enlarged", () => {
  expect(firstView(graph(200, 100), PLACE)).toEqual({ zoom: 1, x: 400, y: 200 });
});

test("a larger one is made smaller as far as it can be read", () => {
  expect(firstView(graph(1000, 565), PLACE).zoom).toBeCloseTo(0.8);
  expect(firstView(graph(5000, 5000), PLACE).zoom).toBe(0.55);
});

test("of a long one the beginning is shown, or the step that failed or runs", () => {
  expect(firstView(graph(500, 4000), PLACE).y).toBe(24);
  expect(firstView(graph(500, 4000, [step(0, 2000, "failed"), step(0, 10, "running")]), PLACE).y).toBe(250 - 2020 * 0.55);
  expect(firstView(graph(500, 4000, [step(0, 3990, "running")]), PLACE).y).toBe(500 - 24 - 4000 * 0.55);
});

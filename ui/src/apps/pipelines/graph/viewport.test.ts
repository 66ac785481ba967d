import { expect, test } from "vitest";
import type { PlacedGraph, PlacedNode } from "./layout";
import { firstView, resizedView, wholeView } from "./viewport";

const step = (x: number, y: number, state: string): PlacedNode => ({ id: `${x}/${y}`, kind: "step", node: { state }, x, y, width: 200, height: 40, depth: 0 }) as unknown as PlacedNode;
const graph = (width: number, height: number, nodes: PlacedNode[] = []): PlacedGraph => ({ nodes, edges: [], width, height });
const PLACE = { width: 1000, height: 500 };

test("a small graph is in the middle, not enlarged", () => {
  expect(firstView(graph(200, 100), PLACE)).toEqual({ zoom: 1, x: 400, y: 200 });
});

test("a larger one is made smaller as far as it can be read", () => {
  expect(firstView(graph(1000, 535), PLACE).zoom).toBeCloseTo(0.8);
  expect(firstView(graph(5000, 5000), PLACE).zoom).toBe(0.55);
});

test("of a long one the beginning is shown, or the step that failed or runs", () => {
  expect(firstView(graph(500, 4000), PLACE).y).toBe(24);
  expect(firstView(graph(500, 4000, [step(0, 2000, "failed"), step(0, 10, "running")]), PLACE).y).toBe(250 - 2020 * 0.55);
  expect(firstView(graph(500, 4000, [step(0, 3990, "running")]), PLACE).y).toBe(500 - 48 - 4000 * 0.55);
});

test("all of a large graph is in the middle, however small", () => {
  expect(wholeView(graph(9520, 1000), PLACE, 0.05)).toEqual({ zoom: 0.1, x: 24, y: 200 });
  expect(wholeView(graph(100_000, 100), PLACE, 0.05).zoom).toBe(0.05);
});

test("a place that gets smaller keeps its middle, or shows the chosen step", () => {
  const view = { zoom: 1, x: 0, y: 0 };
  const half = { width: 500, height: 500 };

  expect(resizedView(view, PLACE, half, undefined)).toEqual({ zoom: 1, x: -250, y: 0 });
  expect(resizedView(view, PLACE, half, step(400, 100, "running"))).toEqual({ zoom: 1, x: -250, y: 0 });
  expect(resizedView(view, PLACE, half, step(0, 100, "running"))).toEqual({ zoom: 1, x: 150, y: 130 });
});

test("of a wide one without a step that runs the first is in the middle", () => {
  expect(firstView(graph(8000, 300, [step(6000, 200, "none"), step(5000, 0, "none")]), PLACE).x).toBe(500 - 5100 * 0.55);
});

test("the controls at the bottom cover nothing", () => {
  for (const view of [firstView(graph(200, 420), PLACE), wholeView(graph(200, 420), PLACE, 0.05)]) {
    expect(view.zoom).toBe(1);
    expect(view.y + 420).toBe(500 - 48);
  }
});

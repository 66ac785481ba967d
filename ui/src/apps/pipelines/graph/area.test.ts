import { expect, test } from "vitest";
import { areaKey, areaOf, areaOfNode, edgeTiles, nodeAt, nodeTiles, touches } from "./area";
import type { DrawnNode } from "./drawnNodes";
import type { PlacedEdge, PlacedNode } from "./layout";

const PLACE = { width: 1000, height: 500 };
const drawn = (id: string, x: number, y: number, more: Partial<PlacedNode> = {}): DrawnNode =>
  ({ placed: { id, kind: "step", x, y, width: 200, height: 40, depth: 0, ...more }, isChosen: false }) as unknown as DrawnNode;
const edge = (id: string, ...points: [number, number][]): PlacedEdge => ({ id, from: "a", to: "b", points: points.map(([x, y]) => ({ x, y })), depth: 0 });

test.each([
  [0, 0, 1],
  [-950, 35, 0.55],
  [333, -2000, 1.6],
  [12, 7, 0.05],
])("the area has all that is in the window, at %d/%d and a zoom of %d", (x, y, zoom) => {
  const area = areaOf(areaKey([x, y, zoom], PLACE));

  expect(area.left).toBeLessThanOrEqual(-x / zoom);
  expect(area.top).toBeLessThanOrEqual(-y / zoom);
  expect(area.right).toBeGreaterThanOrEqual((PLACE.width - x) / zoom);
  expect(area.bottom).toBeGreaterThanOrEqual((PLACE.height - y) / zoom);
});

test("a small movement changes nothing of what is drawn, a large one does", () => {
  expect(areaKey([-10, -10, 1], PLACE)).toBe(areaKey([-60, -40, 1.01], PLACE));
  expect(areaKey([-10, -10, 1], PLACE)).not.toBe(areaKey([-400, -10, 1], PLACE));
});

test("nodes outside of the window are not in its area", () => {
  const area = areaOf(areaKey([0, 0, 1], PLACE));

  expect(touches(areaOfNode(drawn("in", 900, 400).placed), area)).toBe(true);
  expect(touches(areaOfNode(drawn("out", 3000, 400).placed), area)).toBe(false);
});

test("edges that begin near each other are one tile, whose area has all of them", () => {
  const tiles = edgeTiles([edge("a", [0, 0], [100, 50]), edge("b", [10, 10], [2000, 90]), edge("c", [5000, 0], [5000, 10])]);

  expect(tiles.map((tile) => tile.edges.map((one) => one.id))).toEqual([["a", "b"], ["c"]]);
  expect(tiles[0]?.area).toEqual({ left: 0, top: 0, right: 2000, bottom: 90 });
});

test("nodes are in the tile of their corner", () => {
  expect([...nodeTiles([drawn("a", 0, 0), drawn("b", 900, 0), drawn("c", 300, 20)]).values()].map((tile) => tile.map(({ placed }) => placed.id))).toEqual([["a", "c"], ["b"]]);
});

test("a press is on the innermost step, never on an artifact", () => {
  const nodes = [drawn("box", 0, 0, { kind: "box", width: 500, height: 500 }), drawn("step", 100, 100, { depth: 1 }), drawn("mark", 100, 200, { kind: "mark", depth: 1 })];

  expect(nodeAt(nodes, { x: 150, y: 120 })?.id).toBe("step");
  expect(nodeAt(nodes, { x: 150, y: 220 })?.id).toBe("box");
  expect(nodeAt(nodes, { x: 900, y: 900 })).toBeUndefined();
});

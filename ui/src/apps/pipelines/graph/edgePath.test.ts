import { expect, test } from "vitest";
import { arrowPath } from "./edgePath";

test("the head of an edge points the way in which the edge arrives, with its tip at the end", () => {
  expect(arrowPath([{ x: 0, y: 0 }, { x: 10, y: 20 }, { x: 10, y: 50 }])).toBe("M10,50L6.5,43L13.5,43Z");
  expect(arrowPath([{ x: 0, y: 5 }, { x: 30, y: 5 }])).toBe("M30,5L23,8.5L23,1.5Z");
});

test.each([[[]], [[{ x: 1, y: 1 }]], [[{ x: 1, y: 1 }, { x: 1, y: 1 }]]])("an edge without a direction has no head", (points) => {
  expect(arrowPath(points)).toBe("");
});

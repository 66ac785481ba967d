import { expect, it } from "vitest";
import { groupByRole, neighbour } from "./cells";

/** Two lines of three cells, then a line of one. */
const PLACES = [0, 1, 2, 3, 4, 5, 6].map((index) => ({ left: (index % 3) * 20, top: Math.floor(index / 3) * 20 }));

it.each([
  [0, "ArrowRight", 1],
  [0, "ArrowLeft", undefined],
  [1, "ArrowDown", 4],
  [5, "ArrowDown", 6],
  [6, "ArrowDown", undefined],
  [6, "ArrowUp", 3],
  [4, "Home", 0],
  [4, "End", 6],
  [4, "a", undefined],
  [-1, "ArrowRight", undefined],
])("goes from %i by %s", (current, key, next) => expect(neighbour(PLACES, current, key)).toBe(next));

it("keeps the order of roles and of their members", () =>
  expect(groupByRole([{ role: "PS" }, { role: "Worker" }, { role: "PS" }])).toEqual([
    ["PS", [{ role: "PS" }, { role: "PS" }]],
    ["Worker", [{ role: "Worker" }]],
  ]));

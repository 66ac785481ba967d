import { expect, test } from "vitest";
import { moveIntoSight } from "./inSight";

const at = (left: number, width: number, scrollLeft = 0): HTMLElement => {
  const element = document.createElement("div");
  element.getBoundingClientRect = () => new DOMRect(left, 0, width, 20);
  Object.defineProperty(element, "scrollLeft", { value: scrollLeft, writable: true });
  return element;
};

test.each([
  ["one in sight stays", 20, 40, 0],
  ["one beyond the end comes to the middle", 300, 40, 270],
  ["one before the beginning comes to the middle", -50, 40, -80],
])("%s", (_, left, width, scrolled) => {
  const row = at(0, 100);
  moveIntoSight(row, at(left, width));

  expect(row.scrollLeft).toBe(scrolled);
});

import { expect, test } from "vitest";
import { amount } from "../../../gallery/samples";
import { QUEUES, timeline } from "../samples";
import type { QueueResource } from "../../../kinds/generated";
import { LABEL_WIDTH, layout, seriesOf, spanOf, ticks } from "./ganttLayout";
import { scaleOf, shapeOf, waitingCount } from "./scale";

const resource = (change: Partial<QueueResource>): QueueResource => ({
  resource: "cpu",
  allocated: amount(0),
  deserved: null,
  guarantee: null,
  capability: null,
  lent: amount(0),
  borrowed: amount(0),
  ...change,
});

test("all bars have the scale of the largest amount of their resource", () => {
  expect([scaleOf(QUEUES.queues, [], "cpu"), scaleOf(QUEUES.queues, [], "memory"), scaleOf(QUEUES.queues, [], "none"), scaleOf([], [], "cpu")]).toEqual([16, 64, 0, 0]);
});

test("a bar is full when the nodes are", () => {
  expect([scaleOf([], QUEUES.nodes, "cpu"), scaleOf(QUEUES.queues, QUEUES.nodes, "cpu")]).toEqual([32, 32]);
});

test("what is borrowed is a part of what is used", () => {
  expect(shapeOf(resource({ allocated: amount(12), borrowed: amount(4), deserved: amount(8), capability: amount(16) }), 16)).toEqual({
    used: 0.5,
    borrowed: 0.25,
    lent: 0,
    deserved: 0.5,
    guarantee: undefined,
    limit: 1,
  });
});

test("nothing is drawn beyond the bar, or of nothing", () => {
  expect(shapeOf(resource({ allocated: amount(99) }), 16).used).toBe(1);
  expect(shapeOf(resource({ allocated: amount(99) }), 0).used).toBe(0);
});

test("those that one may not see are counted among the waiting", () => {
  expect(waitingCount(QUEUES.queues)).toBe(5);
});

test("time runs from the labels to the right edge", () => {
  const view = timeline(3);
  const { start, end } = spanOf(view);
  const at = (time: number) => layout(view, 1_000).x(new Date(time).toISOString());

  expect([start, (start + end) / 2, end].map((time) => Math.round(at(time)))).toEqual([LABEL_WIDTH, (LABEL_WIDTH + 1_000) / 2, 1_000]);
  expect([at(0), at(end + 86_400_000)]).toEqual([LABEL_WIDTH, 1_000]);
});

test("the chart shows the blocks and now with a margin, within what the view covers", () => {
  const view = timeline(3);
  const covered = [Date.parse(view.start), Date.parse(view.end)];
  const { start, end } = spanOf(view);
  const empty = spanOf({ ...view, blocks: [] });

  expect(start >= (covered[0] ?? 0) && start < Math.min(...view.blocks.map((block) => Date.parse(block.start)))).toBe(true);
  expect(end <= (covered[1] ?? 0) && end > Math.max(...view.blocks.map((block) => Date.parse(block.end)))).toBe(true);
  expect(empty.end - empty.start).toBe(600_000);
});

test("nodes are below each other, lanes within their node", () => {
  const view = timeline(24);
  const places = layout(view, 1_000);

  for (const [index, band] of places.bands.entries()) {
    const below = places.bands[index + 1];
    if (below !== undefined) expect(below.top).toBeGreaterThan(band.top + band.height);
    const tops = view.blocks.filter((block) => block.node === band.name).map(places.top);
    expect(tops).toHaveLength(2);
    for (const top of tops) expect(top >= band.top && top < band.top + band.height).toBe(true);
  }
  expect(places.height).toBeGreaterThan((places.bands.at(-1)?.top ?? 0) + (places.bands.at(-1)?.height ?? 0));
});

test.each([
  ["2026-11-17T10:07:00Z", "2026-11-17T14:07:00Z", ["10:30", "11:00", "11:30", "12:00", "12:30", "13:00", "13:30", "14:00"]],
  ["2026-11-17T10:00:30Z", "2026-11-17T10:03:30Z", ["10:01", "10:02", "10:03"]],
])("the marks between %s and %s are round times", (start, end, marks) => {
  expect(ticks({ start: Date.parse(start), end: Date.parse(end) }, 8).map((time) => time.toISOString().slice(11, 16))).toEqual(marks);
});

test("a gang keeps its colour", () => {
  expect(seriesOf("ml/bert")).toBe(seriesOf("ml/bert"));
  for (const id of ["a", "ml/bert", ""]) expect(seriesOf(id) >= 1 && seriesOf(id) <= 7).toBe(true);
});

import { expect, test } from "vitest";
import { percentText, seriesOf } from "./usage";

const at = (label: string, timestamp: number, value: number) => ({ label, timestamp, value });

test("points become a series for each pod, without a namespace that all have", () => {
  expect(seriesOf([at("ml/a", 1, 0.5), at("ml/a", 6, 0.7), at("ml/b", 6, 1)])).toEqual([
    { id: "ml/a", label: "a", x: [1, 6], y: [0.5, 0.7] },
    { id: "ml/b", label: "b", x: [6], y: [1] },
  ]);
});

test("pods of several namespaces keep theirs; nodes have none", () => {
  expect(seriesOf([at("ml/a", 1, 0), at("vision/a", 1, 0)]).map((one) => one.label)).toEqual(["ml/a", "vision/a"]);
  expect(seriesOf([at("node-1", 1, 0), at("node-2", 1, 0)]).map((one) => one.label)).toEqual(["node-1", "node-2"]);
  expect(seriesOf([])).toEqual([]);
});

test("parts are written in percent", () => {
  expect([0, 0.004, 0.0712, 0.256, 1, null].map(percentText)).toEqual(["0 %", "0.4 %", "7 %", "26 %", "100 %", "–"]);
});

import { expect, it } from "vitest";
import { sparkPath } from "./Sparkline";

it.each([
  [[1, 1], "M0.0 5.0L10.0 5.0"],
  [[0, 1], "M0.0 9.0L10.0 1.0"],
])("draws %j", (values, path) => expect(sparkPath(values, 10, 10)).toBe(path));

import { expect, test } from "vitest";
import { eventItem, newestWarning } from "./events";

const BASE = { metadata: { uid: "1", creationTimestamp: "2026-01-01T00:00:00Z" }, involvedObject: {}, reason: "Started", message: "m" };

test.each([
  [{ ...BASE }, 1, "2026-01-01T00:00:00Z"],
  [{ ...BASE, count: 3, lastTimestamp: "2026-01-02T00:00:00Z" }, 3, "2026-01-02T00:00:00Z"],
  [{ ...BASE, eventTime: "2026-01-03T00:00:00Z", lastTimestamp: null }, 1, "2026-01-03T00:00:00Z"],
  [{ ...BASE, count: 1, series: { count: 9, lastObservedTime: "2026-01-04T00:00:00Z" } }, 9, "2026-01-04T00:00:00Z"],
])("count and time of an event", (event, count, last) => {
  expect(eventItem(event)).toEqual({ type: "Normal", reason: "Started", message: "m", count, last });
});

test("the newest warning that says something", () => {
  const warning = (message: string, lastTimestamp: string) => ({ ...BASE, type: "Warning", message, lastTimestamp });
  const found = newestWarning([
    warning("Reissued from pod/lab-0: Failed to pull image: unknown", "2026-01-02T00:00:00Z"),
    warning("Reissued from pod/lab-0: Error: ErrImagePull", "2026-01-03T00:00:00Z"),
    warning("older", "2026-01-01T00:00:00Z"),
    { ...BASE, message: "normal", lastTimestamp: "2026-01-09T00:00:00Z" },
  ]);
  expect(found).toBe("Failed to pull image: unknown");
  expect(newestWarning([])).toBeUndefined();
});

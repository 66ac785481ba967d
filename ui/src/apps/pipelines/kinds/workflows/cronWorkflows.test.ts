import { expect, test } from "vitest";
import { ACTIVE_CRON, STOPPED_CRON, SUSPENDED_CRON } from "../../samples/workflows";
import { countsOf, cronPill, cronState, lastScheduled, schedulesOf } from "./cronWorkflows";

test.each([
  [ACTIVE_CRON, "active", "running", ["0 3 * * *"], { active: 1, succeeded: 28, failed: 2 }],
  [SUSPENDED_CRON, "suspended", "stopped", ["0 3 * * 1", "0 15 * * 5"], { active: 0, succeeded: 4, failed: 0 }],
  [STOPPED_CRON, "stopped", "stopped", ["*/5 * * * *"], { active: 0, succeeded: 12, failed: 1 }],
] as const)("a schedule %#", (cron, state, pill, schedules, counts) => {
  expect([cronState(cron), cronPill(cronState(cron)), schedulesOf(cron), countsOf(cron)]).toEqual([state, pill, schedules, counts]);
});

test("one that has started nothing yet has no last start", () => {
  expect(lastScheduled(SUSPENDED_CRON)).toBeUndefined();
  expect(lastScheduled(ACTIVE_CRON)).toBeDefined();
});

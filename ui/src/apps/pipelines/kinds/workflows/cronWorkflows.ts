/** CronWorkflows: schedules that create Workflows. Pure. */
import type { State } from "../../../../parts/pill/Pill";
import type { CronWorkflow } from "../../../../kinds/generated";
import { dig, list, text } from "../../../../kinds/json";

export type CronState = "active" | "suspended" | "stopped";

const PILLS: Record<CronState, State> = { active: "running", suspended: "stopped", stopped: "stopped" };

export const cronPill = (state: CronState): State => PILLS[state];

/** A schedule whose `stopStrategy` has ended it stays stopped. */
export function cronState(cron: CronWorkflow): CronState {
  if (dig(cron.status, "phase") === "Stopped") return "stopped";
  return dig(cron.spec, "suspend") === true ? "suspended" : "active";
}

/** The schedules; the singular field is the older one. */
export function schedulesOf(cron: CronWorkflow): string[] {
  const many = list(dig(cron.spec, "schedules")).map(text);
  return many.length > 0 ? many : [text(dig(cron.spec, "schedule"))].filter((one) => one !== "");
}

export const lastScheduled = (cron: CronWorkflow): string | undefined => text(dig(cron.status, "lastScheduledTime")) || undefined;

const number = (value: unknown): number => (typeof value === "number" ? value : 0);

/** How its Workflows have ended, and how many run. */
export const countsOf = (cron: CronWorkflow): { active: number; succeeded: number; failed: number } => ({
  active: list(dig(cron.status, "active")).length,
  succeeded: number(dig(cron.status, "succeeded")),
  failed: number(dig(cron.status, "failed")),
});

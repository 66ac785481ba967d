/** States of jobs as one of the six states of the dashboard, and where the page of a job is. Pure. */
import type { JobRow } from "../../../kinds/generated";
import type { State } from "../../../parts/pill/Pill";

export const JOB_STATES: Record<JobRow["state"], State> = {
  Pending: "waiting",
  Waiting: "waiting",
  Running: "running",
  Restarting: "waiting",
  Suspended: "stopped",
  Succeeded: "succeeded",
  Failed: "failed",
  Terminating: "stopped",
  Unknown: "unknown",
};

/** The page of a job of any kind. */
export function jobPath(job: { kind: string; namespace: string; name: string }): string {
  return `/jobs/${job.kind}/${job.namespace}/${job.name}`;
}

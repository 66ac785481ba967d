/** What the words of the server's views mean as one of the six states. */
import type { State } from "../parts/pill/Pill";
import type { JobRow } from "./generated";

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

/** Phases of notebooks, TensorBoards and volumes. */
export const PHASES: Record<string, State> = {
  ready: "running",
  waiting: "waiting",
  warning: "failed",
  error: "failed",
  unavailable: "waiting",
  uninitialized: "waiting",
  terminating: "stopped",
  stopped: "stopped",
};

export const phaseState = (phase: string): State => PHASES[phase] ?? "unknown";

/** The page of an object of any kind. */
export function jobPath(job: { kind: string; namespace: string; name: string }): string {
  return `/jobs/${job.kind}/${job.namespace}/${job.name}`;
}

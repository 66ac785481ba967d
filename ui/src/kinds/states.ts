/** What the words of the server's views mean as one of the six states. */
import type { State } from "../parts/pill/Pill";

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

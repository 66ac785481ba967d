import type { ReactNode } from "react";
import type { State } from "../pill/Pill";
import { ReplicaGrid, type Replica } from "./ReplicaGrid";

export const title = "Replica grid";

const WORDS: Record<State, string> = { running: "Running", succeeded: "Succeeded", waiting: "Pending", failed: "Failed", stopped: "Absent", unknown: "Unknown" };

const replica = (role: string, index: number, state: State): Replica => ({
  role,
  name: `${role.toLowerCase()}-${index}`,
  state,
  word: WORDS[state],
  node: state === "waiting" ? "" : `node-${index % 7}`,
  restarts: state === "failed" ? 3 : 0,
  exitCode: state === "failed" ? 137 : null,
  why: state === "failed" ? "OOMKilled: the container used more than its limit of 512Mi" : undefined,
  cpuCores: state === "running" ? 0.93 : null,
  memoryBytes: state === "running" ? 412_000_000 : null,
  cpu: state === "running" ? [0.2, 0.8, 0.9, 0.95, 0.9, 0.93] : [],
  memory: state === "running" ? [1, 2, 3, 4, 4, 4] : [],
});

const states: State[] = ["running", "running", "running", "succeeded", "waiting", "failed", "stopped", "unknown"];

export const stories: Record<string, () => ReactNode> = {
  few: () => <ReplicaGrid replicas={[replica("Master", 0, "running"), replica("Worker", 0, "running"), replica("Worker", 1, "failed")]} onOpen={() => undefined} />,
  "every state": () => <ReplicaGrid replicas={states.map((state, index) => replica("Worker", index, state))} onOpen={() => undefined} />,
  "a thousand": () => (
    <ReplicaGrid replicas={Array.from({ length: 1_000 }, (_, index) => replica(index < 40 ? "PS" : "Worker", index, states[(index * 7) % states.length] ?? "running"))} onOpen={() => undefined} />
  ),
};

import type { ReactNode } from "react";
import { Cached } from "../../../../gallery/Cached";
import { Followed } from "../../../../gallery/Followed";
import type { CurvesView, JobRow, Series } from "../../../../kinds/generated";
import { JobComparison } from "./JobComparison";

export const title = "Training jobs compared";

const NOW = Date.now();
const ago = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString();

const row = (name: string, change: Partial<JobRow> = {}): JobRow => ({
  kind: "PyTorchJob",
  apiVersion: "kubeflow.org/v1",
  namespace: "ml",
  name,
  uid: name,
  framework: "PyTorch",
  state: "Succeeded",
  why: null,
  ready: 2,
  total: 2,
  roles: [],
  gang: null,
  queue: "",
  priorityClass: "",
  priority: 0,
  created: ago(4_000),
  started: ago(3_900),
  ended: ago(300),
  durationSeconds: 3_600,
  metric: null,
  restarts: 0,
  ...change,
});

const series = (name: string, rate: number, change: Partial<Series> = {}): Series => {
  const steps = Array.from({ length: 120 }, (_, index) => index * 10);
  const values = steps.map((step, index) => 2.4 * Math.exp(-step * rate) + 0.2 + 0.08 * Math.abs(Math.sin(index * 12.9898 * rate * 1_000)));
  return { name, replica: "worker-0", run: "", source: "log", x: "step", steps, values: name === "accuracy" ? values.map((value) => 1 - value / 3) : values, times: [], total: steps.length, ...change };
};

const job = (name: string, all: Series[], change: Partial<JobRow> = {}) => ({ kind: "PyTorchJob", namespace: "ml", name, series: all, row: row(name, change) });

const boards = (rate: number): Series[] => ["train", "validation"].map((run, index) => series("loss", rate * (1 - index / 3), { run, replica: "", source: "tensorboard" }));

export const THREE = [
  job("bert-large-lr-1e-4", [series("loss", 0.004), series("loss", 0.004, { replica: "worker-1" }), series("accuracy", 0.004)]),
  job("bert-large-lr-3e-4", [series("loss", 0.007), series("accuracy", 0.007)], { state: "Running", ended: null }),
  job("bert-large-lr-1e-3", boards(0.002), { state: "Failed" }),
];

const nothing = () => undefined;

/** The answers that the page of a comparison gets. */
export function Compared({ children }: { children: ReactNode }) {
  const view = ({ series: all }: (typeof THREE)[number]): CurvesView => ({ series: all, notes: [], cursor: "", readAt: ago(1) });
  return (
    <Followed values={{ jobs: { rows: THREE.map((one) => one.row) } }}>
      <Cached answers={THREE.map((one) => [["curves", one.kind, one.namespace, one.name], view(one)])}>{children}</Cached>
    </Followed>
  );
}

export const stories: Record<string, () => ReactNode> = {
  "three jobs": () => <JobComparison jobs={THREE} onLeaveOut={nothing} />,
  "eight jobs": () => <JobComparison jobs={Array.from({ length: 8 }, (_, index) => job(`sweep-${index}`, [series("loss", 0.002 + index * 0.001)]))} onLeaveOut={nothing} />,
  "nothing reported yet": () => <JobComparison jobs={THREE.map((one) => ({ ...one, series: [] }))} onLeaveOut={nothing} />,
  "a job that is gone": () => <JobComparison jobs={THREE.map((one, index) => (index === 1 ? { ...one, series: [], row: undefined } : one))} onLeaveOut={nothing} />,
};

import type { ReactNode } from "react";
import type { Live } from "../../../api/hooks";
import { failed, forbidden, live, loading } from "../../../gallery/live";
import type { ForecastView, JobRow, JobView, JobsView, ReplicaRow, Why } from "../../../kinds/generated";
import { ForecastResult } from "./new/ForecastCard";
import { JobOverview } from "./JobOverview";
import { JobListPage } from "./JobList";
import { JobWhy } from "./JobWhy";

export const title = "Training jobs";

const ago = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString();
const REASON: Why = { code: "NotEnqueueable", sentence: "resource in cluster is overused: overused cpu (cpu: 18000m asked, 2000m free)", reason: null, details: {}, fixes: [] };
const STATES: JobRow["state"][] = ["Running", "Waiting", "Failed", "Succeeded", "Suspended", "Pending", "Restarting", "Terminating", "Unknown"];

const row = (index: number, change: Partial<JobRow> = {}): JobRow => ({
  kind: index % 2 === 0 ? "PyTorchJob" : "TFJob",
  apiVersion: "kubeflow.org/v1",
  namespace: "ml",
  name: `bert-large-pretraining-${index}`,
  uid: String(index),
  framework: "PyTorch",
  state: STATES[index % STATES.length] ?? "Running",
  why: index % STATES.length === 1 ? REASON : null,
  ready: 2,
  total: 4,
  roles: [{ role: "Worker", ready: 2, failed: 0, total: 4 }],
  gang: { name: "bert", minMember: 4, phase: "Inqueue" },
  queue: "research",
  priorityClass: "",
  priority: 0,
  created: ago(index * 300 + 40),
  started: ago(index * 300 + 30),
  ended: null,
  durationSeconds: 30,
  metric: null,
  restarts: 0,
  ...change,
});

const replica = (index: number): ReplicaRow => ({
  role: "Worker",
  index,
  name: `worker-${index}`,
  pod: "",
  uid: "",
  node: "",
  phase: "Absent",
  ready: false,
  restarts: 0,
  exitCode: null,
  why: null,
  container: "pytorch",
  started: null,
  ended: null,
  usage: { cpuCores: null, memoryBytes: null },
});

const amount = (value: number) => ({ text: String(value), value });

const WAITING: JobView = {
  row: row(1, { state: "Waiting", why: REASON }),
  sentence: "Needs 18 cpu, 2 free.",
  stages: [
    { name: "created", state: "current", at: ago(90), seconds: 90 },
    { name: "admitted", state: "ahead", at: null, seconds: null },
    { name: "ended", state: "ahead", at: null, seconds: null },
  ],
  conditions: [],
  replicas: [0, 1, 2, 3].map(replica),
  gang: {
    object: { apiVersion: "scheduling.volcano.sh/v1beta1", kind: "PodGroup", namespace: "ml", name: "bert", uid: "" },
    minMember: 4,
    phase: "Pending",
    queue: "research",
    running: 0,
    succeeded: 0,
    failed: 0,
    explanation: {
      state: "Waiting",
      sentence: REASON.sentence,
      reason: null,
      notes: [],
      place: { queue: "research", position: 1, length: 3, before: [], hiddenBefore: 0 },
      needs: [{ resource: "cpu", asked: amount(18), largestPod: amount(4), free: amount(2), largestFree: amount(2), total: amount(8), isShort: true }],
      shapes: [],
      holders: [{ name: "ml/other", kind: "TFJob", pods: 3, of: 3, priority: 0, queue: "research", nodes: ["n1"] }],
      holdersEvicted: false,
      noRoom: null,
      start: null,
      summary: "Needs 18 cpu, 2 free; 6 are held by ml/other until about 14:20",
      fixes: [{ code: "FreeResources", cause: "ClusterInsufficient", subject: "cpu", text: "Ask for less cpu, use fewer replicas, or end something that holds it", command: "", link: "" }],
    },
  },
  events: [],
  related: [],
  commands: [{ action: "explain", tool: "windlass", line: "windlass explain tfjob bert -n ml" }],
  canSuspend: true,
  isSuspended: false,
};

const FAILED: JobView = {
  ...WAITING,
  gang: null,
  row: row(2, { state: "Failed", why: { code: "Error", sentence: "Error: container pytorch of bert-worker-0 ended with exit code 1: no such file: data.csv", reason: null, details: {}, fixes: [{ code: "ReadLogs", cause: "Error", subject: "", text: "The program failed: read the last lines of its log", command: "kubectl logs -n ml bert-worker-0", link: "" }] } }),
};

const forecast = (fitsNow: boolean): ForecastView => ({
  job: "ml/my-job",
  pods: 6,
  fitsNow,
  sentence: fitsNow ? "" : "Needs 16 cpu, 2 free. Would start about 14:20",
  short: fitsNow ? [] : [{ resource: "cpu", asked: amount(16), free: amount(2), short: amount(14), nodes: 1 }, { resource: "memory", asked: amount(4), free: amount(8), short: amount(0), nodes: 3 }],
  reason: null,
  evicts: false,
  nodesTotal: 3,
  nodesWithRoom: fitsNow ? 3 : 0,
  afterSeconds: fitsNow ? 0 : 600,
  at: null,
  placement: fitsNow ? { "node-1": 4, "node-2": 2 } : {},
  assumptions: [],
});

const nothing = () => undefined;
const list = (jobs: Live<Pick<JobsView, "rows">>, hasNamespace = false) => <JobListPage live={jobs as Live<JobsView>} hasNamespace={hasNamespace} />;

export const stories: Record<string, () => ReactNode> = {
  "list: every state": () => list(live({ rows: STATES.map((_, index) => row(index)) })),
  "list: many, all namespaces": () => list(live({ rows: Array.from({ length: 1_000 }, (_, index) => row(index, { state: index % 3 === 0 ? "Succeeded" : "Failed" })) }), true),
  "list: empty": () => list(live({ rows: [] })),
  "list: loading": () => list(loading()),
  "list: failed": () => list(failed({ rows: [row(0)] })),
  "list: forbidden": () => list(forbidden()),
  "waiting gang": () => <JobWhy view={WAITING} onOpenLogs={nothing} />,
  failed: () => <JobWhy view={FAILED} onOpenLogs={nothing} />,
  "overview of a waiting job": () => <JobOverview view={WAITING} onOpenLogs={nothing} />,
  "forecast: fits": () => <ForecastResult forecast={forecast(true)} />,
  "forecast: waits": () => <ForecastResult forecast={forecast(false)} />,
};

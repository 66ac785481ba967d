/** Queues and gangs as the server gives them, for stories. */
import { SHORT_OF_GPUS, ago, amount } from "../../gallery/samples";
import type { NodeRow, QueueResource, QueueRow, QueuesView, TimelineView, WaitingGang } from "../../kinds/generated";

const queueResource = (resource: string, allocated: number, deserved: number, total: number, unit = ""): QueueResource => ({
  resource,
  allocated: amount(allocated, unit),
  deserved: amount(deserved, unit),
  guarantee: null,
  capability: amount(total, unit),
  lent: amount(Math.max(0, deserved - allocated), unit),
  borrowed: amount(Math.max(0, allocated - deserved), unit),
});

const waitingGang = (position: number): WaitingGang => ({
  position,
  namespace: "ml",
  name: `bert-${position}`,
  kind: "PyTorchJob",
  job: position === 2 ? "bert-large-uncased-whole-word-masking-finetuned-squad" : `bert-${position}`,
  phase: "Inqueue",
  minMember: 4,
  priority: 0,
  since: ago(position * 700),
  waitedSeconds: position * 700,
  why: SHORT_OF_GPUS,
});

const queueRow = (name: string, depth: number, used: number, waiting: number, hiddenWaiting = 0): QueueRow => ({
  name,
  parent: depth === 0 ? "" : "root",
  depth,
  state: name === "archive" ? "Closed" : "Open",
  weight: depth + 1,
  reclaimable: true,
  resources: [queueResource("cpu", used, 8, 16), queueResource("memory", used * 4, 32, 64, "Gi"), queueResource("nvidia.com/gpu", used / 4, 2, 4)],
  running: used > 0 ? 2 : 0,
  pending: waiting,
  inqueue: 0,
  completed: 3,
  waiting: Array.from({ length: waiting }, (_, index) => waitingGang(index + 1)),
  hiddenWaiting,
});

export const nodeRow = (name: string, used: number, change: Partial<NodeRow> = {}): NodeRow => ({
  name,
  ready: true,
  schedulable: true,
  pods: used,
  resources: [
    { resource: "cpu", allocatable: amount(8), used: amount(used), free: amount(8 - used) },
    { resource: "memory", allocatable: amount(32, "Gi"), used: amount(used * 4, "Gi"), free: amount(32 - used * 4, "Gi") },
  ],
  ...change,
});

export const QUEUES: QueuesView = {
  queues: [queueRow("root", 0, 12, 0), queueRow("research", 1, 12, 3, 2), queueRow("production", 1, 4, 0), queueRow("archive", 1, 0, 0)],
  nodes: [nodeRow("node-1", 8), nodeRow("node-2", 3), nodeRow("node-3", 0, { ready: false }), nodeRow("node-4", 1, { schedulable: false })],
  resources: ["cpu", "memory", "nvidia.com/gpu"],
};

export const MANY_QUEUES: QueuesView = {
  ...QUEUES,
  queues: Array.from({ length: 40 }, (_, index) => queueRow(`team-${index}`, index % 3, index % 17, index === 4 ? 150 : 0)),
};

export function timeline(gangs: number): TimelineView {
  const at = (minutes: number) => new Date(Math.floor(Date.now() / 60_000) * 60_000 + minutes * 60_000).toISOString();
  const nodes = Math.max(1, Math.min(12, gangs));
  return {
    now: at(0),
    start: at(-120),
    end: at(120),
    nodes: Array.from({ length: nodes }, (_, index) => ({ name: index === 0 ? "ip-10-20-30-40.compute.internal" : `node-${index + 1}`, lanes: Math.ceil(gangs / nodes) })),
    gangs: Array.from({ length: gangs }, (_, index) => ({ id: `g${index}`, namespace: "ml", name: `bert-${index}`, kind: "PyTorchJob", job: `bert-${index}`, queue: "research", isOwn: index % 4 !== 3 })),
    blocks: Array.from({ length: gangs }, (_, index) => {
      const state = (["past", "running", "forecast"] as const)[index % 3] ?? "running";
      const start = { past: -110, running: -60, forecast: 20 }[state] + (index % 5) * 4;
      return { gang: `g${index}`, node: index % nodes === 0 ? "ip-10-20-30-40.compute.internal" : `node-${(index % nodes) + 1}`, start: at(start), end: at(start + 70), state, pods: 4, share: 0.5, lane: Math.floor(index / nodes) };
    }),
    assumptions: [{ code: "RunForever", count: 3, subject: "", text: "3 pods are taken to run for ever: nothing is known of how long they take" }],
    waitingWithoutForecast: gangs > 1 ? ["g1"] : [],
  };
}

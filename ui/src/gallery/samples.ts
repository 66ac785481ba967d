/** Views as the server gives them, for stories. */
import type {
  Amount,
  AttentionItem,
  ClusterView,
  Event,
  HomeView,
  JobRow,
  NodeRow,
  NotebookRow,
  QueueResource,
  QueueRow,
  QueuesView,
  TensorboardRow,
  TimelineView,
  VolumeRow,
  WaitingGang,
  Why,
} from "../kinds/generated";

export const ago = (seconds: number): string => new Date(Date.now() - seconds * 1000).toISOString();

export const amount = (value: number, unit = ""): Amount => ({ value, text: `${value}${unit}` });

export const SHORT_OF_GPUS: Why = {
  code: "ClusterInsufficient",
  sentence: "The gang needs 4 nvidia.com/gpu; 1 is free, 3 are held by resnet until about 14:20.",
  reason: null,
  details: {},
  fixes: [
    { code: "suspend", cause: "suspend", subject: "", text: "Suspend resnet, which has a lower priority.", command: "windlass jobs suspend resnet --namespace vision", link: "" },
    { code: "fewer", cause: "fewer", subject: "", text: "Ask for fewer GPUs.", command: "", link: "/jobs/PyTorchJob/ml/bert" },
  ],
};

export function jobRow(name: string, state: JobRow["state"], index = 0): JobRow {
  return {
    kind: index % 3 === 2 ? "TFJob" : "PyTorchJob",
    apiVersion: "kubeflow.org/v1",
    namespace: "ml",
    name,
    uid: `job-${name}`,
    framework: "pytorch",
    state,
    why: state === "Waiting" ? SHORT_OF_GPUS : null,
    ready: state === "Running" ? 4 : 0,
    total: 4,
    roles: [{ role: "Worker", ready: state === "Running" ? 4 : 0, failed: 0, total: 4 }],
    gang: { name, minMember: 4, phase: state },
    queue: "research",
    priorityClass: "",
    priority: 0,
    created: ago(3_600 * (index + 1)),
    started: null,
    ended: null,
    durationSeconds: null,
    metric: null,
    restarts: 0,
  };
}

export function notebookRow(name: string, phase: NotebookRow["status"]["phase"]): NotebookRow {
  return {
    name,
    namespace: "ml",
    uid: `notebook-${name}`,
    serverType: "jupyter",
    age: ago(86_400),
    last_activity: ago(1_200),
    image: "registry.example/jupyter-scipy:v1.9.0",
    shortImage: "jupyter-scipy:v1.9.0",
    cpu: "500m",
    memory: "1Gi",
    gpus: { count: 0, message: "No GPUs" },
    volumes: [`${name}-workspace`],
    claims: [`${name}-workspace`],
    status: { phase, message: "", state: "" },
    link: `/notebook/ml/${name}/`,
    pod: `${name}-0`,
    node: "node-1",
    stopsInSeconds: 3_600,
    idleSeconds: 1_200,
    usage: { cpuCores: 0.2, memoryBytes: 412_000_000 },
    why: null,
    metadata: {},
  };
}

export const TENSORBOARD: TensorboardRow = {
  name: "bert-curves",
  namespace: "ml",
  uid: "board-1",
  logspath: "pvc://datasets/logs/bert",
  claim: "datasets",
  age: ago(7_200),
  status: { phase: "ready", message: "", state: "" },
  link: "/tensorboard/ml/bert-curves/",
  usage: { cpuCores: 0.1, memoryBytes: 200_000_000 },
  why: null,
};

export const VOLUME: VolumeRow = {
  name: "datasets",
  namespace: "ml",
  uid: "volume-1",
  status: { phase: "ready", message: "", state: "" },
  age: ago(86_400 * 9),
  capacity: "10Gi",
  capacityBytes: 10 * 2 ** 30,
  modes: ["ReadWriteOnce"],
  class: "standard",
  notebooks: ["lab"],
  viewer: { status: "uninitialized", url: null },
  usedBytes: 3 * 2 ** 30,
  usedAt: ago(60),
  consumers: [],
  isOrphan: false,
  why: null,
};

const attention = (name: string, sentence: string, index: number): AttentionItem => ({
  object: { apiVersion: "kubeflow.org/v1", kind: "PyTorchJob", namespace: "ml", name, uid: name },
  why: { code: "Failed", sentence, reason: null, details: {}, fixes: [{ code: "memory", cause: "memory", subject: "", text: "Give the container a higher memory limit.", command: "", link: "" }] },
  count: index + 1,
  last: ago(300 * (index + 1)),
  link: `/jobs/PyTorchJob/ml/${name}`,
});

export const EMPTY_HOME: HomeView = { namespace: "ml", jobs: [], notebooks: [], tensorboards: [], attention: [], quotas: [], capacity: [], recentFiles: [], recentJobs: [] };

export const HOME: HomeView = {
  namespace: "ml",
  jobs: [jobRow("bert", "Running"), jobRow("bert-large-uncased-whole-word-masking-finetuned-squad", "Waiting", 1)],
  notebooks: [notebookRow("lab", "ready"), notebookRow("scratch", "waiting")],
  tensorboards: [TENSORBOARD],
  attention: [attention("resnet", "The container pytorch of worker-0 was killed: it used more than its limit of 512Mi.", 0), attention("gpt2", "The image cannot be pulled: registry.example/gpt2:latest was not found.", 2)],
  quotas: [{ quota: "kf-resource-quota", resource: "cpu", hard: amount(8), used: amount(6) }],
  capacity: [
    { resource: "cpu", total: amount(16), requested: amount(11), inUse: amount(15.2), free: amount(5), users: [{ namespace: "ml", kind: "PyTorchJob", name: "bert", amount: amount(8) }, { namespace: "", kind: "", name: "", amount: amount(3) }] },
    { resource: "memory", total: amount(64, "Gi"), requested: amount(64, "Gi"), inUse: amount(12, "Gi"), free: amount(0, "Gi"), users: [{ namespace: "ml", kind: "PyTorchJob", name: "bert", amount: amount(64, "Gi") }] },
    { resource: "nvidia.com/gpu", total: amount(0), requested: amount(0), inUse: null, free: amount(0), users: [] },
    { resource: "disk", total: amount(252, "Gi"), requested: amount(12, "Gi"), inUse: amount(187, "Gi"), free: amount(65, "Gi"), users: [] },
  ],
  recentFiles: [
    { server: "lab", path: "train.ipynb", name: "train.ipynb", modified: ago(400), link: "/notebook/ml/lab/lab/tree/train.ipynb" },
    { server: "lab", path: "a/exploration-of-the-training-set.ipynb", name: "exploration-of-the-training-set.ipynb", modified: ago(90_000), link: "/notebook/ml/lab/lab/tree/a" },
  ],
  recentJobs: [
    { row: jobRow("bert", "Running"), metric: "loss", values: [2, 1.4, 1.1, 0.9, 0.85, 0.6, 0.5] },
    { row: jobRow("resnet", "Failed", 1), metric: "", values: [] },
    { row: jobRow("mnist", "Succeeded", 2), metric: "loss", values: [1, 0.4, 0.2, 0.1] },
  ],
};

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

export const CLUSTER: ClusterView = {
  version: "0.1.0",
  uptimeSeconds: 93_784,
  components: [
    { name: "server", state: "ok", message: "", version: "0.1.0", pid: 101, memoryBytes: 180_000_000, cpuSeconds: 31, started: ago(93_784), restarts: 0 },
    { name: "scheduler", state: "degraded", message: "the last session took 4.1 s", version: "0.1.0", pid: 102, memoryBytes: 90_000_000, cpuSeconds: 12, started: ago(500), restarts: 2 },
    { name: "node", state: "down", message: "exited with code 1: address already in use", version: "0.1.0", pid: null, memoryBytes: null, cpuSeconds: null, started: null, restarts: 9 },
    { name: "registry", state: "unknown", message: "", version: "", pid: null, memoryBytes: null, cpuSeconds: null, started: null, restarts: null },
  ],
  directories: [
    { name: "database", path: "/data/server", bytes: 41_000_000 },
    { name: "images", path: "/data/images", bytes: 9_000_000_000 },
  ],
  diskFreeBytes: 120_000_000_000,
  latencies: ["GET", "LIST", "WATCH", "PATCH"].map((verb, index) => ({ verb, requests: 10 ** (index + 2), p50Seconds: 0.0004, p90Seconds: 0.004, p99Seconds: index === 2 ? null : 0.12 })),
  nodes: QUEUES.nodes.map((row) => ({
    row,
    version: "v1.33",
    os: "Debian GNU/Linux 13 (trixie)",
    usage: row.ready ? { cpuCores: 1.24, memoryBytes: 5.2 * 2 ** 30 } : { cpuCores: null, memoryBytes: null },
    conditions: row.ready ? [] : ["Ready: kubelet stopped posting node status", "MemoryPressure: 96 % of the memory is in use"],
  })),
  users: [
    { email: "ada@example.com", name: "Ada", groups: ["admins", "research"], source: "local", sessions: 2, lastSeen: ago(60) },
    { email: "a.person.with.a.rather.long.address@research.example.com", name: "", groups: [], source: "dex", sessions: 0, lastSeen: null },
  ],
  sessions: [
    { id: "s1", user: "ada@example.com", address: "10.0.0.7", userAgent: "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", created: ago(86_400), lastUsed: ago(40), expires: ago(-86_000) },
    { id: "s2", user: "a.person.with.a.rather.long.address@research.example.com", address: "2001:db8::8a2e:370:7334", userAgent: "Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36", created: ago(400_000), lastUsed: ago(7_000), expires: ago(-79_000) },
    { id: "s3", user: "ada@example.com", address: "10.0.0.7", userAgent: "python-requests/2.32", created: ago(900), lastUsed: ago(800), expires: ago(-85_000) },
  ],
  backupRefusal: "",
  maxBackups: 10,
  lastBackup: { path: "/backup/windlass.tar", at: ago(90_000), bytes: 51_000_000 },
  notes: ["Requests are counted since the last start."],
};

const KINDS = ["Notebook", "PyTorchJob", "Pod"];

export const events = (count: number): Event[] =>
  Array.from({ length: count }, (_, index) => ({
    apiVersion: "v1",
    kind: "Event",
    metadata: { name: `event-${index}`, uid: `event-${index}`, resourceVersion: "1", namespace: "ml", creationTimestamp: ago(index * 4_000) },
    involvedObject: { kind: KINDS[index % 3] ?? "Pod", namespace: "ml", name: index % 4 === 0 ? "bert-large-uncased-whole-word-masking-worker-0" : "lab", apiVersion: "v1" },
    type: index % 5 === 0 ? "Warning" : "Normal",
    reason: index % 5 === 0 ? "FailedScheduling" : "Created",
    message: index % 5 === 0 ? "0/3 nodes are available: 3 Insufficient nvidia.com/gpu. preemption: not helpful for scheduling." : "Created pod: lab-0",
    count: (index % 3) + 1,
    lastTimestamp: ago(index * 4_000),
  }));

/** The cluster view as the server gives it, for stories. */
import { ago } from "../../gallery/samples";
import type { ClusterView } from "../../kinds/generated";
import { QUEUES } from "../../apps/volcano/samples";

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

import type { ReactNode } from "react";
import { failed, forbidden, live, loading } from "../../gallery/live";
import { SESSIONS_KEY } from "../../api/account";
import { Cached } from "../../gallery/Cached";
import { CLUSTER } from "./samples";
import { nodeRow } from "../../apps/volcano/samples";
import type { Live } from "../../api/hooks";
import type { ClusterView } from "../../kinds/generated";
import { Loaded } from "../../parts/feedback/Loaded";
import { ClusterContent } from "./Cluster";

const page = (cluster: Live<ClusterView>) => <Loaded live={cluster}>{(view) => <ClusterContent view={view} />}</Loaded>;
const nothing: ClusterView = { version: "0.1.0", uptimeSeconds: null, components: [], directories: [], diskFreeBytes: null, latencies: [], nodes: [], users: [], sessions: [], lastBackup: null, backupRefusal: "The objects are in the cluster's own store: back it up with the cluster's tools, and the gateway's folder with users and sessions with its volume.", maxBackups: 10, notes: [] };
const many: ClusterView = {
  ...CLUSTER,
  nodes: Array.from({ length: 60 }, (_, index) => ({ row: nodeRow(`node-${index}`, index % 8), version: "v1.33", os: "Debian", usage: { cpuCores: 1, memoryBytes: 1 }, conditions: [] })),
  users: Array.from({ length: 1_000 }, (_, index) => ({ email: `user-${index}@example.com`, name: "", groups: [], source: "local", sessions: 0, lastSeen: null })),
};

export const title = "Cluster page";
export const stories: Record<string, () => ReactNode> = {
  usual: () => (
    <Cached answers={[[SESSIONS_KEY, [{ id: "s1", current: true }]]]}>{page(live(CLUSTER))}</Cached>
  ),
  "the only user of the machine": () => (
    <Cached answers={[[SESSIONS_KEY, [{ id: "s1", current: true }]]]}>
      <ClusterContent view={CLUSTER} isReadOnly />
    </Cached>
  ),
  "nothing known": () => page(live(nothing)),
  "many nodes and users": () => page(live(many)),
  loading: () => page(loading()),
  failed: () => page(failed(CLUSTER)),
  forbidden: () => page(forbidden()),
};

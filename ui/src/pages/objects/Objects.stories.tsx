import type { ReactNode } from "react";
import type { PrintedColumn } from "../../api/discovery";
import type { Live, PrintedRow } from "../../api/hooks";
import type { KubeObject } from "../../api/k8s";
import { SESSION_KEY } from "../../api/session";
import { Cached } from "../../gallery/Cached";
import { failed, forbidden, loading } from "../../gallery/live";
import { Followed } from "../../gallery/Followed";
import { ago } from "../../gallery/samples";
import { KINDS, type ObjectTree, type TreeNode } from "../../kinds/generated";
import { Loaded } from "../../parts/feedback/Loaded";
import type { Components } from "../../parts/form/schema";
import { NewOf } from "./NewObject";
import { ObjectPage } from "./ObjectDetails";
import { ObjectTable } from "./ObjectList";
import { ResourceIndex } from "./ResourceIndex";
import { Tree } from "./TreeCard";

/** One version of each resource, as discovery prefers one. */
const PREFERRED = [...new Map(Object.values(KINDS).map((one) => [`${one.group}/${one.resource}`, one])).values()];

const COLUMNS: PrintedColumn[] = [
  { name: "Name", type: "string", format: "name" },
  { name: "Ready", type: "string" },
  { name: "Status", type: "string" },
  { name: "Age", type: "string" },
];

const list = (count: number, namespaces = ["ml"]) => {
  const rows = Array.from({ length: count }, (_, index) => {
    const name = `fit-worker-${index}`;
    return { metadata: { name, namespace: namespaces[index % namespaces.length] ?? "", uid: name, resourceVersion: "1", creationTimestamp: ago(index * 60) }, cells: [name, "1/1", index % 7 === 3 ? "Pending" : "Running", "5m"] };
  });
  return <ObjectTable resource={KINDS.Pod} columns={COLUMNS} rows={rows} hasNamespace={namespaces.length > 1} />;
};

const phase = (rows: Live<PrintedRow[]>) => <Loaded live={rows}>{() => null}</Loaded>;

const meta = (name: string, more: object = {}) => ({ name, namespace: "ml", uid: name, creationTimestamp: ago(4_000), labels: { app: "bert", "training.kubeflow.org/job-name": "bert" }, ...more });
const POD: KubeObject = {
  apiVersion: "v1",
  kind: "Pod",
  metadata: meta("bert-worker-0", { ownerReferences: [{ apiVersion: "kubeflow.org/v1", kind: "PyTorchJob", name: "bert", uid: "bert", controller: true }] }),
  spec: { initContainers: [{ name: "wait" }], containers: [{ name: "pytorch" }, { name: "sidecar" }] },
  status: {
    phase: "Running",
    conditions: [
      { type: "PodScheduled", status: "True", lastTransitionTime: ago(3_900) },
      { type: "Initialized", status: "True", lastTransitionTime: ago(3_800) },
      { type: "Ready", status: "False", reason: "ContainersNotReady", message: "containers with unready status: [pytorch]", lastTransitionTime: ago(60) },
    ],
    containerStatuses: [{ name: "pytorch", state: { waiting: { reason: "CrashLoopBackOff", message: "back-off 40s restarting failed container" } } }],
  },
};
const node = (kind: string, name: string, depth: number, status: object = {}): TreeNode => ({
  object: { apiVersion: "v1", kind, namespace: "ml", name, uid: `${kind}/${name}` },
  link: `/objects/core/v1/pods/ml/${name}`,
  depth,
  created: ago(4_000 - depth),
  isDeleting: false,
  status: status as Record<string, unknown>,
});
const TREE: ObjectTree = {
  owners: [node("Experiment", "search", -2, { conditions: [{ type: "Running", status: "True" }] }), node("PyTorchJob", "bert", -1, { conditions: [{ type: "Failed", status: "True" }] })],
  nodes: [
    node("Pod", "bert-worker-0", 0, { phase: "Running" }),
    node("ConfigMap", "bert-worker-0-settings-of-a-rather-long-name-that-is-cut", 1),
    node("StatefulSet", "cache", 1, { replicas: 3, readyReplicas: 1 }),
    node("Pod", "cache-0", 2, { phase: "Running" }),
    node("Pod", "cache-1", 2, { phase: "Pending" }),
  ],
  hidden: 12,
  notes: ["You may not list secrets: such children are not shown"],
};
const SCHEMAS: Components = {
  "io.k8s.api.core.v1.ConfigMap": { type: "object", properties: { data: { type: "object" }, immutable: { type: "boolean" } }, "x-kubernetes-group-version-kind": [{ group: "", version: "v1", kind: "ConfigMap" }] } as Components[string],
  "io.k8s.api.core.v1.Pod": { type: "object", properties: { spec: { type: "object", required: ["containers"], properties: { containers: { type: "array", items: { type: "object", required: ["name"], properties: { name: { type: "string" } } } }, nodeName: { type: "string", description: "The node that it is on." }, restartPolicy: { type: "string", description: "When containers are started again." } } } }, "x-kubernetes-group-version-kind": [{ group: "", version: "v1", kind: "Pod" }] } as Components[string],
};

export const title = "Objects pages";
export const stories: Record<string, () => ReactNode> = {
  list: () => list(8),
  "list of all namespaces": () => list(8, ["ml", "vision"]),
  "list, empty": () => list(0),
  "list, ten thousand": () => list(10_000),
  "list, loading": () => phase(loading()),
  "list, failed": () => phase(failed()),
  "list, forbidden": () => phase(forbidden()),
  "object that is not well": () => (
    <Followed values={{ tree: TREE }}>
      <ObjectPage resource={KINDS.Pod} object={POD} />
    </Followed>
  ),
  "object without state": () => <ObjectPage resource={KINDS.ConfigMap} object={{ apiVersion: "v1", kind: "ConfigMap", metadata: meta("settings"), data: {} }} />,
  "tree of owners and children": () => <Tree tree={TREE} />,
  "new object": () => (
    <Cached answers={[[["openapi", "", "v1"], SCHEMAS], [SESSION_KEY, { user: "ada", memberships: [{ namespace: "ml", role: "owner" }] }]]}>
      <NewOf resource={KINDS.Pod} />
    </Cached>
  ),
  kinds: () => (
    <Cached answers={[[["resources"], PREFERRED]]}>
      <ResourceIndex />
    </Cached>
  ),
  "kinds, loading": () => <ResourceIndex />,
};

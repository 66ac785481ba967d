import type { ReactNode } from "react";
import type { Live } from "../../../api/hooks";
import { Cached } from "../../../gallery/Cached";
import { Followed } from "../../../gallery/Followed";
import { failed, forbidden, live, loading, stale } from "../../../gallery/live";
import { SHORT_OF_GPUS, ago, events } from "../../../gallery/samples";
import { HOME } from "../../../pages/home/samples";
import { notebookRow } from "../samples";
import type { Notebook, NotebookRow, NotebooksView, Pod, PodDefault } from "../../../kinds/generated";
import type { SpawnerConfig } from "../kinds/notebookForm";
import type { Look } from "../../../parts/form/FormAndYaml";
import type { Components, Schema } from "../../../parts/form/schema";
import { Page } from "../../../parts/page/Page";
import type { Offers } from "./form/formProps";
import { EditForm } from "./form/EditDialog";
import { KernelAddressCard } from "./KernelAddress";
import { NotebookFormView } from "./form/NewNotebook";
import { NotebookPage } from "./NotebookDetails";
import { NotebookListPage } from "./NotebookList";
import { StopDialog } from "./StopDialog";

const PHASES: NotebookRow["status"]["phase"][] = ["ready", "waiting", "warning", "error", "stopped", "uninitialized", "unavailable", "terminating"];
const LONG = "a-notebook-with-a-rather-long-name-of-40";
const row = (name: string, change: Partial<NotebookRow> = {}): NotebookRow => ({ ...notebookRow(name, "ready"), ...change });
const waiting = row("hungry", { status: { phase: "waiting", message: "", state: "" }, why: SHORT_OF_GPUS, node: "", idleSeconds: null });
const broken = row("typo", {
  status: { phase: "error", message: "ErrImagePull: the image registry.example/data-sciense:1.0 was not found", state: "" },
  image: "registry.example/data-sciense:1.0",
  idleSeconds: null,
});
const rows = (count: number): NotebookRow[] => Array.from({ length: count }, (_, index) => row(`lab-${index}`, { uid: `lab-${index}` }));
const list = (notebooks: Live<NotebooksView>, more: { hasNamespaces?: boolean; missingCreate?: string } = {}) => <NotebookListPage notebooks={notebooks} hasNamespaces={false} {...more} />;

const metadata = (name: string) => ({ name, namespace: "ml", uid: name, resourceVersion: "1", creationTimestamp: ago(86_400), annotations: { "notebooks.kubeflow.org/creator": "ada@example.com" } });
const container = (name: string) => ({
  name,
  image: "registry.example/jupyter-scipy:v1.9.0",
  env: [{ name: "TRACKING_URL", value: "https://tracking.example/a/rather/long/path/to/an/experiment" }],
  resources: { requests: { cpu: "500m", memory: "1Gi" }, limits: { cpu: "600m", memory: "1.2Gi" } },
  volumeMounts: [{ name: "home", mountPath: "/home/jovyan" }],
});
const spec = (name: string) => ({ containers: [container(name)], volumes: [{ name: "home", persistentVolumeClaim: { claimName: `${name}-workspace` } }] });
const notebook = (name: string): Notebook => ({
  apiVersion: "kubeflow.org/v1",
  kind: "Notebook",
  metadata: metadata(name),
  spec: { template: { spec: spec(name) } },
  status: { conditions: [{ type: "Ready", status: "True", lastProbeTime: ago(60), lastTransitionTime: ago(60) }], containerState: {}, readyReplicas: 1 },
} as unknown as Notebook);
const pod = (name: string): Pod => ({ apiVersion: "v1", kind: "Pod", metadata: metadata(`${name}-0`), spec: { ...spec(name), nodeName: "node-1" } }) as unknown as Pod;
const details = (one: NotebookRow, ofPod: Pod | undefined, podDefaults: PodDefault[] = []) => (
  <Followed values={{ objects: events(3) }}>
    <NotebookPage row={one} notebook={notebook(one.name)} pod={ofPod} podDefaults={podDefaults} />
  </Followed>
);

const image = (name: string) => ({ value: name, options: [name] });
const CONFIG: SpawnerConfig = {
  allowCustomImage: true,
  imagePullPolicy: { value: "IfNotPresent" },
  image: { value: "jupyter-scipy:v1.10.0", options: ["jupyter-scipy:v1.10.0", "jupyter-pytorch-full:v1.10.0"] },
  imageGroupOne: image("codeserver-python:v1.10.0"),
  imageGroupTwo: image("rstudio-tidyverse:v1.10.0"),
  cpu: { value: "0.5", limitFactor: "1.2" },
  memory: { value: "1.0Gi", limitFactor: "1.2" },
  gpus: { value: { num: "none", vendor: "", vendors: [{ limitsKey: "nvidia.com/gpu", uiName: "NVIDIA" }] } },
  workspaceVolume: { value: { mount: "/home/jovyan", newPvc: { metadata: { name: "{notebook-name}-workspace" }, spec: { resources: { requests: { storage: "5Gi" } }, accessModes: ["ReadWriteOnce"] } } } },
  dataVolumes: { value: [] },
  affinityConfig: { value: "", options: [{ configKey: "large", displayName: "Large nodes" }] },
  tolerationGroup: { value: "", options: [] },
  shm: { value: true },
  configurations: { value: [] },
};
const OFFERS: Offers = {
  config: CONFIG,
  vendors: [],
  claims: [{ name: "datasets", size: "10Gi", mode: "ReadWriteOnce" }],
  podDefaults: [{ label: "tracking", desc: "Team tracking", metadata: { name: "team-tracking" } }],
  storageClasses: { names: ["standard"], preset: "standard" },
};
const fixed = Object.fromEntries(Object.entries(CONFIG).map(([name, field]) => [name, typeof field === "object" ? { ...(field as object), readOnly: true } : field])) as unknown as SpawnerConfig;
const POD_SPEC: Schema = { type: "object", required: ["containers"], properties: { containers: { type: "array", items: { type: "object" } }, hostname: { type: "string", description: "The name of the host." }, priorityClassName: { type: "string" } } };
const SCHEMAS: Components = {
  "org.kubeflow.v1beta1.Notebook": { type: "object", properties: { spec: { type: "object", properties: { template: { type: "object", properties: { spec: POD_SPEC } } } } } },
};
const nothing = () => undefined;
const form = (offers: Offers, look: Look = "form") => (
  <Page title="New notebook">
    <NotebookFormView namespace="ml" offers={offers} used={["lab"]} home={HOME} look={look} onLook={nothing} />
  </Page>
);

export const title = "Notebooks pages";
export const stories: Record<string, () => ReactNode> = {
  "list, every state": () => list(live({ rows: [...PHASES.map((phase) => row(phase, { uid: phase, status: { phase, message: "", state: "" } })), waiting, broken, row(LONG)] })),
  "list, many rows": () => list(live({ rows: rows(300) }), { hasNamespaces: true }),
  "list, empty": () => list(live({ rows: [] })),
  "list, empty and not to be filled": () => list(live({ rows: [] }), { missingCreate: "create notebooks" }),
  "list, loading": () => list(loading()),
  "list, stale": () => list(stale({ rows: rows(3) })),
  "list, failed": () => list(failed({ rows: rows(3) })),
  "list, forbidden": () => list(forbidden()),
  "details, running": () => details(row("lab"), pod("lab")),
  "details, stopped": () => details(row("lab", { status: { phase: "stopped", message: "", state: "" }, idleSeconds: null }), undefined),
  "details, waiting": () => details(waiting, pod("hungry")),
  "details, failed": () => details(broken, pod("typo")),
  "kernel address": () => <KernelAddressCard row={row("lab")} token={undefined} busy={false} onMake={nothing} />,
  "kernel address, being made": () => <KernelAddressCard row={row("lab")} token={undefined} busy onMake={nothing} />,
  "kernel address, made": () => <KernelAddressCard row={row("lab")} token={{ name: "kernel-lab-20261117102030", value: "wlp_0123456789abcdef0123456789abcdef0123456789a" }} busy={false} onMake={nothing} />,
  form: () => form(OFFERS),
  "form, as YAML": () => form(OFFERS, "yaml"),
  "form, of a text with more": () => <Cached answers={[[["openapi", "kubeflow.org", "v1beta1"], SCHEMAS], [["rights", "ml"], { status: { resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }] } }]]}>{form(OFFERS)}</Cached>,
  "form, everything fixed": () => form({ ...OFFERS, config: fixed }),
  "form, nothing to choose": () => form({ ...OFFERS, claims: [], podDefaults: [], storageClasses: { names: [], preset: "" } }),
  edit: () => <EditForm notebook={notebook("lab")} isStopped={false} offers={OFFERS} onClose={nothing} />,
  "stop?": () => <StopDialog notebook={row("lab")} isOpen onClose={nothing} onStop={nothing} />,
};

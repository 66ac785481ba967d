/** Notebooks: where they are served, what their phases mean, and what is done with them. Pure. */
import type { KubeObject, Resource } from "../../../api/k8s";
import type { State } from "../../../parts/pill/Pill";
import type { Notebook, NotebookRow } from "../../../kinds/generated";
import { PODS } from "../../../kinds/pods";
import { phaseState } from "../../../kinds/states";

export const NOTEBOOKS: Resource = { group: "kubeflow.org", version: "v1", resource: "notebooks", kind: "Notebook", namespaced: true };
export const POD_DEFAULTS: Resource = {
  group: "kubeflow.org",
  version: "v1alpha1",
  resource: "poddefaults",
  kind: "PodDefault",
  namespaced: true,
};

export const STOPPED = "kubeflow-resource-stopped";
export const LAST_ACTIVITY = "notebooks.kubeflow.org/last-activity";
export const CREATOR = "notebooks.kubeflow.org/creator";
export const SERVER_TYPE = "notebooks.kubeflow.org/server-type";

export type ServerType = "jupyter" | "group-one" | "group-two";

export const serverTypeOf = (text: string): ServerType => (text === "group-one" || text === "group-two" ? text : "jupyter");

export const notebookPath = (key: { namespace: string; name: string }): string =>
  `/jupyter/notebook/details/${encodeURIComponent(key.namespace)}/${encodeURIComponent(key.name)}`;

/** The word of a phase; `waiting` says which way it goes. */
export type PhaseWord = "running" | "starting" | "stopping" | "stopped" | "deleting" | "blocked" | "failing";

export function phaseWord(row: Pick<NotebookRow, "status" | "why" | "metadata">): PhaseWord {
  switch (row.status.phase) {
    case "ready":
      return "running";
    case "stopped":
      return "stopped";
    case "terminating":
      return "deleting";
    case "waiting":
    case "uninitialized":
    case "unavailable":
      return isToStop(annotationsOf(row)) ? "stopping" : "starting";
    default:
      return notebookState(row) === "waiting" ? "blocked" : "failing";
  }
}

/** A server that cannot be placed waits; one whose image or configuration is wrong has failed. */
export function notebookState(row: Pick<NotebookRow, "status" | "why">): State {
  const waitsForRoom = row.status.phase === "warning" && row.why?.reason != null;
  return waitsForRoom || row.status.state === "Unschedulable" ? "waiting" : phaseState(row.status.phase);
}

export const isToStop = (annotations: Record<string, string> | undefined): boolean => annotations?.[STOPPED] !== undefined;

export function annotationsOf(row: Pick<NotebookRow, "metadata">): Record<string, string> {
  return (row.metadata["annotations"] ?? {}) as Record<string, string>;
}

interface Mounted {
  name: string;
  mountPath: string;
  readOnly?: boolean;
}

export interface ContainerSpec {
  name: string;
  image?: string;
  imagePullPolicy?: string;
  env?: { name: string; value?: string; valueFrom?: unknown }[];
  resources?: { requests?: Record<string, string | number>; limits?: Record<string, string | number> };
  volumeMounts?: Mounted[];
}

export interface VolumeSource {
  name: string;
  persistentVolumeClaim?: { claimName: string; readOnly?: boolean };
  emptyDir?: { medium?: string };
  [source: string]: unknown;
}

export interface ServerSpec {
  containers: ContainerSpec[];
  volumes?: VolumeSource[];
  tolerations?: unknown[];
  affinity?: unknown;
  [field: string]: unknown;
}

export function serverSpecOf(notebook: Notebook): ServerSpec {
  const spec = notebook.spec?.template?.spec ?? {};
  return { ...spec, containers: (spec["containers"] ?? []) as ContainerSpec[], volumes: (spec["volumes"] ?? []) as VolumeSource[] };
}

export interface MountRow {
  path: string;
  kind: "claim" | "memory" | "scratch" | "other";
  /** The claim's name, or the source's. */
  name: string;
  readOnly: boolean;
}

/** What the server's container sees where, claims first. */
export function mountsOf(spec: ServerSpec): MountRow[] {
  const sources = new Map((spec.volumes ?? []).map((volume) => [volume.name, volume]));
  const rows = (spec.containers[0]?.volumeMounts ?? []).map((mount) => mountRow(mount, sources.get(mount.name)));
  const order = ["claim", "other", "scratch", "memory"];
  return rows.sort((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || a.path.localeCompare(b.path));
}

function mountRow(mount: Mounted, source: VolumeSource | undefined): MountRow {
  const claim = source?.persistentVolumeClaim;
  const kind = claim ? "claim" : source?.emptyDir ? (source.emptyDir.medium === "Memory" ? "memory" : "scratch") : "other";
  const name = claim?.claimName ?? Object.keys(source ?? {}).find((key) => key !== "name") ?? mount.name;
  return { path: mount.mountPath, kind, name, readOnly: mount.readOnly === true || claim?.readOnly === true };
}

/** The claims that keep the person's files when the server stops. */
export const keptClaims = (spec: ServerSpec): string[] => [
  ...new Set(mountsOf(spec).filter((mount) => mount.kind === "claim" && !mount.readOnly).map((mount) => mount.name)),
];

/**
 * The pod of a notebook that is not there yet, for the question of whether it fits. Volumes that would be made with it are
 * left out: they go wherever the pod goes.
 */
export function podToTry(made: KubeObject[]): KubeObject | undefined {
  const notebook = made.find((one) => one.kind === NOTEBOOKS.kind);
  if (notebook === undefined) return undefined;
  const claims = new Set(made.filter((one) => one !== notebook).map((one) => one.metadata.name));
  const spec = serverSpecOf(notebook as unknown as Notebook);
  const isNew = (volume: VolumeSource) => claims.has(volume.persistentVolumeClaim?.claimName ?? "");
  const gone = new Set((spec.volumes ?? []).filter(isNew).map((volume) => volume.name));
  const containers = spec.containers.map((one) => ({ ...one, volumeMounts: (one.volumeMounts ?? []).filter((mount) => !gone.has(mount.name)) }));
  return {
    apiVersion: "v1",
    kind: PODS.kind,
    metadata: { ...notebook.metadata, name: `${notebook.metadata.name}-0` },
    spec: { ...spec, containers, volumes: (spec.volumes ?? []).filter((volume) => !isNew(volume)) },
  };
}

/** The patch that counts as use: an idle server is stopped that much later. */
export const extendPatch = (now: Date): unknown => ({
  metadata: { annotations: { [LAST_ACTIVITY]: now.toISOString().replace(/\.\d+Z$/, "Z") } },
});

/** Names of the PodDefaults that a pod carries, from the marks that admission leaves. */
export function appliedPodDefaults(annotations: Record<string, string> | undefined): string[] {
  const mark = "poddefault.admission.kubeflow.org/poddefault-";
  return Object.keys(annotations ?? {})
    .filter((key) => key.startsWith(mark))
    .map((key) => key.slice(mark.length))
    .sort();
}

const inNamespace = (key: { namespace: string; name: string }): string => `-n ${key.namespace} ${key.name}`;

/** Each action as a command. */
export const notebookCommands = (key: { namespace: string; name: string }): Record<"stop" | "start" | "delete" | "ssh" | "get", string> => ({
  stop: `kubectl annotate notebook ${inNamespace(key)} ${STOPPED}="$(date -u +%FT%TZ)"`,
  start: `kubectl annotate notebook ${inNamespace(key)} ${STOPPED}-`,
  delete: `kubectl delete notebook ${inNamespace(key)}`,
  ssh: `windlass ssh ${inNamespace(key)}`,
  get: `kubectl get notebook ${inNamespace(key)} -o yaml`,
});

/** What an editor is given as the address of a Jupyter server. */
export const kernelAddress = (origin: string, row: { link: string }, token: string): string => `${origin}${row.link}?token=${encodeURIComponent(token)}`;

/** Distinguishes tokens for one notebook by when they were made. */
export const kernelTokenName = (row: { name: string }, now: Date): string => `kernel-${row.name.replace(/[^a-z0-9-]/gi, "-").slice(0, 40)}-${now.toISOString().slice(0, 19).replace(/\D/g, "")}`;

export interface Variable {
  name: string;
  /** Empty where it comes from elsewhere, such as a Secret. */
  value: string;
}

export interface VariableGroup {
  /** Of the notebook itself, of a PodDefault, or of others, such as the controller. */
  origin: "own" | "podDefault" | "other";
  podDefault: string;
  variables: Variable[];
}

interface PodDefaultLike {
  metadata: { name: string };
  spec: { env?: { name?: unknown }[] };
}

/** The server's variables by where they come from. Without a pod only the notebook's own are known. */
export function environmentOf(spec: ServerSpec, pod: { spec?: { containers?: unknown[] } } | undefined, applied: PodDefaultLike[]): VariableGroup[] {
  const own = spec.containers[0]?.env ?? [];
  const running = pod?.spec?.containers as ContainerSpec[] | undefined;
  const all = running?.find((one) => one.name === spec.containers[0]?.name)?.env ?? own;
  const ownNames = new Set(own.map((one) => one.name));
  const groups: VariableGroup[] = [{ origin: "own", podDefault: "", variables: own.map(variable) }];
  const rest = new Map(all.filter((one) => !ownNames.has(one.name)).map((one) => [one.name, one]));
  for (const { metadata, spec: added } of applied) {
    const variables = (added.env ?? []).map(({ name }) => rest.get(String(name))).filter((one) => one !== undefined);
    for (const one of variables) rest.delete(one.name);
    groups.push({ origin: "podDefault", podDefault: metadata.name, variables: variables.map(variable) });
  }
  groups.push({ origin: "other", podDefault: "", variables: [...rest.values()].map(variable) });
  return groups.filter((group) => group.variables.length > 0);
}

const variable = (one: { name: string; value?: string }): Variable => ({ name: one.name, value: one.value ?? "" });

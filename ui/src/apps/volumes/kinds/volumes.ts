/** Volumes: where claims are served, what their states mean, and what is done with them. Pure. */
import type { Resource } from "../../../api/k8s";
import type { State } from "../../../parts/pill/Pill";
import type { ObjectRef, VolumeRow } from "../../../kinds/generated";
import { phaseState } from "../../../kinds/states";
import { quantityOf } from "../../../kinds/quantities";

export const MODES = ["ReadWriteOnce", "ReadOnlyMany", "ReadWriteMany", "ReadWriteOncePod"];

export const CLAIMS: Resource = { group: "", version: "v1", resource: "persistentvolumeclaims", kind: "PersistentVolumeClaim", namespaced: true };
export const VIEWERS: Resource = { group: "kubeflow.org", version: "v1alpha1", resource: "pvcviewers", kind: "PVCViewer", namespaced: true };
export const SNAPSHOTS: Resource = {
  group: "snapshot.storage.k8s.io",
  version: "v1",
  resource: "volumesnapshots",
  kind: "VolumeSnapshot",
  namespaced: true,
};

export const volumePath = (key: { namespace: string; name: string }): string =>
  `/volumes/details/${encodeURIComponent(key.namespace)}/${encodeURIComponent(key.name)}`;

export type VolumeWord = "bound" | "firstUse" | "provisioning" | "deleting" | "failing";

export function volumeWord(row: Pick<VolumeRow, "status">): VolumeWord {
  switch (row.status.phase) {
    case "ready":
      return "bound";
    case "unavailable":
      return "firstUse";
    case "terminating":
      return "deleting";
    case "waiting":
    case "uninitialized":
      return "provisioning";
    default:
      return "failing";
  }
}

/** A volume that is there has reached its end: it does not run. */
export function volumeState(row: Pick<VolumeRow, "status">): State {
  return row.status.phase === "ready" ? "succeeded" : phaseState(row.status.phase);
}

/** What part of it is in use, 0 to 1; undefined where nothing measures it. */
export function usedPart(row: Pick<VolumeRow, "usedBytes" | "capacityBytes">): number | undefined {
  return row.usedBytes === null || row.capacityBytes <= 0 ? undefined : row.usedBytes / row.capacityBytes;
}

const OWN_PAGES: Record<string, (key: { namespace: string; name: string }) => string> = {
  Notebook: ({ namespace, name }) => `/jupyter/notebook/details/${namespace}/${name}`,
  Tensorboard: ({ namespace, name }) => `/tensorboards/details/${namespace}/${name}`,
};

const JOB_GROUPS = ["kubeflow.org/", "batch.volcano.sh/", "trainer.kubeflow.org/"];

/** The page of an object that uses a volume. */
export function consumerPath(ref: ObjectRef): string {
  const own = OWN_PAGES[ref.kind];
  if (own !== undefined) return own(ref);
  if (JOB_GROUPS.some((group) => ref.apiVersion.startsWith(group)) && ref.kind.endsWith("Job")) return `/jobs/${ref.kind}/${ref.namespace}/${ref.name}`;
  const [group = "", version = ""] = ref.apiVersion.includes("/") ? ref.apiVersion.split("/") : ["core", ref.apiVersion];
  return `/objects/${group}/${version}/${ref.kind.toLowerCase()}s/${ref.namespace}/${ref.name}`;
}

/** Whether a size is an amount that is larger than the one now; a volume cannot shrink. */
export function resizeError(size: string, now: number): "size" | "smaller" | undefined {
  const wanted = quantityOf(size);
  if (wanted === undefined || !(wanted > 0)) return "size";
  return wanted > now ? undefined : "smaller";
}

export interface VolumeCreation {
  name: string;
  /** `{empty}` is the default class, `{none}` none. */
  storageClass: string;
  mode: string;
  size: string;
  type: "empty" | "snapshot" | "clone";
  snapshot: string;
  source: string;
}

export const VOLUME_NAME = /^[a-z0-9]([-a-z0-9.]*[a-z0-9])?$/;

export function creationErrors(form: VolumeCreation, used: string[]): Partial<Record<string, "required" | "nameCharacters" | "nameUsed" | "size">> {
  const errors: ReturnType<typeof creationErrors> = {};
  if (form.name === "") errors["name"] = "required";
  else if (!VOLUME_NAME.test(form.name) || form.name.length > 253) errors["name"] = "nameCharacters";
  else if (used.includes(form.name)) errors["name"] = "nameUsed";
  if (!((quantityOf(form.size) ?? 0) > 0)) errors["size"] = "size";
  if (form.type === "snapshot" && form.snapshot === "") errors["snapshot"] = "required";
  if (form.type === "clone" && form.source === "") errors["source"] = "required";
  return errors;
}

/** The same as a manifest; its namespace is the one in which it is created. */
export function creationManifest(form: VolumeCreation): Record<string, unknown> {
  const source =
    form.type === "snapshot"
      ? { dataSource: { apiGroup: SNAPSHOTS.group, kind: SNAPSHOTS.kind, name: form.snapshot } }
      : form.type === "clone"
        ? { dataSource: { kind: CLAIMS.kind, name: form.source } }
        : {};
  const storageClass = form.storageClass === "{empty}" ? {} : { storageClassName: form.storageClass === "{none}" ? "" : form.storageClass };
  return {
    apiVersion: "v1",
    kind: CLAIMS.kind,
    metadata: { name: form.name },
    spec: { accessModes: [form.mode], resources: { requests: { storage: form.size } }, ...storageClass, ...source },
  };
}

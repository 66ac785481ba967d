/** Changes to a notebook that exists: what is edited of it, and the patch that saves it. Pure. */
import type { Notebook } from "../../../kinds/generated";
import { nameError, type FormErrors } from "./notebookForm";
import { mountsOf, serverSpecOf, type ContainerSpec, type ServerSpec, type VolumeSource } from "./notebooks";
import { quantityOf } from "../../../kinds/quantities";

export interface NotebookEdit {
  image: string;
  cpu: string;
  memory: string;
  cpuLimit: string;
  memoryLimit: string;
  gpus: string;
  vendor: string;
  /** Labels of PodDefaults. */
  configurations: string[];
  /** Claims and where they are mounted. */
  claims: { claim: string; mount: string; readOnly: boolean }[];
}

export function editOf(notebook: Notebook, vendors: string[], podDefaultLabels: string[]): NotebookEdit {
  const spec = serverSpecOf(notebook);
  const { requests = {}, limits = {} } = spec.containers[0]?.resources ?? {};
  const vendor = vendors.find((one) => limits[one] !== undefined) ?? "";
  const labels = notebook.metadata.labels ?? {};
  return {
    image: spec.containers[0]?.image ?? "",
    cpu: String(requests["cpu"] ?? ""),
    memory: String(requests["memory"] ?? ""),
    cpuLimit: String(limits["cpu"] ?? ""),
    memoryLimit: String(limits["memory"] ?? ""),
    gpus: vendor === "" ? "none" : String(limits[vendor]),
    vendor,
    configurations: podDefaultLabels.filter((label) => labels[label] === "true"),
    claims: mountsOf(spec)
      .filter((mount) => mount.kind === "claim")
      .map((mount) => ({ claim: mount.name, mount: mount.path, readOnly: mount.readOnly })),
  };
}

export function editErrors(edit: NotebookEdit): FormErrors {
  const errors: FormErrors = {};
  if (edit.image.trim() === "") errors["image"] = "required";
  for (const field of ["cpu", "memory"] as const) {
    const request = edit[field] === "" ? undefined : quantityOf(edit[field]);
    const limit = edit[`${field}Limit`] === "" ? undefined : quantityOf(edit[`${field}Limit`]);
    if (edit[field] !== "" && !((request ?? 0) > 0)) errors[field] = "amount";
    if (edit[`${field}Limit`] !== "" && !((limit ?? 0) > 0)) errors[`${field}Limit`] = "amount";
    else if (limit !== undefined && request !== undefined && limit < request) errors[`${field}Limit`] = "belowMinimum";
  }
  if (edit.gpus !== "none" && edit.vendor === "") errors["vendor"] = "required";
  edit.claims.forEach(({ claim, mount }, index) => {
    if (nameError(claim, [], 253) === "required") errors[`claims.${index}.claim`] = "required";
    if (!mount.startsWith("/")) errors[`claims.${index}.mount`] = "mount";
    else if (edit.claims.findIndex((one) => one.mount === mount) !== index) errors[`claims.${index}.mount`] = "mountUsed";
  });
  return errors;
}

export interface NotebookPatch {
  metadata: { resourceVersion: string | undefined; labels: Record<string, string | null> };
  spec: { template: { spec: unknown } };
}

/** A merge patch, guarded by the version that was edited. What the form does not show stays as it is. */
export function editPatch(notebook: Notebook, edit: NotebookEdit, vendors: string[], podDefaultLabels: string[]): NotebookPatch {
  const spec = serverSpecOf(notebook);
  const volumes = editedVolumes(spec, edit);
  const [first, ...others] = spec.containers;
  const container: ContainerSpec = {
    ...(first ?? { name: notebook.metadata.name }),
    image: edit.image.trim(),
    resources: editedResources(first?.resources ?? {}, edit, vendors),
    volumeMounts: volumes.mounts,
  };
  const labels = Object.fromEntries(podDefaultLabels.map((label) => [label, edit.configurations.includes(label) ? "true" : null]));
  return {
    metadata: { resourceVersion: notebook.metadata.resourceVersion, labels },
    spec: { template: { spec: { containers: [container, ...others], volumes: volumes.volumes } } },
  };
}

function editedResources(before: NonNullable<ContainerSpec["resources"]>, edit: NotebookEdit, vendors: string[]): ContainerSpec["resources"] {
  const without = (amounts: Record<string, string | number> | undefined, names: string[]) =>
    Object.fromEntries(Object.entries(amounts ?? {}).filter(([name]) => !names.includes(name)));
  const given = (cpu: string, memory: string) => Object.fromEntries(Object.entries({ cpu, memory }).filter(([, value]) => value !== ""));
  const gpus = edit.gpus === "none" ? {} : { [edit.vendor]: edit.gpus };
  return {
    ...before,
    requests: { ...without(before.requests, ["cpu", "memory", ...vendors]), ...given(edit.cpu, edit.memory) },
    limits: { ...without(before.limits, ["cpu", "memory", ...vendors]), ...given(edit.cpuLimit, edit.memoryLimit), ...gpus },
  };
}

/** Volumes that are not claims stay; claims are those of the edit, under the names that they had. */
function editedVolumes(spec: ServerSpec, edit: NotebookEdit): { volumes: VolumeSource[]; mounts: NonNullable<ContainerSpec["volumeMounts"]> } {
  const before = spec.volumes ?? [];
  const kept = before.filter((volume) => volume.persistentVolumeClaim === undefined);
  const keptNames = new Set(kept.map((volume) => volume.name));
  const mounts = (spec.containers[0]?.volumeMounts ?? []).filter((mount) => keptNames.has(mount.name));
  const volumes = [...kept];
  for (const { claim, mount, readOnly } of edit.claims) {
    let volume = volumes.find((one) => one.persistentVolumeClaim?.claimName === claim);
    if (volume === undefined) {
      volume = before.find((one) => one.persistentVolumeClaim?.claimName === claim) ?? {
        name: freeName(claim, [...before, ...volumes]),
        persistentVolumeClaim: { claimName: claim },
      };
      volumes.push(volume);
    }
    const known = spec.containers[0]?.volumeMounts?.find((one) => one.name === volume.name && one.mountPath === mount);
    mounts.push({ ...known, name: volume.name, mountPath: mount, ...(readOnly ? { readOnly: true } : { readOnly: false }) });
  }
  return { volumes, mounts };
}

function freeName(claim: string, volumes: VolumeSource[]): string {
  const base = claim.replaceAll(".", "-").slice(0, 60);
  return volumes.some((volume) => volume.name === base) ? `${base}-2` : base;
}

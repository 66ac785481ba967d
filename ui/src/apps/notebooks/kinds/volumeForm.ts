/** A volume of a new notebook: a new claim, one that exists, or any source as YAML. Pure. */
import { parse } from "yaml";
import type { FormErrors } from "./notebookForm";
import { quantityOf } from "../../../kinds/quantities";

export const PLACEHOLDER = "{notebook-name}";

export interface VolumeForm {
  kind: "new" | "existing" | "newYaml" | "existingYaml";
  mount: string;
  /** Of a new claim. */
  name: string;
  size: string;
  storageClass: string;
  mode: string;
  /** Of one that exists. */
  claim: string;
  readOnly: boolean;
  yaml: string;
}

export const emptyVolume: VolumeForm = {
  kind: "new",
  mount: "",
  name: "",
  size: "10Gi",
  storageClass: "",
  mode: "ReadWriteOnce",
  claim: "",
  readOnly: false,
  yaml: "",
};

interface Configured {
  mount?: string;
  newPvc?: {
    metadata?: { name?: string };
    spec?: { accessModes?: string[]; storageClassName?: string; resources?: { requests?: { storage?: string } } };
  };
  existingSource?: { persistentVolumeClaim?: { claimName?: string; readOnly?: boolean } };
}

/** A volume of the spawner's configuration; undefined for none. */
export function volumeFormOf(value: unknown): VolumeForm | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  const { mount = "", newPvc, existingSource } = value as Configured;
  if (newPvc !== undefined) {
    return {
      ...emptyVolume,
      mount,
      name: newPvc.metadata?.name ?? "",
      size: newPvc.spec?.resources?.requests?.storage ?? emptyVolume.size,
      storageClass: newPvc.spec?.storageClassName ?? "",
      mode: newPvc.spec?.accessModes?.[0] ?? emptyVolume.mode,
    };
  }
  const claim = existingSource?.persistentVolumeClaim;
  return { ...emptyVolume, kind: "existing", mount, claim: claim?.claimName ?? "", readOnly: claim?.readOnly === true };
}

/** The next data volume, with a name and place that no other has. */
export function nextDataVolume(volumes: VolumeForm[], kind: VolumeForm["kind"]): VolumeForm {
  let number = 1;
  while (volumes.some((one) => one.name === `${PLACEHOLDER}-datavol-${number}` || one.mount === `/home/jovyan/vol-${number}`)) number += 1;
  return { ...emptyVolume, kind, name: `${PLACEHOLDER}-datavol-${number}`, mount: `/home/jovyan/vol-${number}` };
}

export const fillName = (volume: VolumeForm, notebook: string): VolumeForm => ({
  ...volume,
  name: volume.name.replaceAll(PLACEHOLDER, notebook),
  yaml: volume.yaml.replaceAll(PLACEHOLDER, notebook),
});

export function volumeErrors(volume: VolumeForm): FormErrors {
  const errors: FormErrors = {};
  if (!volume.mount.startsWith("/")) errors["mount"] = "mount";
  if (volume.kind === "new") {
    if (volume.name === "") errors["name"] = "required";
    if (!((quantityOf(volume.size) ?? 0) > 0)) errors["size"] = "size";
  }
  if (volume.kind === "existing" && volume.claim === "") errors["claim"] = "required";
  if (volume.kind.endsWith("Yaml") && mappingOf(volume.yaml) === undefined) errors["yaml"] = "yaml";
  return errors;
}

/** `{mount, newPvc}` or `{mount, existingSource}`, as the API has it. */
export function volumeBody(volume: VolumeForm): Record<string, unknown> {
  const { mount } = volume;
  switch (volume.kind) {
    case "new":
      return { mount, newPvc: { metadata: { name: volume.name }, spec: claimSpec(volume) } };
    case "newYaml":
      return { mount, newPvc: mappingOf(volume.yaml) };
    case "existing":
      return { mount, existingSource: { persistentVolumeClaim: { claimName: volume.claim, ...(volume.readOnly ? { readOnly: true } : {}) } } };
    case "existingYaml":
      return { mount, existingSource: mappingOf(volume.yaml) };
  }
}

const claimSpec = (volume: VolumeForm): Record<string, unknown> => ({
  accessModes: [volume.mode],
  resources: { requests: { storage: volume.size } },
  ...(volume.storageClass === "" ? {} : { storageClassName: volume.storageClass }),
});

function mappingOf(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

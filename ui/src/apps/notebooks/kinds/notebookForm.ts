/** The form of a new notebook: its defaults, what is wrong with it, and what is posted. Pure. */
import type { ServerType } from "./notebooks";
import { quantityOf } from "../../../kinds/quantities";
import type { VolumeForm } from "./volumeForm";
import { fillName, volumeBody, volumeErrors, volumeFormOf } from "./volumeForm";

export const NAME = /^[a-z]([-a-z0-9]*[a-z0-9])?$/;
export const MAX_NAME = 40;
export const GPU_COUNTS = ["none", "1", "2", "4", "8"];
export const PULL_POLICIES = ["IfNotPresent", "Always", "Never"];
const GI = 2 ** 30;

export interface ConfigField<T> {
  value: T;
  readOnly?: boolean;
}

interface ImageField extends ConfigField<string> {
  options?: string[];
}

interface AmountField extends ConfigField<string> {
  limitFactor?: string;
}

export interface Vendor {
  limitsKey: string;
  uiName: string;
}

/** `spawnerFormDefaults` of the administrator. */
export interface SpawnerConfig {
  allowCustomImage?: boolean;
  hideRegistry?: boolean;
  hideTag?: boolean;
  imagePullPolicy: ConfigField<string>;
  image: ImageField;
  imageGroupOne: ImageField;
  imageGroupTwo: ImageField;
  cpu: AmountField;
  memory: AmountField;
  gpus: ConfigField<{ num: string | number; vendor: string; vendors: Vendor[] }>;
  workspaceVolume: ConfigField<unknown>;
  dataVolumes: ConfigField<unknown[]>;
  affinityConfig: ConfigField<string> & { options?: { configKey: string; displayName: string; affinity?: unknown }[] };
  tolerationGroup: ConfigField<string> & { options?: { groupKey: string; displayName: string; tolerations?: unknown }[] };
  shm: ConfigField<boolean>;
  configurations: ConfigField<string[]>;
  environment?: ConfigField<Record<string, string>>;
}

export interface NotebookForm {
  name: string;
  serverType: ServerType;
  /** The chosen image of each type. */
  images: Record<ServerType, string>;
  usesCustomImage: boolean;
  customImage: string;
  pullPolicy: string;
  /** Cores and Gi; a maximum that is undefined follows the minimum. */
  cpu: number;
  memory: number;
  cpuLimit: number | undefined;
  memoryLimit: number | undefined;
  gpus: string;
  vendor: string;
  workspace: VolumeForm | undefined;
  dataVolumes: VolumeForm[];
  configurations: string[];
  /** Variables as they are typed: `NAME=value`, one a line. */
  environment: string;
  affinity: string;
  tolerations: string;
  sharedMemory: boolean;
}

export const imageField = (config: SpawnerConfig, type: ServerType): ImageField =>
  type === "jupyter" ? config.image : type === "group-one" ? config.imageGroupOne : config.imageGroupTwo;

export function initialForm(config: SpawnerConfig): NotebookForm {
  const gpus = config.gpus.value;
  return {
    name: "",
    serverType: "jupyter",
    images: { jupyter: config.image.value, "group-one": config.imageGroupOne.value, "group-two": config.imageGroupTwo.value },
    usesCustomImage: false,
    customImage: "",
    pullPolicy: config.imagePullPolicy.value,
    cpu: quantityOf(config.cpu.value) ?? Number.NaN,
    memory: (quantityOf(config.memory.value) ?? Number.NaN) / GI,
    cpuLimit: undefined,
    memoryLimit: undefined,
    gpus: String(gpus.num),
    vendor: gpus.vendor,
    workspace: volumeFormOf(config.workspaceVolume.value),
    dataVolumes: config.dataVolumes.value.map(volumeFormOf).filter((volume) => volume !== undefined),
    configurations: config.configurations.value,
    environment: Object.entries(config.environment?.value ?? {})
      .map(([name, value]) => `${name}=${value}`)
      .join("\n"),
    affinity: config.affinityConfig.value,
    tolerations: config.tolerationGroup.value,
    sharedMemory: config.shm.value,
  };
}

/** What the server makes of a maximum that is not given: the minimum times the factor, to one place. */
export function limitOf(request: number, factor: string | undefined): number | undefined {
  const by = Number(factor ?? "none");
  return Number.isFinite(by) && Number.isFinite(request) ? Math.round(request * by * 10) / 10 : undefined;
}

/** Codes of what is wrong, by field; words for them are in `words`. */
export type FormError = "required" | "nameCharacters" | "nameLength" | "nameUsed" | "amount" | "belowMinimum" | "mount" | "mountUsed" | "size" | "yaml" | "variable";
export type FormErrors = Partial<Record<string, FormError>>;

export function formErrors(form: NotebookForm, config: SpawnerConfig, used: string[]): FormErrors {
  const errors: FormErrors = {};
  const wrong = nameError(form.name, used);
  if (wrong !== undefined) errors["name"] = wrong;
  if (form.usesCustomImage && form.customImage.trim() === "") errors["customImage"] = "required";
  for (const field of ["cpu", "memory"] as const) {
    if (config[field].readOnly === true) continue;
    if (!(form[field] > 0)) errors[field] = "amount";
    const limit = form[`${field}Limit`];
    if (limit !== undefined && !(limit >= form[field])) errors[`${field}Limit`] = Number.isNaN(limit) ? "amount" : "belowMinimum";
  }
  if (variablesOf(form.environment) === undefined) errors["environment"] = "variable";
  if (hasGpus(form) && form.vendor === "" && config.gpus.readOnly !== true) errors["vendor"] = "required";
  return { ...errors, ...allVolumeErrors(form, config) };
}

const VARIABLE = /^([A-Za-z_][A-Za-z0-9_.-]*)=(.*)$/;

/** Variables by name; undefined where a line is none. Empty lines do not count. */
export function variablesOf(text: string): Record<string, string> | undefined {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  const found = lines.map((line) => VARIABLE.exec(line.trim()));
  return found.some((one) => one === null) ? undefined : Object.fromEntries(found.map((one) => [one?.[1] ?? "", one?.[2] ?? ""]));
}

export function nameError(name: string, used: string[], longest = MAX_NAME): FormError | undefined {
  if (name === "") return "required";
  if (!NAME.test(name)) return "nameCharacters";
  if (name.length > longest) return "nameLength";
  return used.includes(name) ? "nameUsed" : undefined;
}

function allVolumeErrors(form: NotebookForm, config: SpawnerConfig): FormErrors {
  const volumes: [string, VolumeForm][] = [];
  if (form.workspace !== undefined && config.workspaceVolume.readOnly !== true) volumes.push(["workspace", form.workspace]);
  if (config.dataVolumes.readOnly !== true) form.dataVolumes.forEach((volume, index) => volumes.push([`data.${index}`, volume]));
  const errors: FormErrors = {};
  const mounts = new Set<string>();
  for (const [where, volume] of volumes) {
    for (const [field, error] of Object.entries(volumeErrors(volume))) errors[`${where}.${field}`] = error;
    if (mounts.has(volume.mount)) errors[`${where}.mount`] = "mountUsed";
    mounts.add(volume.mount);
  }
  return errors;
}

export const hasGpus = (form: Pick<NotebookForm, "gpus">): boolean => form.gpus !== "none" && form.gpus !== "";

/** The vendor of the chosen GPUs, if no node has any of theirs. */
export function missingVendor(form: NotebookForm, config: SpawnerConfig, present: string[]): Vendor | undefined {
  if (!hasGpus(form) || form.vendor === "" || present.includes(form.vendor)) return undefined;
  return config.gpus.value.vendors.find((vendor) => vendor.limitsKey === form.vendor) ?? { limitsKey: form.vendor, uiName: form.vendor };
}

/** What is posted. Fields that the administrator has fixed are left out: the server refuses requests that set them. */
export function bodyOf(form: NotebookForm, config: SpawnerConfig): Record<string, unknown> {
  const named = (volume: VolumeForm): unknown => volumeBody(fillName(volume, form.name));
  const fields: [string, ConfigField<unknown>, unknown][] = [
    ["imagePullPolicy", config.imagePullPolicy, form.pullPolicy],
    ["cpu", config.cpu, String(form.cpu)],
    ["cpuLimit", config.cpu, form.cpuLimit === undefined ? undefined : String(form.cpuLimit)],
    ["memory", config.memory, `${form.memory}Gi`],
    ["memoryLimit", config.memory, form.memoryLimit === undefined ? undefined : `${form.memoryLimit}Gi`],
    ["gpus", config.gpus, hasGpus(form) ? { num: form.gpus, vendor: form.vendor } : { num: "none", vendor: "" }],
    ["tolerationGroup", config.tolerationGroup, form.tolerations],
    ["affinityConfig", config.affinityConfig, form.affinity],
    ["configurations", config.configurations, form.configurations],
    ["environment", config.environment ?? { value: {} }, form.environment.trim() === "" ? undefined : variablesOf(form.environment)],
    ["shm", config.shm, form.sharedMemory],
    ["workspace", config.workspaceVolume, form.workspace && named(form.workspace)],
    ["datavols", config.dataVolumes, form.dataVolumes.map(named)],
  ];
  const image = imageField(config, form.serverType);
  if (form.usesCustomImage) fields.push(["customImage", image, form.customImage.trim()], ["customImageCheck", image, true]);
  else fields.push(["image", image, form.images[form.serverType]]);
  const given = fields.filter(([, field, value]) => field.readOnly !== true && value !== undefined).map(([name, , value]) => [name, value]);
  return { name: form.name, serverType: form.serverType, ...(Object.fromEntries(given) as Record<string, unknown>) };
}

/** The field that an error of the server names at its start: `cpuLimit: 1 is below …`. */
export const fieldOfMessage = (message: string): string => /^([A-Za-z]+)(?:[.[][^:]*)?: /.exec(message)?.[1] ?? "";

export interface Size {
  id: string;
  cpu: number;
  memory: number;
}

/** Simple choices of CPU and memory; the first is the administrator's. */
export function sizes(config: SpawnerConfig): Size[] {
  const own = initialForm(config);
  const larger = [
    { id: "medium", cpu: 2, memory: 4 },
    { id: "large", cpu: 4, memory: 16 },
  ];
  return [{ id: "small", cpu: own.cpu, memory: own.memory }, ...larger.filter((size) => size.cpu > own.cpu && size.memory > own.memory)];
}

export const sizeOf = (form: NotebookForm, all: Size[]): string =>
  all.find((size) => size.cpu === form.cpu && size.memory === form.memory)?.id ?? "custom";

/** An image as the administrator wants it shown: without its registry, or its tag. */
export function imageLabel(image: string, config: Pick<SpawnerConfig, "hideRegistry" | "hideTag">): string {
  const short = config.hideRegistry === true ? image.slice(image.lastIndexOf("/") + 1) : image;
  return config.hideTag === true ? short.replace(/:[^:/]+$/, "") : short;
}

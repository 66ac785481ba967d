/** A new notebook as a form and as objects: a Notebook, and the claims that are made with it. Pure. */
import { assign, dig, isRecord, isSame, listOf, recordOf, textOf, within, without, type ManifestObject } from "../../../kinds/manifest";
import { hasGpus, imageField, initialForm, limitOf, type NotebookForm, type SpawnerConfig } from "./notebookForm";
import { SERVER_TYPE, serverTypeOf } from "./notebooks";
import { isNotebook, readSharedMemory, readVolumes, withoutNumbers, writeSharedMemory, writeVolumes } from "./notebookVolumes";
import { quantityOf } from "../../../kinds/quantities";

/** Chosen in the YAML: what no option of the administrator says. */
export const OTHER = "{yaml}";
const REWRITE = "notebooks.kubeflow.org/http-rewrite-uri";
const REQUEST_HEADERS = "notebooks.kubeflow.org/http-headers-request-set";
const GI = 2 ** 30;

export interface NotebookContext {
  namespace: string;
  config: SpawnerConfig;
  /** Labels of the namespace's PodDefaults: other labels are not configurations. */
  podDefaultLabels: string[];
}

const specOf = (notebook: ManifestObject): Record<string, unknown> => recordOf(dig(notebook, "spec", "template", "spec"));

/** The first container is the server. */
function containerIn(spec: Record<string, unknown>): Record<string, unknown> {
  const containers = listOf(spec["containers"]);
  const first = recordOf(containers[0]);
  spec["containers"] = [first, ...containers.slice(1)];
  return first;
}

/** The objects of a form that nobody has edited otherwise. */
export function notebookObjects(form: NotebookForm, context: NotebookContext): ManifestObject[] {
  const bare: ManifestObject = {
    apiVersion: "kubeflow.org/v1beta1",
    kind: "Notebook",
    metadata: { name: form.name, labels: { app: form.name } },
    spec: { template: { spec: { serviceAccountName: "default-editor", containers: [{ name: form.name }] } } },
  };
  return write([bare], undefined, form, context);
}

function write(objects: ManifestObject[], before: NotebookForm | undefined, after: NotebookForm, context: NotebookContext): ManifestObject[] {
  const copies = structuredClone(objects);
  const notebook = copies.find(isNotebook);
  if (notebook === undefined) return objects;
  const spec = within(notebook, "spec", "template", "spec");
  const container = containerIn(spec);
  writeNames(notebook, container, before, after);
  writeServerType(notebook, before, after, context.namespace);
  if (before === undefined || imageOf(before) !== imageOf(after)) container["image"] = imageOf(after);
  if (before?.pullPolicy !== after.pullPolicy) container["imagePullPolicy"] = after.pullPolicy;
  writeAmount(container, "cpu", before, after, context.config);
  writeAmount(container, "memory", before, after, context.config);
  writeGpus(container, before, after);
  writeConfigurations(notebook, before, after);
  if ((before?.environment ?? "") !== after.environment) writeEnvironment(container, after.environment);
  if (before?.affinity !== after.affinity) place(spec, "affinity", after.affinity, optionsOf(context.config).affinity);
  if (before?.tolerations !== after.tolerations) place(spec, "tolerations", after.tolerations, optionsOf(context.config).tolerations);
  writeVolumes(copies, before, after);
  writeSharedMemory(copies, before?.sharedMemory ?? false, after.sharedMemory);
  return copies;
}

function writeNames(notebook: ManifestObject, container: Record<string, unknown>, before: NotebookForm | undefined, after: NotebookForm): void {
  if (before === undefined || before.name === after.name) return;
  const metadata = within(notebook, "metadata");
  metadata["name"] = after.name;
  const labels = recordOf(metadata["labels"]);
  if (labels["app"] === before.name) labels["app"] = after.name;
  if (container["name"] === before.name) container["name"] = after.name;
}

/** What the route to a server of this type needs. */
function routing(form: Pick<NotebookForm, "serverType" | "name">, namespace: string): Record<string, string> {
  return {
    [SERVER_TYPE]: form.serverType,
    ...(form.serverType === "jupyter" ? {} : { [REWRITE]: "/" }),
    ...(form.serverType === "group-two" ? { [REQUEST_HEADERS]: `{"X-RStudio-Root-Path":"/notebook/${namespace}/${form.name}/"}` } : {}),
  };
}

function writeServerType(notebook: ManifestObject, before: NotebookForm | undefined, after: NotebookForm, namespace: string): void {
  const old = before === undefined ? {} : routing(before, namespace);
  const wanted = routing(after, namespace);
  if (isSame(old, wanted)) return;
  const annotations = within(notebook, "metadata", "annotations");
  for (const [name, value] of Object.entries(old)) if (annotations[name] === value) assign(annotations, name, undefined);
  for (const [name, value] of Object.entries(wanted)) annotations[name] ??= value;
  annotations[SERVER_TYPE] = after.serverType;
}

const imageOf = (form: NotebookForm): string => (form.usesCustomImage ? form.customImage.trim() : form.images[form.serverType]);

const amountText = (field: "cpu" | "memory", amount: number | undefined): string | undefined =>
  amount === undefined || Number.isNaN(amount) ? undefined : field === "cpu" ? String(amount) : `${amount}Gi`;

/** A maximum follows the minimum, unless the text has none or another. */
function writeAmount(container: Record<string, unknown>, field: "cpu" | "memory", before: NotebookForm | undefined, after: NotebookForm, config: SpawnerConfig): void {
  const limitField = `${field}Limit` as const;
  const factor = config[field].limitFactor;
  const resources = recordOf(container["resources"]);
  const isChanged = before === undefined || !Object.is(before[field], after[field]);
  const isLimitChanged = before === undefined || !Object.is(before[limitField], after[limitField]);
  if (isChanged) put(container, "requests", field, amountText(field, after[field]));
  const followed = before !== undefined && quantityOf(textOf(dig(resources, "limits", field))) === quantityOf(amountText(field, limitOf(before[field], factor)));
  if (isLimitChanged || (isChanged && followed)) put(container, "limits", field, amountText(field, after[limitField] ?? limitOf(after[field], factor)));
}

function put(container: Record<string, unknown>, part: "requests" | "limits", resource: string, amount: string | number | undefined): void {
  assign(within(container, "resources", part), resource, amount);
}

function writeGpus(container: Record<string, unknown>, before: NotebookForm | undefined, after: NotebookForm): void {
  if (before !== undefined && before.gpus === after.gpus && before.vendor === after.vendor) return;
  if (before !== undefined && hasGpus(before) && before.vendor !== "") {
    put(container, "limits", before.vendor, undefined);
    if (dig(container, "resources", "requests", before.vendor) !== undefined) put(container, "requests", before.vendor, undefined);
  }
  if (hasGpus(after) && after.vendor !== "") put(container, "limits", after.vendor, Number(after.gpus));
}

function writeConfigurations(notebook: ManifestObject, before: NotebookForm | undefined, after: NotebookForm): void {
  const old = before?.configurations ?? [];
  const gone = old.filter((label) => !after.configurations.includes(label));
  const added = after.configurations.filter((label) => !old.includes(label));
  if (gone.length + added.length === 0) return;
  const labels = within(notebook, "metadata", "labels");
  for (const label of gone) assign(labels, label, undefined);
  for (const label of added) labels[label] = "true";
}

/** Lines `NAME=value`; a line that is no more than a name is a variable without a value. */
function variableLines(text: string): Map<string, string | undefined> {
  const lines = text.split("\n").filter((line) => line.trim() !== "");
  return new Map(
    lines.map((line) => {
      const at = line.indexOf("=");
      return at < 0 ? [line.trim(), undefined] : [line.slice(0, at).trim(), line.slice(at + 1)];
    }),
  );
}

/** Variables that a line cannot say stay where they are: those of Secrets and fields, and values of several lines. */
const isPlain = (variable: Record<string, unknown>): boolean => variable["valueFrom"] === undefined && !textOf(variable["value"]).includes("\n");

function writeEnvironment(container: Record<string, unknown>, text: string): void {
  const present = listOf(container["env"]).filter(isRecord);
  const wanted = [...variableLines(text)].map(([name, value]) => {
    const known = without(present.find((one) => isPlain(one) && one["name"] === name) ?? { name }, "value");
    return value === undefined ? known : { ...known, value };
  });
  // In the order of the lines, round those that keep their places: a variable may refer to one before it.
  const places = present.flatMap((one) => (isPlain(one) ? wanted.splice(0, 1) : [one]));
  const all = [...places, ...wanted];
  if (all.length === 0) delete container["env"];
  else container["env"] = all;
}

function readEnvironment(container: Record<string, unknown>): string {
  const plain = listOf(container["env"]).filter(isRecord).filter(isPlain);
  return plain.map((one) => (one["value"] === undefined ? textOf(one["name"]) : `${textOf(one["name"])}=${textOf(one["value"])}`)).join("\n");
}

/** The administrator's options by their keys. */
function optionsOf(config: SpawnerConfig): Record<"affinity" | "tolerations", Map<string, unknown>> {
  return {
    affinity: new Map((config.affinityConfig.options ?? []).map((one) => [one.configKey, one.affinity])),
    tolerations: new Map((config.tolerationGroup.options ?? []).map((one) => [one.groupKey, one.tolerations])),
  };
}

function place(spec: Record<string, unknown>, field: "affinity" | "tolerations", chosen: string, options: Map<string, unknown>): void {
  if (chosen === OTHER) return;
  const value = options.get(chosen);
  assign(spec, field, value === null ? undefined : structuredClone(value));
}

function placed(value: unknown, options: Map<string, unknown>): string {
  if (value === undefined || value === null) return "";
  return [...options].find(([, option]) => isSame(option, value))?.[0] ?? OTHER;
}

function read(objects: ManifestObject[], before: NotebookForm, context: NotebookContext): NotebookForm {
  const notebook = objects.find(isNotebook);
  if (notebook === undefined) return before;
  const { config } = context;
  const spec = specOf(notebook);
  const container = recordOf(listOf(spec["containers"])[0]);
  const labels = recordOf(dig(notebook, "metadata", "labels"));
  return {
    ...before,
    name: textOf(dig(notebook, "metadata", "name")),
    ...readImage(notebook, textOf(container["image"]), before, config),
    pullPolicy: textOf(container["imagePullPolicy"]) || config.imagePullPolicy.value,
    ...readAmounts(container, config),
    ...readGpus(container, before, config),
    configurations: [...new Set([...before.configurations, ...context.podDefaultLabels])].filter((label) => labels[label] === "true"),
    environment: readEnvironment(container),
    affinity: placed(spec["affinity"], optionsOf(config).affinity),
    tolerations: placed(spec["tolerations"], optionsOf(config).tolerations),
    ...readVolumes(objects, before, textOf(dig(config.workspaceVolume.value, "mount"))),
    sharedMemory: readSharedMemory(notebook),
  };
}

function readImage(notebook: ManifestObject, image: string, before: NotebookForm, config: SpawnerConfig): Pick<NotebookForm, "serverType" | "images" | "usesCustomImage" | "customImage"> {
  const serverType = serverTypeOf(textOf(dig(notebook, "metadata", "annotations", SERVER_TYPE)));
  const field = imageField(config, serverType);
  const isOffered = image === field.value || (field.options ?? []).includes(image);
  return isOffered
    ? { serverType, images: { ...before.images, [serverType]: image }, usesCustomImage: false, customImage: before.customImage }
    : { serverType, images: before.images, usesCustomImage: true, customImage: image };
}

function readAmounts(container: Record<string, unknown>, config: SpawnerConfig): Pick<NotebookForm, "cpu" | "memory" | "cpuLimit" | "memoryLimit"> {
  const amount = (part: string, field: "cpu" | "memory"): number => (quantityOf(textOf(dig(container, "resources", part, field))) ?? Number.NaN) / (field === "cpu" ? 1 : GI);
  const limit = (field: "cpu" | "memory", request: number): number | undefined => {
    const given = amount("limits", field);
    const follows = limitOf(request, config[field].limitFactor);
    return Number.isNaN(given) || (follows !== undefined && Math.abs(given - follows) < 1e-9) ? undefined : given;
  };
  const [cpu, memory] = [amount("requests", "cpu"), amount("requests", "memory")];
  return { cpu, memory, cpuLimit: limit("cpu", cpu), memoryLimit: limit("memory", memory) };
}

function readGpus(container: Record<string, unknown>, before: NotebookForm, config: SpawnerConfig): Pick<NotebookForm, "gpus" | "vendor"> {
  const limits = recordOf(dig(container, "resources", "limits"));
  const known = [before.vendor, ...config.gpus.value.vendors.map((vendor) => vendor.limitsKey)];
  const vendor = known.find((key) => key !== "" && limits[key] !== undefined && textOf(limits[key]) !== "0");
  return vendor === undefined ? { gpus: "none", vendor: before.vendor } : { gpus: textOf(limits[vendor]), vendor };
}

/** How the form of a new notebook is read from objects, and written into them. */
export const notebookLens = (context: NotebookContext) => ({
  read: (objects: ManifestObject[], before: NotebookForm): NotebookForm => read(objects, before, context),
  write: (objects: ManifestObject[], before: NotebookForm, after: NotebookForm): ManifestObject[] => write(objects, before, after, context),
});

const FIXED: [keyof SpawnerConfig, (keyof NotebookForm)[]][] = [
  ["imagePullPolicy", ["pullPolicy"]],
  ["cpu", ["cpu", "cpuLimit"]],
  ["memory", ["memory", "memoryLimit"]],
  ["gpus", ["gpus", "vendor"]],
  ["workspaceVolume", ["workspace"]],
  ["dataVolumes", ["dataVolumes"]],
  ["affinityConfig", ["affinity"]],
  ["tolerationGroup", ["tolerations"]],
  ["shm", ["sharedMemory"]],
  ["configurations", ["configurations"]],
  ["environment", ["environment"]],
];

/** The form as the server takes it: what the administrator has fixed is as configured. */
function asPosted(form: NotebookForm, config: SpawnerConfig): NotebookForm {
  const own = initialForm(config);
  const isFixed = (name: keyof SpawnerConfig): boolean => dig(config, name, "readOnly") === true;
  const fields = FIXED.filter(([name]) => isFixed(name)).flatMap(([, all]) => all);
  const image = imageField(config, form.serverType);
  const images = image.readOnly === true ? { usesCustomImage: false, images: { ...form.images, [form.serverType]: image.value } } : {};
  return { ...form, ...images, ...Object.fromEntries(fields.map((field) => [field, own[field]])) };
}

/** Whether a form says all that its objects say; where it does not, the objects themselves have to be posted. */
export const isAllInForm = (objects: ManifestObject[], form: NotebookForm, context: NotebookContext): boolean =>
  isSame(comparable(objects), comparable(notebookObjects(asPosted(form, context.config), context)));

/** Objects whose order, and that of volumes, says nothing; what is empty is the same as absent. */
function comparable(objects: ManifestObject[]): unknown {
  const key = (one: unknown): string => ["kind", "name", "mountPath"].map((field) => textOf(dig(one, field))).join() + textOf(dig(one, "metadata", "name"));
  const sorted = (list: unknown[]): unknown[] => list.toSorted((one, other) => key(one).localeCompare(key(other)));
  const tidy = (value: unknown, name = ""): unknown => {
    if (Array.isArray(value)) {
      const items = value.map((item) => tidy(item));
      return items.length === 0 ? undefined : name === "volumes" || name === "volumeMounts" ? sorted(items) : items;
    }
    if (!isRecord(value)) return value ?? undefined;
    const fields = Object.entries(value).map(([field, inside]) => [field, tidy(inside, field)] as const);
    const left = fields.filter(([, inside]) => inside !== undefined);
    return left.length === 0 ? undefined : Object.fromEntries(left);
  };
  return sorted(withoutNumbers(objects).map((one) => tidy(one)));
}

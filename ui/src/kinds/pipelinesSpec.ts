/** The steps of a pipeline, read from its IR or from the Argo Workflow of a v1 pipeline. Pure. */

export type StepKind = "task" | "importer" | "dag" | "loop" | "condition" | "branches" | "exit";

/** One step of a DAG as it is defined, before any run. */
export interface Step {
  key: string;
  label: string;
  kind: StepKind;
  /** Keys of the steps of the same DAG that come before it. */
  after: string[];
  condition: string | undefined;
  image: string | undefined;
  /** The steps inside of a DAG, a loop or a branch. */
  inner: Step[];
  /** Output artifacts by name, with the title of their schema. */
  outputs: { name: string; type: string }[];
  /** Artifacts of other steps that it reads. */
  reads: { step: string; output: string }[];
  /** The object that a resource template of a v1 pipeline creates, with its placeholders. */
  manifest?: string;
  /** What a step of a v1 pipeline mounts. */
  mounts?: VolumeMount[];
}

export interface VolumeMount {
  path: string;
  volume: string;
}

export type ParameterType = "STRING" | "NUMBER_INTEGER" | "NUMBER_DOUBLE" | "BOOLEAN" | "LIST" | "STRUCT" | "TASK_FINAL_STATUS" | "TASK_CONFIG";

export interface InputParameter {
  parameterType?: ParameterType;
  defaultValue?: unknown;
  isOptional?: boolean;
  description?: string;
  literals?: unknown[];
}

export interface SpecView {
  name: string;
  isArgo: boolean;
  steps: Step[];
  parameters: Record<string, InputParameter>;
}

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);
const object = (value: unknown): Json => (isObject(value) ? value : {});
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
const text = (value: unknown): string => (typeof value === "string" ? value : "");
/** `a.b.c` of nested objects. */
const dig = (value: unknown, ...keys: string[]): unknown => keys.reduce<unknown>((inner, key) => object(inner)[key], value);

/** The IR, or the Workflow, of what a version or run has as `pipeline_spec`. */
export const irOf = (spec: unknown): unknown => (isObject(spec) && isObject(spec["pipeline_spec"]) ? spec["pipeline_spec"] : spec);

/** What a specification defines; undefined where it is none that is known. */
export function readSpec(spec: unknown): SpecView | undefined {
  const inner = irOf(spec);
  if (!isObject(inner)) return undefined;
  if (text(inner["kind"]) === "Workflow") return readArgo(inner);
  if (!isObject(inner["root"])) return undefined;
  return {
    name: text(dig(inner, "pipelineInfo", "displayName")) || text(dig(inner, "pipelineInfo", "name")),
    isArgo: false,
    steps: irSteps(inner, object(inner["root"]), []),
    parameters: object(dig(inner, "root", "inputDefinitions", "parameters")) as Record<string, InputParameter>,
  };
}

/** The steps of a component that is a DAG. `path` holds the components around it: one that contains itself is not followed. */
function irSteps(ir: Json, component: Json, path: string[]): Step[] {
  const tasks = object(dig(component, "dag", "tasks"));
  return Object.entries(tasks).map(([key, value]) => irStep(ir, key, object(value), new Set(Object.keys(tasks)), path));
}

function irStep(ir: Json, key: string, task: Json, siblings: Set<string>, path: string[]): Step {
  const name = text(dig(task, "componentRef", "name"));
  const component = object(dig(ir, "components", name));
  const executor = object(dig(ir, "deploymentSpec", "executors", text(component["executorLabel"])));
  const isNested = isObject(component["dag"]) && !path.includes(name);
  const reads = Object.values(object(dig(task, "inputs", "artifacts"))).flatMap((input) => {
    const step = text(dig(input, "taskOutputArtifact", "producerTask"));
    return siblings.has(step) ? [{ step, output: text(dig(input, "taskOutputArtifact", "outputArtifactKey")) }] : [];
  });
  const produced = Object.values(object(dig(task, "inputs", "parameters"))).flatMap((input) => [
    text(dig(input, "taskOutputParameter", "producerTask")),
    text(dig(input, "taskFinalStatus", "producerTask")),
  ]);
  const after = [...list(task["dependentTasks"]).map(text), ...produced, ...reads.map((read) => read.step)];
  const condition = text(dig(task, "triggerPolicy", "condition"));
  return {
    key,
    label: text(dig(task, "taskInfo", "name")) || key,
    kind: irKind(key, task, component, executor),
    after: [...new Set(after.filter((one) => siblings.has(one) && one !== key))],
    condition: condition === "" ? undefined : condition,
    image: text(dig(executor, "container", "image")) || undefined,
    inner: isNested ? irSteps(ir, component, [...path, name]) : [],
    outputs: Object.entries(object(dig(component, "outputDefinitions", "artifacts"))).map(([output, definition]) => ({
      name: output,
      type: text(dig(definition, "artifactType", "schemaTitle")),
    })),
    reads,
  };
}

function irKind(key: string, task: Json, component: Json, executor: Json): StepKind {
  if (isObject(task["parameterIterator"]) || isObject(task["artifactIterator"])) return "loop";
  if (isObject(executor["importer"])) return "importer";
  if (!isObject(component["dag"])) return "task";
  if (text(dig(task, "triggerPolicy", "condition")) !== "") return "condition";
  if (key.startsWith("condition-branches-")) return "branches";
  return key.startsWith("exit-handler-") ? "exit" : "dag";
}

function readArgo(workflow: Json): SpecView {
  const templates = new Map(list(dig(workflow, "spec", "templates")).map((one) => [text(dig(one, "name")), object(one)]));
  const entrypoint = text(dig(workflow, "spec", "entrypoint"));
  const main = templates.get(entrypoint) ?? {};
  const isLeaf = !isObject(main["dag"]) && !Array.isArray(main["steps"]);
  const steps = isLeaf && entrypoint !== "" ? [argoStep(templates, { name: entrypoint, template: entrypoint }, [], [])] : argoSteps(templates, main, [entrypoint]);
  const onExit = text(dig(workflow, "spec", "onExit"));
  const last = steps.filter((step) => !steps.some((other) => other.after.includes(step.key))).map((step) => step.key);
  const exit = onExit === "" ? [] : [{ ...argoStep(templates, { name: "onExit", template: onExit }, last, []), label: onExit }];
  const parameters = list(dig(workflow, "spec", "arguments", "parameters")).map((one): [string, InputParameter] => [
    text(dig(one, "name")),
    { parameterType: "STRING", ...(dig(one, "value") === undefined ? {} : { defaultValue: dig(one, "value"), isOptional: true }) },
  ]);
  return {
    name: text(dig(workflow, "metadata", "name")) || text(dig(workflow, "metadata", "generateName")).replace(/-$/, ""),
    isArgo: true,
    steps: [...steps, ...exit],
    parameters: Object.fromEntries(parameters),
  };
}

function argoSteps(templates: Map<string, Json>, template: Json, path: string[]): Step[] {
  const tasks = list(dig(template, "dag", "tasks")).map(object);
  const names = new Set(tasks.map((task) => text(task["name"])));
  const ofDag = tasks.map((task) => {
    // `depends` is an expression: `(a.Succeeded || b) && c`.
    const depends = text(task["depends"]).match(/[A-Za-z0-9_][A-Za-z0-9_-]*/g) ?? [];
    const after = [...list(task["dependencies"]).map(text), ...depends].filter((one) => names.has(one));
    return argoStep(templates, task, [...new Set(after)], path);
  });
  const groups = list(template["steps"]).map((group) => (Array.isArray(group) ? group.map(object) : [object(group)]));
  const ofSteps = groups.flatMap((group, index) => {
    const before = index === 0 ? [] : (groups[index - 1] ?? []).map((one) => text(one["name"]));
    return group.map((one) => argoStep(templates, one, before, path));
  });
  return [...ofDag, ...ofSteps];
}

function argoStep(templates: Map<string, Json>, task: Json, after: string[], path: string[]): Step {
  const name = text(task["template"]);
  const template = isObject(task["inline"]) ? object(task["inline"]) : (templates.get(name) ?? {});
  const isGroup = isObject(template["dag"]) || Array.isArray(template["steps"]);
  const isLoop = ["withItems", "withParam", "withSequence"].some((key) => task[key] !== undefined);
  const when = text(task["when"]);
  const annotations = object(dig(template, "metadata", "annotations"));
  const reads = list(dig(task, "arguments", "artifacts")).flatMap((one) => {
    const match = /\{\{(?:tasks|steps)\.([^.}]+)\.outputs\.artifacts\.([^}]+)\}\}/.exec(text(dig(one, "from")));
    return match === null ? [] : [{ step: match[1] ?? "", output: match[2] ?? "" }];
  });
  return {
    key: text(task["name"]),
    label: text(annotations["pipelines.kubeflow.org/task_display_name"]) || text(task["name"]),
    kind: isLoop ? "loop" : !isGroup ? "task" : when !== "" ? "condition" : name.startsWith("exit-handler") ? "exit" : "dag",
    after,
    condition: when === "" ? undefined : when,
    image: text(dig(template, "container", "image")) || text(dig(template, "script", "image")) || undefined,
    inner: isGroup && !path.includes(name) ? argoSteps(templates, template, [...path, name]) : [],
    outputs: list(dig(template, "outputs", "artifacts"))
      .map((one) => text(dig(one, "name")))
      .filter((output) => output !== "" && !isV1Visualisation(output))
      .map((output) => ({ name: output, type: "" })),
    reads,
    ...(isObject(template["resource"]) ? { manifest: text(dig(template, "resource", "manifest")) } : {}),
    mounts: list(dig(template, "container", "volumeMounts") ?? dig(template, "script", "volumeMounts")).map((one) => ({ path: text(dig(one, "mountPath")), volume: text(dig(one, "name")) })),
  };
}

/** A template's manifest with the inputs of a task in the places of their placeholders. */
export const filledManifest = (manifest: string, inputs: ReadonlyMap<string, string>): string =>
  manifest.replace(/\{\{\s*inputs\.parameters\.([^}\s]+)\s*\}\}/g, (whole, name: string) => inputs.get(name) ?? whole);

/** Outputs that the page itself shows: `mlpipeline-ui-metadata`, `mlpipeline_metrics`, `MLPipeline UI metadata`. */
export const isV1Visualisation = (name: string): boolean => /^mlpipeline[-_ ]?(ui[-_ ]?metadata|metrics)$/i.test(name);

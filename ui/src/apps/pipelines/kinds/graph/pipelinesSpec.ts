/** The steps of a pipeline, read from its IR or from the Argo Workflow of a v1 pipeline. Pure. */
import { dig, isObject, list, object, text, type Json } from "../../../../kinds/json";
import { readArgo } from "../workflows/workflowSpec";

export type StepKind = "task" | "importer" | "dag" | "loop" | "condition" | "branches" | "exit" | "suspend";

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
  /** The steps inside of a template that calls itself: drawn as deep as a run has gone. */
  expand?: () => Step[];
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

/** A template's manifest with the inputs of a task in the places of their placeholders. */
export const filledManifest = (manifest: string, inputs: ReadonlyMap<string, string>): string =>
  manifest.replace(/\{\{\s*inputs\.parameters\.([^}\s]+)\s*\}\}/g, (whole, name: string) => inputs.get(name) ?? whole);

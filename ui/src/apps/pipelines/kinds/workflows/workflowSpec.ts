/** The steps of an Argo Workflow: its own templates, and those of WorkflowTemplates that it refers to. Pure. */
import { dig, isObject, list, object, text, type Json } from "../../../../kinds/json";
import type { InputParameter, SpecView, Step, StepKind } from "../graph/pipelinesSpec";

/** Where templates are looked up by name: the Workflow itself, or a WorkflowTemplate. */
interface Home {
  key: string;
  templates: Map<string, Json>;
}

/** A template, where its own calls are looked up, and the name that it is recognized by when it calls itself. */
interface Found {
  home: Home;
  template: Json;
  id: string;
}

const LOCAL = "";
const keyOf = (reference: Json): string => `${reference["clusterScope"] === true ? "cluster" : "namespaced"}/${text(reference["name"])}`;
const homeOf = (key: string, spec: unknown): Home => ({ key, templates: new Map(list(dig(spec, "templates")).map((one) => [text(dig(one, "name")), object(one)])) });

/** The specification with that of its `workflowTemplateRef`, which the status keeps: what the Workflow itself says wins. */
export function resolvedSpec(workflow: unknown): Json {
  const spec = object(dig(workflow, "spec"));
  const reference = spec["workflowTemplateRef"];
  if (!isObject(reference)) return spec;
  const base = object(dig(workflow, "status", "storedWorkflowTemplateSpecs", keyOf(reference)));
  return { ...base, ...spec, arguments: { ...object(base["arguments"]), ...object(spec["arguments"]), parameters: parametersOf(base, spec) } };
}

function parametersOf(...specs: Json[]): unknown[] {
  const all = specs.flatMap((spec) => list(dig(spec, "arguments", "parameters")));
  return [...new Map(all.map((one) => [text(dig(one, "name")), one])).values()];
}

export function readArgo(workflow: Json): SpecView {
  const spec = resolvedSpec(workflow);
  const stored = object(dig(workflow, "status", "storedWorkflowTemplateSpecs"));
  const reader = new StepReader(homeOf(LOCAL, spec), new Map(Object.entries(stored).map(([key, one]) => [key, homeOf(key, one)])));
  const parameters = parametersOf(spec).map((one): [string, InputParameter] => [
    text(dig(one, "name")),
    { parameterType: "STRING", ...(dig(one, "value") === undefined ? {} : { defaultValue: dig(one, "value"), isOptional: true }) },
  ]);
  return {
    name: text(dig(workflow, "metadata", "name")) || text(dig(workflow, "metadata", "generateName")).replace(/-$/, ""),
    isArgo: true,
    steps: reader.all(text(spec["entrypoint"]), text(spec["onExit"]) || text(dig(spec, "hooks", "exit", "template"))),
    parameters: Object.fromEntries(parameters),
  };
}

class StepReader {
  private readonly local: Home;
  private readonly others: Map<string, Home>;

  constructor(local: Home, others: Map<string, Home>) {
    this.local = local;
    this.others = others;
  }

  all(entrypoint: string, onExit: string): Step[] {
    const main = this.find({ template: entrypoint }, this.local);
    const steps = isGroup(main.template) ? this.inside(main, [main.id]) : entrypoint === "" ? [] : [this.step({ name: entrypoint, template: entrypoint }, [], this.local, [])];
    const last = steps.filter((step) => !steps.some((other) => other.after.includes(step.key))).map((step) => step.key);
    const exit = onExit === "" ? [] : [{ ...this.step({ name: "onExit", template: onExit }, last, this.local, []), label: onExit }];
    return [...steps, ...exit];
  }

  private find(call: Json, home: Home): Found {
    if (isObject(call["inline"])) return { home, template: call["inline"], id: "" };
    const reference = call["templateRef"];
    const at = isObject(reference) ? (this.others.get(keyOf(reference)) ?? homeOf(keyOf(reference), {})) : home;
    const name = isObject(reference) ? text(reference["template"]) : text(call["template"]);
    return { home: at, template: at.templates.get(name) ?? {}, id: `${at.key}:${name}` };
  }

  /** The tasks or steps of a template. `path` holds the templates around it. */
  private inside({ template, home }: Found, path: string[]): Step[] {
    const tasks = list(dig(template, "dag", "tasks")).map(object);
    const names = new Set(tasks.map((task) => text(task["name"])));
    const ofDag = tasks.map((task) => {
      // `depends` is an expression: `(a.Succeeded || b) && c`.
      const depends = text(task["depends"]).match(/[A-Za-z0-9_][A-Za-z0-9_-]*/g) ?? [];
      const after = [...list(task["dependencies"]).map(text), ...depends].filter((one) => names.has(one));
      return this.step(task, [...new Set(after)], home, path);
    });
    const groups = list(template["steps"]).map((group) => (Array.isArray(group) ? group.map(object) : [object(group)]));
    const ofSteps = groups.flatMap((group, index) => {
      const before = index === 0 ? [] : (groups[index - 1] ?? []).map((one) => text(one["name"]));
      return group.map((one) => this.step(one, before, home, path));
    });
    return [...ofDag, ...ofSteps];
  }

  private step(call: Json, after: string[], home: Home, path: string[]): Step {
    const found = this.find(call, home);
    const { template } = found;
    const isRecursive = found.id !== "" && path.includes(found.id);
    const when = text(call["when"]);
    const inner = () => this.inside(found, [...path, found.id]);
    return {
      key: text(call["name"]),
      label: text(dig(template, "metadata", "annotations", "pipelines.kubeflow.org/task_display_name")) || text(call["name"]),
      kind: kindOf(call, template, found.id),
      after,
      condition: when === "" ? undefined : when,
      image: text(dig(template, "container", "image")) || text(dig(template, "script", "image")) || undefined,
      inner: isGroup(template) && !isRecursive ? inner() : [],
      ...(isGroup(template) && isRecursive ? { expand: inner } : {}),
      outputs: list(dig(template, "outputs", "artifacts"))
        .map((one) => text(dig(one, "name")))
        .filter((output) => output !== "" && !isV1Visualisation(output))
        .map((output) => ({ name: output, type: "" })),
      reads: readsOf(call),
      ...(isObject(template["resource"]) ? { manifest: text(dig(template, "resource", "manifest")) } : {}),
      mounts: list(dig(template, "container", "volumeMounts") ?? dig(template, "script", "volumeMounts")).map((one) => ({ path: text(dig(one, "mountPath")), volume: text(dig(one, "name")) })),
    };
  }
}

/** Outputs that the page itself shows: `mlpipeline-ui-metadata`, `mlpipeline_metrics`, `MLPipeline UI metadata`. */
const isV1Visualisation = (name: string): boolean => /^mlpipeline[-_ ]?(ui[-_ ]?metadata|metrics)$/i.test(name);

const isGroup = (template: Json): boolean => isObject(template["dag"]) || Array.isArray(template["steps"]);

function kindOf(call: Json, template: Json, id: string): StepKind {
  if (["withItems", "withParam", "withSequence"].some((key) => call[key] !== undefined)) return "loop";
  if (template["suspend"] !== undefined) return "suspend";
  if (!isGroup(template)) return "task";
  if (text(call["when"]) !== "") return "condition";
  return id.startsWith(`${LOCAL}:exit-handler`) ? "exit" : "dag";
}

/** Artifacts of other steps that a call passes on. */
const readsOf = (call: Json): Step["reads"] =>
  list(dig(call, "arguments", "artifacts")).flatMap((one) => {
    const match = /\{\{(?:tasks|steps)\.([^.}]+)\.outputs\.artifacts\.([^}]+)\}\}/.exec(text(dig(one, "from")));
    return match === null ? [] : [{ step: match[1] ?? "", output: match[2] ?? "" }];
  });

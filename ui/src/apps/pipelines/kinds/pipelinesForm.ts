/** The form of a new run: its parameters by type, what is wrong with them, and what is posted. Pure. */
import { timeOf, type RecurringRun, type Run, type Trigger } from "./pipelines";
import { pluginsOf, type RunOptions } from "./pipelinesOptions";
import type { InputParameter, SpecView } from "./graph/pipelinesSpec";

export type FieldShape = "text" | "integer" | "double" | "flag" | "json" | "choice";

export interface ParameterField {
  name: string;
  shape: FieldShape;
  /** `LIST` and `STRUCT` are both JSON. */
  type: string;
  hint: string;
  isRequired: boolean;
  /** As text, as the form edits it; empty where there is none. */
  initial: string;
  /** The texts of the allowed values. */
  options: string[];
}

export type ParameterError = "required" | "integer" | "number" | "list" | "struct" | "unsafe";

const SHAPES: Record<string, FieldShape> = {
  STRING: "text",
  NUMBER_INTEGER: "integer",
  NUMBER_DOUBLE: "double",
  BOOLEAN: "flag",
  LIST: "json",
  STRUCT: "json",
};

/** Values that the engine fills in are not asked for. */
const INJECTED = new Set(["TASK_FINAL_STATUS", "TASK_CONFIG"]);

/** A value as the form edits it: strings as they are, integers without `.0`, everything else as JSON. */
export function parameterText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The fields in the order of the definition; `given` are the values of a run that is cloned. */
export function parameterFields(spec: Pick<SpecView, "parameters">, given: Record<string, unknown> = {}): ParameterField[] {
  return Object.entries(spec.parameters)
    .filter(([, parameter]) => !INJECTED.has(parameter.parameterType ?? ""))
    .map(([name, parameter]) => fieldOf(name, parameter, given));
}

function fieldOf(name: string, parameter: InputParameter, given: Record<string, unknown>): ParameterField {
  const type = parameter.parameterType ?? "STRING";
  const literals = parameter.literals ?? [];
  return {
    name,
    shape: literals.length > 0 ? "choice" : (SHAPES[type] ?? "text"),
    type,
    hint: parameter.description ?? "",
    isRequired: parameter.isOptional !== true && parameter.defaultValue === undefined,
    initial: parameterText(name in given ? given[name] : parameter.defaultValue),
    options: literals.map(parameterText),
  };
}

/** The value of a text; undefined leaves the parameter out, so that its default holds. */
export function parameterValue(field: ParameterField, text: string): { value: unknown } | { error: ParameterError } | undefined {
  if (text === "" && field.type !== "STRING") return field.isRequired ? { error: "required" } : undefined;
  if (text === "" && field.initial === "") return field.isRequired ? { error: "required" } : undefined;
  switch (field.type) {
    case "NUMBER_INTEGER": {
      if (!/^[+-]?\d+(\.0+)?$/.test(text.trim())) return { error: "integer" };
      const value = Number(text);
      return Number.isSafeInteger(value) ? { value } : { error: "unsafe" };
    }
    case "NUMBER_DOUBLE":
      return text.trim() !== "" && Number.isFinite(Number(text)) ? { value: Number(text) } : { error: "number" };
    case "BOOLEAN":
      return { value: text === "true" };
    case "LIST": {
      const value = json(text);
      return Array.isArray(value) ? { value } : { error: "list" };
    }
    case "STRUCT": {
      const value = json(text);
      return typeof value === "object" && value !== null && !Array.isArray(value) ? { value } : { error: "struct" };
    }
    default:
      return { value: text };
  }
}

function json(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** All values that are right, and what is wrong with the others. */
export function parameterValues(fields: ParameterField[], texts: Record<string, string>): { values: Record<string, unknown>; errors: Record<string, ParameterError> } {
  const values: Record<string, unknown> = {};
  const errors: Record<string, ParameterError> = {};
  for (const field of fields) {
    const read = parameterValue(field, texts[field.name] ?? field.initial);
    if (read === undefined) continue;
    if ("error" in read) errors[field.name] = read.error;
    else values[field.name] = read.value;
  }
  return { values, errors };
}

export type TriggerKind = "cron" | "interval";

export type IntervalUnit = "seconds" | "minutes" | "hours" | "days";

export interface TriggerForm {
  kind: TriggerKind;
  cron: string;
  /** The interval in units. */
  every: number;
  unit: IntervalUnit;
  /** Times as `datetime-local` has them, in the zone of the browser. */
  start: string;
  end: string;
  maxConcurrency: number;
  catchUp: boolean;
}

export const INITIAL_TRIGGER: TriggerForm = { kind: "cron", cron: "0 0 9 * * *", every: 1, unit: "hours", start: "", end: "", maxConcurrency: 1, catchUp: false };

const UNIT_SECONDS: Record<IntervalUnit, number> = { days: 86_400, hours: 3600, minutes: 60, seconds: 1 };
export const UNITS: IntervalUnit[] = ["seconds", "minutes", "hours", "days"];
export const MAX_CONCURRENCY = 10;

/** Five or six fields, seconds first, or one of the names. The server decides; this catches slips. */
export const looksLikeCron = (cron: string): boolean => /^@(yearly|annually|monthly|weekly|daily|midnight|hourly|every \S+)$/.test(cron.trim()) || [5, 6].includes(cron.trim().split(/\s+/).length);

export function triggerOf(form: TriggerForm): Trigger {
  const instant = (text: string) => new Date(text).toISOString().replace(/\.\d+Z$/, "Z");
  const bounds = { ...(form.start === "" ? {} : { start_time: instant(form.start) }), ...(form.end === "" ? {} : { end_time: instant(form.end) }) };
  return form.kind === "cron"
    ? { cron_schedule: { ...bounds, cron: form.cron.trim() } }
    : { periodic_schedule: { ...bounds, interval_second: String(Math.round(form.every * UNIT_SECONDS[form.unit])) } };
}

/** The parts of a recurring run that say when it runs. */
export type Schedule = Pick<RecurringRun, "trigger" | "max_concurrency" | "no_catchup">;

/** A schedule as the form edits it. */
export function triggerForm(schedule: Schedule | undefined): TriggerForm {
  if (schedule === undefined) return INITIAL_TRIGGER;
  const { cron_schedule: cron, periodic_schedule: periodic } = schedule.trigger ?? {};
  const bounds = cron ?? periodic;
  const form: TriggerForm = {
    ...INITIAL_TRIGGER,
    start: localTime(bounds?.start_time),
    end: localTime(bounds?.end_time),
    maxConcurrency: Math.min(MAX_CONCURRENCY, Math.max(1, Number(schedule.max_concurrency ?? 1) || 1)),
    catchUp: schedule.no_catchup !== true,
  };
  if (cron !== undefined) return { ...form, kind: "cron", cron: cron.cron ?? "" };
  const seconds = Number(periodic?.interval_second ?? 0);
  if (seconds <= 0) return form;
  const unit = (["days", "hours", "minutes"] as const).find((one) => seconds % UNIT_SECONDS[one] === 0) ?? "seconds";
  return { ...form, kind: "interval", every: seconds / UNIT_SECONDS[unit], unit };
}

/** A time of the API in the zone of the browser; seconds only where they are not zero. */
function localTime(text: string | undefined): string {
  const time = timeOf(text);
  if (time === undefined || Number.isNaN(Date.parse(time))) return "";
  const at = new Date(time);
  const seconds = at.getSeconds() === 0 ? "" : `:${two(at.getSeconds())}`;
  return `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())}T${two(at.getHours())}:${two(at.getMinutes())}${seconds}`;
}

const two = (value: number): string => String(value).padStart(2, "0");

export interface RunForm {
  name: string;
  description: string;
  experiment: string;
  serviceAccount: string;
  root: string;
  options: RunOptions;
}

/** Where the definition comes from: a version, or the specification that a cloned run carried. */
export type RunSource = { pipeline_id: string; pipeline_version_id: string } | { pipeline_spec: unknown };

/** The body of `POST /runs`; empty fields are left out. */
export function runBody(form: RunForm, source: RunSource, parameters: Record<string, unknown>): Omit<Run, "run_id"> {
  return {
    display_name: form.name.trim(),
    ...(form.description === "" ? {} : { description: form.description }),
    ...(form.experiment === "" ? {} : { experiment_id: form.experiment }),
    ...("pipeline_spec" in source ? { pipeline_spec: source.pipeline_spec } : { pipeline_version_reference: source }),
    runtime_config: { parameters, ...(form.root === "" ? {} : { pipeline_root: form.root }) },
    ...(form.serviceAccount === "" ? {} : { service_account: form.serviceAccount }),
    ...pluginsOf(form.options),
  };
}

/** The body of `POST /recurringruns`. */
export function recurringBody(form: RunForm, source: RunSource, parameters: Record<string, unknown>, trigger: TriggerForm): Record<string, unknown> {
  return {
    ...runBody(form, source, parameters),
    mode: "ENABLE",
    max_concurrency: String(trigger.maxConcurrency),
    no_catchup: !trigger.catchUp,
    trigger: triggerOf(trigger),
  };
}

/** `train 2026-11-17 14:03` for a new run; `train (2)` for a copy of `train`. */
export function proposedName(pipeline: string, now: Date): string {
  return `${pipeline} ${now.getFullYear()}-${two(now.getMonth() + 1)}-${two(now.getDate())} ${two(now.getHours())}:${two(now.getMinutes())}`;
}

export function copyName(name: string): string {
  const match = /^(.*) \((\d+)\)$/s.exec(name);
  return match === null ? `${name} (2)` : `${match[1] ?? ""} (${Number(match[2]) + 1})`;
}

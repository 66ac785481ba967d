/** The tasks that have one parent: which of them is the record of a step, its attempts, its iterations. Pure. */
import type { Step } from "./pipelinesSpec";
import type { TaskRecord } from "./pipelinesTasks";

interface SiblingIndex {
  byName: Map<string, TaskRecord>;
  byLabel: Map<string, TaskRecord>;
  /** By the name of the step: Argo lists the attempts of a step that is retried beside it, as `train(0)`, `train(1)`. */
  attempts: Map<string, { number: number; record: TaskRecord }[]>;
}

type ByParent = ReadonlyMap<string, TaskRecord[]>;

export const NO_SIBLINGS: TaskRecord[] = [];
const indexes = new WeakMap<TaskRecord[], SiblingIndex>();

/** The tasks of a parent, found without looking at each: a run may have a thousand of them. */
function indexOf(siblings: TaskRecord[]): SiblingIndex {
  const known = indexes.get(siblings);
  if (known !== undefined) return known;
  const index: SiblingIndex = { byName: new Map(), byLabel: new Map(), attempts: new Map() };
  for (const one of siblings) {
    if (!index.byName.has(one.name)) index.byName.set(one.name, one);
    if (!index.byLabel.has(one.label)) index.byLabel.set(one.label, one);
    const [, step, number] = ATTEMPT.exec(one.name) ?? [];
    if (step !== undefined) index.attempts.set(step, [...(index.attempts.get(step) ?? []), { number: Number(number), record: one }]);
  }
  indexes.set(siblings, index);
  return index;
}

const ATTEMPT = /^(.*)\((\d+)\)$/s;

export interface StepRecord {
  record: TaskRecord | undefined;
  /** The task whose children the steps inside of it are: of one that is retried, the last attempt. */
  inside: TaskRecord | undefined;
}

/** What has become of a step. The exit handler of a Workflow is named after the Workflow. */
export function recordIn(siblings: TaskRecord[], step: Step, parent: TaskRecord | undefined, byParent: ByParent): StepRecord {
  const { byName, byLabel } = indexOf(siblings);
  const found = byName.get(step.key) ?? (step.label === "" ? undefined : byLabel.get(step.label)) ?? (parent === undefined ? undefined : byName.get(`${parent.name}.${step.key}`));
  return withAttempts(found, siblings, byParent);
}

function withAttempts(record: TaskRecord | undefined, siblings: TaskRecord[], byParent: ByParent): StepRecord {
  if (record === undefined || record.pod !== "" || record.type !== "RUNTIME") return { record, inside: record };
  const attempts = [...(indexOf(siblings).attempts.get(record.name) ?? [])].sort((a, b) => a.number - b.number).map((one) => one.record);
  const last = attempts.at(-1);
  if (last === undefined) return { record, inside: record };
  if (byParent.has(last.id)) return { record, inside: last };
  const pods = attempts.map((one) => one.pod).filter((pod) => pod !== "");
  const tried = { ...record, pod: pods.at(-1) ?? "", failedPods: pods.slice(0, -1), message: record.message || last.message, outputs: last.outputs };
  return { record: tried, inside: tried };
}

interface Iteration {
  wrapper: TaskRecord;
  inside: TaskRecord | undefined;
  label: string;
}

/** In IR runs the iterations are children of the loop; in Argo runs they are its siblings, called `name(0:item)`. */
export function iterationsOf(step: Step, record: TaskRecord | undefined, siblings: TaskRecord[], byParent: ByParent): Map<number, Iteration> {
  const found = new Map<number, Iteration>();
  for (const child of record === undefined ? [] : (byParent.get(record.id) ?? [])) {
    // The API leaves zeros out: the first iteration may come without its index.
    const index = child.iteration ?? (child.name === step.key ? 0 : undefined);
    if (index !== undefined) found.set(index, { wrapper: child, inside: child, label: String(index) });
  }
  if (found.size > 0) return found;
  for (const sibling of siblings) {
    const match = sibling.name.startsWith(`${step.key}(`) && !isAttempt(sibling, siblings, step) ? /^\((\d+)(?::(.*))?\)$/s.exec(sibling.name.slice(step.key.length)) : null;
    if (match === null) continue;
    const { record: wrapper = sibling, inside } = withAttempts(sibling, siblings, byParent);
    found.set(Number(match[1]), { wrapper, inside, label: match[2] ?? match[1] ?? "" });
  }
  return found;
}

/** Whether a task is an attempt of another one, and not an iteration of the loop. */
function isAttempt(record: TaskRecord, siblings: TaskRecord[], loop: Step): boolean {
  const step = ATTEMPT.exec(record.name)?.[1];
  return step !== undefined && step !== loop.key && indexOf(siblings).byName.has(step);
}

/** `train(0:a)(1)` is of the step `train`. */
const stepName = (name: string): string => name.replace(/\(\d+(:.*)?\)$/s, "");
const HOOK = /^(.*)\.(onExit|hooks\..+)$/s;

/** The tasks that none of the steps explains. */
export function looseIn(siblings: TaskRecord[], steps: Step[], parent: TaskRecord | undefined): TaskRecord[] {
  const explained = new Set(steps.flatMap((step) => [step.key, ...(parent === undefined ? [] : [`${parent.name}.${step.key}`])]));
  return siblings.filter((one) => one.type !== "GROUP" && one.type !== "ROOT" && !explained.has(one.name) && !explained.has(stepName(one.name)));
}

/** The key of the step whose hook a task is. */
export function ownerOf(record: TaskRecord, steps: Step[]): string | undefined {
  const owner = stepName(HOOK.exec(record.name)?.[1] ?? "");
  return steps.find((step) => step.key === owner)?.key;
}

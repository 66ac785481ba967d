/** Tasks of a run in one shape, whichever of the API's two shapes they came in. Pure. */
import type { State } from "../../../../parts/pill/Pill";
import { timeOf, type PipelineTask, type Run, type TaskDetail, type TaskValues } from "../pipelines";

export type NodeState = "none" | "pending" | "running" | "succeeded" | "failed" | "cached" | "skipped" | "canceled";

export interface TaskRecord {
  id: string;
  name: string;
  label: string;
  parent: string;
  type: string;
  state: NodeState;
  iteration: number | undefined;
  iterationCount: number | undefined;
  created: string | undefined;
  started: string | undefined;
  ended: string | undefined;
  message: string;
  /** The pod of the last attempt. */
  pod: string;
  /** Pods of earlier attempts. */
  failedPods: string[];
  fingerprint: string;
  /** The task whose outputs were reused; empty where none were. */
  cachedFrom: string;
  inputs: TaskValues;
  outputs: TaskValues;
  history: { at: string; state: string }[];
}

const STATES: Record<string, NodeState> = {
  PENDING: "pending",
  RUNNING: "running",
  PAUSED: "pending",
  SUCCEEDED: "succeeded",
  FAILED: "failed",
  CACHED: "cached",
  SKIPPED: "skipped",
  CANCELED: "canceled",
  CANCELING: "canceled",
};

const PILLS: Record<NodeState, State> = {
  none: "unknown",
  pending: "waiting",
  running: "running",
  succeeded: "succeeded",
  failed: "failed",
  cached: "succeeded",
  skipped: "stopped",
  canceled: "stopped",
};

export const nodePill = (state: NodeState): State => PILLS[state];
export const isFinal = (state: NodeState): boolean => state !== "none" && state !== "pending" && state !== "running";

const number = (value: number | string | undefined): number | undefined => (value === undefined || value === "" ? undefined : Number(value));

/** A task by itself, as lists of all runs have it. */
export const recordOf = (task: PipelineTask): TaskRecord => ofTask(task, undefined);

/** The tasks of a run; those of v1 runs come from its task details alone. */
export function recordsOf(run: Pick<Run, "tasks" | "run_details">): TaskRecord[] {
  const details = run.run_details?.task_details ?? [];
  const tasks = run.tasks ?? [];
  if (tasks.length === 0) return details.map(ofDetail);
  const byId = new Map(details.map((detail) => [detail.task_id, detail]));
  return tasks.map((task) => ofTask(task, byId.get(task.task_id)));
}

function ofTask(task: PipelineTask, detail: TaskDetail | undefined): TaskRecord {
  const pods = (task.pods ?? []).flatMap((pod) => (pod.name === undefined ? [] : [pod.name]));
  const failedPods = detail?.executor_detail?.failed_main_jobs ?? pods.slice(0, -1);
  const created = timeOf(task.create_time);
  // A task that waits has no state.
  const state = STATES[task.state ?? ""] ?? "pending";
  return {
    id: task.task_id,
    name: task.name ?? "",
    label: task.display_name || task.name || "",
    parent: task.parent_task_id ?? "",
    type: task.type ?? "",
    state,
    iteration: number(task.type_attributes?.iteration_index),
    iterationCount: number(task.type_attributes?.iteration_count),
    created,
    // A server that sends no start at all is taken to start tasks when it creates them.
    started: timeOf(task.start_time) ?? timeOf(detail?.start_time) ?? (task.start_time === undefined && state !== "pending" ? created : undefined),
    ended: timeOf(task.end_time),
    message: task.status_metadata?.message ?? detail?.error?.message ?? "",
    pod: pods.at(-1) ?? detail?.pod_name ?? "",
    failedPods,
    fingerprint: task.cache_fingerprint ?? "",
    cachedFrom: task.cached_task_id ?? "",
    inputs: task.inputs ?? {},
    outputs: task.outputs ?? {},
    history: (task.state_history ?? []).map((change) => ({ at: change.update_time ?? "", state: change.state ?? "" })),
  };
}

function ofDetail(detail: TaskDetail): TaskRecord {
  const values = (links: TaskDetail["inputs"]): TaskValues => ({
    artifacts: Object.entries(links ?? {}).map(([key, link]) => ({ artifact_key: key, artifacts: (link.artifact_ids ?? []).map((id) => ({ artifact_id: id })) })),
  });
  return {
    id: detail.task_id,
    name: detail.display_name ?? "",
    label: detail.display_name ?? "",
    parent: detail.parent_task_id ?? "",
    type: "",
    state: STATES[detail.state ?? ""] ?? "pending",
    iteration: undefined,
    iterationCount: undefined,
    created: timeOf(detail.create_time),
    started: timeOf(detail.start_time),
    ended: timeOf(detail.end_time),
    message: detail.error?.message ?? "",
    pod: detail.pod_name ?? detail.executor_detail?.main_job ?? "",
    failedPods: detail.executor_detail?.failed_main_jobs ?? [],
    fingerprint: "",
    cachedFrom: "",
    inputs: values(detail.inputs),
    outputs: values(detail.outputs),
    history: [],
  };
}

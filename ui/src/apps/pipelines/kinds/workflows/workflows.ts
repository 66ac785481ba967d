/** Plain Argo Workflows: their states, what lists show of them, what can be done, and where their pages are. Pure. */
import type { PrintedRow } from "../../../../api/hooks";
import type { State } from "../../../../parts/pill/Pill";
import type { Workflow } from "../../../../kinds/generated";
import { dig, list, text } from "../../../../kinds/json";
import { RUN_ID_LABEL } from "../pipelines";

export const CRON_LABEL = "workflows.argoproj.io/cron-workflow";
export const TEMPLATE_LABEL = "workflows.argoproj.io/workflow-template";
export const CLUSTER_TEMPLATE_LABEL = "workflows.argoproj.io/cluster-workflow-template";
export const RESUBMITTED_LABEL = "workflows.argoproj.io/resubmitted-from-workflow";
const RETRIES_ANNOTATION = "pipelines.windlass.dev/retries";
/** Runs of pipelines are Workflows too; they have pages of their own. */
export const PLAIN = `!${RUN_ID_LABEL}`;

export type WorkflowState = "pending" | "running" | "suspended" | "stopping" | "succeeded" | "failed" | "error";

/** What is known of a Workflow without its nodes. */
export interface WorkflowRow {
  name: string;
  namespace: string;
  uid: string;
  created: string | undefined;
  labels: Record<string, string>;
  phase: string;
  message: string;
  /** Pods that have succeeded, of all: `2/3`. */
  progress: string;
  started: string | undefined;
  finished: string | undefined;
  isSuspended: boolean;
  /** `Stop` or `Terminate`. */
  shutdown: string;
}

const PILLS: Record<WorkflowState, State> = {
  pending: "waiting",
  running: "running",
  suspended: "stopped",
  stopping: "stopped",
  succeeded: "succeeded",
  failed: "failed",
  error: "failed",
};
const ENDED: Record<string, WorkflowState> = { Succeeded: "succeeded", Failed: "failed", Error: "error" };

export function workflowState({ phase, isSuspended, shutdown }: Pick<WorkflowRow, "phase" | "isSuspended" | "shutdown">): WorkflowState {
  const ended = ENDED[phase];
  if (ended !== undefined) return ended;
  if (shutdown !== "") return "stopping";
  if (isSuspended) return "suspended";
  return phase === "Running" ? "running" : "pending";
}

export const workflowPill = (state: WorkflowState): State => PILLS[state];
export const isOver = (state: WorkflowState): boolean => PILLS[state] === "succeeded" || PILLS[state] === "failed";
export const hasFailed = (state: WorkflowState): boolean => PILLS[state] === "failed";

const known = new WeakMap<PrintedRow, WorkflowRow>();

/** A row of the list, from the columns in which the server prints it; the same one as long as the server has not printed it again. */
export function workflowRow(row: PrintedRow, columns: string[]): WorkflowRow {
  const before = known.get(row);
  if (before !== undefined) return before;
  const cell = (name: string): unknown => row.cells[columns.indexOf(name)];
  const { name, namespace = "", uid, creationTimestamp, labels = {} } = row.metadata;
  const made: WorkflowRow = {
    name,
    namespace,
    uid,
    created: creationTimestamp,
    labels,
    phase: text(cell("Status")),
    message: text(cell("Message")),
    progress: text(cell("Progress")),
    started: text(cell("Started")) || undefined,
    finished: text(cell("Finished")) || undefined,
    isSuspended: cell("Suspended") === true || cell("Suspended") === "true",
    shutdown: text(cell("Shutdown")),
  };
  known.set(row, made);
  return made;
}

/** The same of the whole object. One that was retried waits until its status says so. */
export function rowOf(workflow: Workflow): WorkflowRow {
  const { name, namespace = "", uid, creationTimestamp, labels = {}, annotations = {} } = workflow.metadata;
  const status = (field: string): string => text(dig(workflow.status, field));
  const phase = status("phase");
  const isOutdated = phase in ENDED && (annotations[RETRIES_ANNOTATION] ?? "") !== status("retries");
  return {
    name,
    namespace,
    uid,
    created: creationTimestamp,
    labels,
    phase: isOutdated ? "Pending" : phase,
    message: isOutdated ? "" : status("message"),
    progress: status("progress"),
    started: status("startedAt") || undefined,
    finished: isOutdated ? undefined : status("finishedAt") || undefined,
    isSuspended: dig(workflow.spec, "suspend") === true,
    shutdown: text(dig(workflow.spec, "shutdown")),
  };
}

/** Seconds from its start to its end, or to `now`; undefined before it has started. */
export function workflowSeconds({ started, finished }: Pick<WorkflowRow, "started" | "finished">, now: number): number | undefined {
  if (started === undefined) return undefined;
  return Math.max(0, ((finished === undefined ? now : Date.parse(finished)) - Date.parse(started)) / 1000);
}

/** How many pods have succeeded, as a part of all. */
export function progressShare(progress: string): number | undefined {
  const [done = 0, all = 0] = progress.split("/").map(Number);
  return all > 0 ? done / all : undefined;
}

export type Source = { kind: "CronWorkflow" | "WorkflowTemplate" | "ClusterWorkflowTemplate" | "Workflow"; name: string };

/** What a Workflow was made from. */
export function sourceOf(labels: Record<string, string>, spec?: unknown): Source | undefined {
  const of = (kind: Source["kind"], label: string): Source[] => (labels[label] === undefined ? [] : [{ kind, name: labels[label] }]);
  const reference = text(dig(spec, "workflowTemplateRef", "name"));
  const isCluster = dig(spec, "workflowTemplateRef", "clusterScope") === true;
  return [
    ...of("CronWorkflow", CRON_LABEL),
    ...of("WorkflowTemplate", TEMPLATE_LABEL),
    ...of("ClusterWorkflowTemplate", CLUSTER_TEMPLATE_LABEL),
    ...(reference === "" ? [] : [{ kind: isCluster ? ("ClusterWorkflowTemplate" as const) : ("WorkflowTemplate" as const), name: reference }]),
    ...of("Workflow", RESUBMITTED_LABEL),
  ][0];
}

/** Parameters by name; of one that has no value the default. */
export const parametersIn = (parameters: unknown): Record<string, unknown> =>
  Object.fromEntries(list(parameters).map((one) => [text(dig(one, "name")), dig(one, "value") ?? dig(one, "default") ?? ""]));

const at = encodeURIComponent;
export const WORKFLOW_PATHS = {
  workflows: "/pipelines/workflows/",
  workflow: (key: { namespace: string; name: string }) => `/pipelines/workflows/${at(key.namespace)}/${at(key.name)}`,
  crons: "/pipelines/cron-workflows/",
  cron: (key: { namespace: string; name: string }) => `/pipelines/cron-workflows/${at(key.namespace)}/${at(key.name)}`,
};

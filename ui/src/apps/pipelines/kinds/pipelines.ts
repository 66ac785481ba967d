/** Pipelines' REST resources as the API sends them, their states, and where their pages are. Pure. */
import type { Resource } from "../../../api/k8s";
import type { State } from "../../../parts/pill/Pill";
import type { PluginsInput } from "./pipelinesOptions";

export type RunState = "PENDING" | "RUNNING" | "SUCCEEDED" | "SKIPPED" | "FAILED" | "CANCELING" | "CANCELED" | "PAUSED" | "RUNTIME_STATE_UNSPECIFIED";
export type StorageState = "AVAILABLE" | "ARCHIVED";

export interface ApiStatus {
  code?: number;
  message?: string;
}

export interface Pipeline {
  pipeline_id: string;
  display_name?: string;
  name?: string;
  description?: string;
  created_at?: string;
  namespace?: string;
  tags?: Record<string, string>;
}

export interface PipelineVersion {
  pipeline_id: string;
  pipeline_version_id: string;
  display_name?: string;
  name?: string;
  description?: string;
  created_at?: string;
  code_source_url?: string;
  /** The IR, the IR with its platform document, or the Workflow of a v1 pipeline. */
  pipeline_spec?: unknown;
  tags?: Record<string, string>;
}

export interface Experiment {
  experiment_id: string;
  display_name?: string;
  description?: string;
  created_at?: string;
  namespace?: string;
  storage_state?: StorageState;
  last_run_created_at?: string;
}

export interface VersionReference {
  pipeline_id?: string;
  pipeline_version_id?: string;
}

export interface RuntimeConfig {
  parameters?: Record<string, unknown>;
  pipeline_root?: string;
}

export interface StateChange {
  update_time?: string;
  state?: RunState;
  error?: ApiStatus;
}

export interface Run {
  run_id: string;
  experiment_id?: string;
  display_name?: string;
  storage_state?: StorageState;
  description?: string;
  pipeline_version_reference?: VersionReference;
  pipeline_spec?: unknown;
  runtime_config?: RuntimeConfig;
  service_account?: string;
  created_at?: string;
  scheduled_at?: string;
  finished_at?: string;
  state?: RunState;
  error?: ApiStatus;
  run_details?: { task_details?: TaskDetail[] };
  recurring_run_id?: string;
  state_history?: StateChange[];
  /** With `view=FULL`. */
  tasks?: PipelineTask[];
  task_count?: number;
  /** Numbers that the tasks reported or logged, by name. */
  metrics?: Record<string, number>;
  plugins_input?: PluginsInput;
}

/** A task as 2.17 describes it; of v1 runs there is nothing else. */
export interface TaskDetail {
  run_id?: string;
  task_id: string;
  display_name?: string;
  create_time?: string;
  start_time?: string;
  end_time?: string;
  executor_detail?: { main_job?: string; failed_main_jobs?: string[] };
  state?: RunState;
  error?: ApiStatus;
  inputs?: Record<string, { artifact_ids?: string[] }>;
  outputs?: Record<string, { artifact_ids?: string[] }>;
  parent_task_id?: string;
  pod_name?: string;
  child_tasks?: { task_id?: string; pod_name?: string }[];
}

export type TaskState = "RUNNING" | "SUCCEEDED" | "SKIPPED" | "FAILED" | "CACHED" | "PENDING" | "CANCELED" | "RUNTIME_STATE_UNSPECIFIED";

export interface IoProducer {
  task_name?: string;
  iteration?: number | string;
}

export interface IoParameter {
  value?: unknown;
  type?: string;
  parameter_key?: string;
  producer?: IoProducer;
}

export interface IoArtifact {
  artifacts?: Artifact[];
  type?: string;
  artifact_key?: string;
  producer?: IoProducer;
}

export interface TaskValues {
  parameters?: IoParameter[];
  artifacts?: IoArtifact[];
}

export interface PipelineTask {
  task_id: string;
  run_id?: string;
  name?: string;
  display_name?: string;
  pods?: { name?: string; uid?: string; type?: string }[];
  cache_fingerprint?: string;
  create_time?: string;
  start_time?: string;
  end_time?: string;
  state?: TaskState;
  status_metadata?: { message?: string };
  state_history?: { update_time?: string; state?: string }[];
  type?: string;
  type_attributes?: { iteration_index?: number | string; iteration_count?: number | string };
  parent_task_id?: string;
  child_tasks?: { task_id?: string; name?: string }[];
  inputs?: TaskValues;
  outputs?: TaskValues;
  /** The task whose outputs were reused. */
  cached_task_id?: string;
}

/** A task as lists of all runs have it. */
export interface Execution extends PipelineTask {
  run_name?: string;
  namespace?: string;
  pipeline_name?: string;
  pipeline_id?: string;
  pipeline_version_id?: string;
}

export interface Artifact {
  artifact_id: string;
  name?: string;
  description?: string;
  /** `Dataset`, or the title of the schema: `system.Dataset`. */
  type?: string;
  uri?: string;
  metadata?: Record<string, unknown>;
  number_value?: number;
  created_at?: string;
  namespace?: string;
  /** Where a file is read that is no record of the API, such as an output of a plain Workflow. */
  download?: string;
}

/** A task that made or read an artifact. */
export interface ArtifactLink {
  id?: string;
  artifact_id: string;
  run_id?: string;
  task_id?: string;
  type?: string;
  producer?: IoProducer;
  key?: string;
}

export interface Trigger {
  cron_schedule?: { start_time?: string; end_time?: string; cron?: string };
  periodic_schedule?: { start_time?: string; end_time?: string; interval_second?: string | number };
}

export interface RecurringRun {
  recurring_run_id: string;
  display_name?: string;
  description?: string;
  pipeline_version_reference?: VersionReference;
  pipeline_spec?: unknown;
  runtime_config?: RuntimeConfig;
  service_account?: string;
  max_concurrency?: string | number;
  trigger?: Trigger;
  mode?: "ENABLE" | "DISABLE";
  created_at?: string;
  updated_at?: string;
  status?: "ENABLED" | "DISABLED" | "STATUS_UNSPECIFIED";
  error?: ApiStatus;
  no_catchup?: boolean;
  namespace?: string;
  experiment_id?: string;
  plugins_input?: PluginsInput;
}

const GROUP = "pipelines.kubeflow.org";
const resource = (name: string, kind: string): Resource => ({ group: GROUP, version: "v1beta1", resource: name, kind, namespaced: true });
/** What rights are asked about; these are no objects of the API server. */
export const RIGHTS = {
  pipelines: resource("pipelines", "Pipeline"),
  experiments: resource("experiments", "Experiment"),
  runs: resource("runs", "Run"),
  recurring: resource("jobs", "Job"),
};
/** Every run is one of these; its changes say when to read the run again. */
export const WORKFLOWS: Resource = { group: "argoproj.io", version: "v1alpha1", resource: "workflows", kind: "Workflow", namespaced: true };
export const SCHEDULED_WORKFLOWS: Resource = { group: "kubeflow.org", version: "v1beta1", resource: "scheduledworkflows", kind: "ScheduledWorkflow", namespaced: true };
export const RUN_ID_LABEL = "pipeline/runid";

const RUN_STATES: Record<RunState, State> = {
  PENDING: "waiting",
  RUNNING: "running",
  SUCCEEDED: "succeeded",
  SKIPPED: "stopped",
  FAILED: "failed",
  CANCELING: "stopped",
  CANCELED: "stopped",
  PAUSED: "stopped",
  RUNTIME_STATE_UNSPECIFIED: "unknown",
};

export const stateOf = (run: Pick<Run, "state">): RunState => run.state ?? "RUNTIME_STATE_UNSPECIFIED";
export const pillState = (state: RunState): State => RUN_STATES[state];
export const hasEnded = (run: Pick<Run, "state">): boolean => ["SUCCEEDED", "FAILED", "SKIPPED", "CANCELED"].includes(stateOf(run));
/** A run that can be terminated. */
export const isActive = (run: Pick<Run, "state">): boolean => ["PENDING", "RUNNING", "PAUSED", "RUNTIME_STATE_UNSPECIFIED"].includes(stateOf(run));

/** A time of the API; one that has not come yet is sent as 1970. */
export function timeOf(text: string | undefined): string | undefined {
  return text === undefined || text === "" || Date.parse(text) <= 0 ? undefined : text;
}

export const nameOf = (one: { display_name?: string; name?: string }): string => one.display_name || one.name || "";

/** Seconds from the start of a run to its end, or to `now` while it runs. */
export function runSeconds(run: Run, now: number): number | undefined {
  const start = timeOf(run.created_at);
  if (start === undefined) return undefined;
  const end = timeOf(run.finished_at);
  if (end === undefined && hasEnded(run)) return undefined;
  return Math.max(0, ((end === undefined ? now : Date.parse(end)) - Date.parse(start)) / 1000);
}

const at = (id: string): string => encodeURIComponent(id);
export const PATHS = {
  pipelines: "/pipelines/",
  upload: "/pipelines/upload",
  pipeline: (id: string) => `/pipelines/details/${at(id)}`,
  experiments: "/pipelines/experiments/",
  experiment: (id: string) => `/pipelines/experiments/${at(id)}`,
  runs: "/pipelines/runs/",
  newRun: "/pipelines/runs/new",
  compare: "/pipelines/runs/compare",
  run: (id: string) => `/pipelines/runs/details/${at(id)}`,
  recurringRuns: "/pipelines/recurring/",
  recurringRun: (id: string) => `/pipelines/recurring/${at(id)}`,
  artifacts: "/pipelines/artifacts/",
  artifact: (id: string) => `/pipelines/artifacts/${at(id)}`,
  executions: "/pipelines/executions/",
  execution: (id: string) => `/pipelines/executions/${at(id)}`,
};

/** Up to ten runs are compared. */
export const MAX_COMPARED = 10;

/** Workflows and schedules for stories and tests. */
import type { CronWorkflow, Workflow } from "../../../kinds/generated";
import type { Json } from "../../../kinds/json";
import { fnv32a } from "../kinds/workflows/workflowNodes";
import { CRON_LABEL, rowOf, type WorkflowRow } from "../kinds/workflows/workflows";

const NOW = Date.now();
const ago = (seconds: number): string => new Date(NOW - seconds * 1000).toISOString();

interface NodeWanted extends Json {
  type?: string;
  phase?: string;
}

/** A node as the server writes it: its id is made from its name. `path` is empty for the root. */
export function aNode(workflow: string, path: string, { type = "Pod", phase = "Succeeded", ...more }: NodeWanted = {}): Json {
  const name = path === "" ? workflow : `${workflow}${path.startsWith("[") || path.startsWith("(") ? "" : "."}${path}`;
  return {
    id: path === "" ? workflow : `${workflow}-${fnv32a(name)}`,
    name,
    displayName: path === "" ? workflow : (path.split(".").at(-1) ?? path),
    type,
    phase,
    templateName: "work",
    startedAt: ago(300),
    ...(phase === "Pending" || phase === "Running" ? {} : { finishedAt: ago(240) }),
    ...(path === "" ? {} : { boundaryID: workflow }),
    ...more,
  };
}

interface WorkflowWanted {
  spec?: Json;
  status?: Json;
  nodes?: Json[];
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  age?: number;
}

export function aWorkflow(name: string, { spec = {}, status = {}, nodes = [], labels = {}, annotations = {}, age = 300 }: WorkflowWanted = {}): Workflow {
  return {
    apiVersion: "argoproj.io/v1alpha1",
    kind: "Workflow",
    metadata: { name, namespace: "ml", uid: `uid-${name}`, resourceVersion: "1", creationTimestamp: ago(age), labels, annotations },
    spec: { ...DAG, ...spec },
    status: { startedAt: ago(age), ...status, nodes: Object.fromEntries(nodes.map((node) => [String(node["id"]), node])) },
  } as unknown as Workflow;
}

const DAG: Json = {
  entrypoint: "main",
  arguments: { parameters: [{ name: "day", value: "monday" }] },
  templates: [
    {
      name: "main",
      dag: {
        tasks: [
          { name: "load", template: "work" },
          { name: "fit", template: "work", dependencies: ["load"] },
          { name: "report", template: "work", depends: "fit.Succeeded" },
        ],
      },
    },
    { name: "work", container: { image: "python:3.11" } },
  ],
};
const STEPS: Json = {
  entrypoint: "main",
  templates: [
    { name: "main", steps: [[{ name: "build", template: "work" }], [{ name: "approve", template: "approve" }], [{ name: "deploy", template: "work" }]] },
    { name: "work", container: { image: "python:3.11" } },
    { name: "approve", suspend: {} },
  ],
};
const ENDED = { finishedAt: ago(240), progress: "3/3" };
const table = { name: "table", path: "/tmp/table.csv", s3: { bucket: "mlpipeline", key: "artifacts/nightly/table.tgz" } };

export const SUCCEEDED = aWorkflow("nightly-report", {
  status: { phase: "Succeeded", ...ENDED },
  labels: { [CRON_LABEL]: "nightly" },
  nodes: [
    aNode("nightly-report", "", { type: "DAG" }),
    aNode("nightly-report", "load", { inputs: { parameters: [{ name: "day", value: "monday" }] }, outputs: { parameters: [{ name: "rows", value: "1200" }], artifacts: [table], result: "1200", exitCode: "0" } }),
    aNode("nightly-report", "fit"),
    aNode("nightly-report", "report"),
  ],
});
export const FAILED = aWorkflow("churn", {
  status: { phase: "Failed", finishedAt: ago(240), progress: "1/2" },
  nodes: [aNode("churn", "", { type: "DAG", phase: "Failed" }), aNode("churn", "load"), aNode("churn", "fit", { phase: "Failed", message: "Error (exit code 1)" }), aNode("churn", "report", { type: "Skipped", phase: "Omitted" })],
});
export const REFUSED = aWorkflow("late", { status: { phase: "Error", message: "the template 'work' does not exist", finishedAt: ago(299), progress: "0/0" } });
export const RUNNING = aWorkflow("training", {
  status: { phase: "Running", progress: "1/2" },
  nodes: [aNode("training", "", { type: "DAG", phase: "Running" }), aNode("training", "load"), aNode("training", "fit", { phase: "Running" })],
});
export const WAITING = aWorkflow("large", {
  status: { phase: "Running", progress: "0/1" },
  nodes: [aNode("large", "", { type: "DAG", phase: "Running" }), aNode("large", "load", { phase: "Pending", message: "Unschedulable: 0/1 nodes are available: 1 Insufficient cpu." })],
});
export const PAUSED = aWorkflow("release", {
  spec: STEPS,
  status: { phase: "Running", progress: "1/1" },
  nodes: [aNode("release", "", { type: "Steps", phase: "Running" }), aNode("release", "[0].build", { displayName: "build" }), aNode("release", "[1].approve", { type: "Suspend", phase: "Running", displayName: "approve" })],
});
export const SUSPENDED = aWorkflow("held", { spec: { suspend: true }, status: { phase: "Running", progress: "1/1" }, nodes: [aNode("held", "", { type: "DAG", phase: "Running" }), aNode("held", "load")] });
export const STOPPING = aWorkflow("ending", { spec: { shutdown: "Stop" }, status: { phase: "Running", progress: "1/2" }, nodes: [aNode("ending", "", { type: "DAG", phase: "Running" }), aNode("ending", "load")] });
export const LOCKED = aWorkflow("second", { status: { phase: "Pending", message: "Waiting for ml/Mutex/disk lock. Lock status: 0/1" } });
export const NEW = aWorkflow("just-made", { status: {}, age: 1 });

export const WORKFLOWS_OF_ALL_STATES = [SUCCEEDED, FAILED, REFUSED, RUNNING, WAITING, PAUSED, SUSPENDED, STOPPING, LOCKED, NEW];

export const workflowRows = (count: number): WorkflowRow[] =>
  Array.from({ length: count }, (_, index) => {
    const row = rowOf(WORKFLOWS_OF_ALL_STATES[index % WORKFLOWS_OF_ALL_STATES.length] ?? SUCCEEDED);
    return { ...row, uid: `${row.uid}-${index}`, name: index < WORKFLOWS_OF_ALL_STATES.length ? row.name : `${row.name}-${index}`, created: ago(60 * (index + 1)) };
  });

const cron = (name: string, spec: Json, status: Json): CronWorkflow =>
  ({
    apiVersion: "argoproj.io/v1alpha1",
    kind: "CronWorkflow",
    metadata: { name, namespace: "ml", uid: `uid-${name}`, resourceVersion: "1", creationTimestamp: ago(86_400 * 30) },
    spec: { workflowSpec: { ...DAG }, ...spec },
    status,
  }) as unknown as CronWorkflow;

export const ACTIVE_CRON = cron("nightly", { schedules: ["0 3 * * *"], timezone: "Europe/Berlin", concurrencyPolicy: "Forbid", startingDeadlineSeconds: 300 }, { phase: "Active", active: [{ name: "nightly-1" }], succeeded: 28, failed: 2, lastScheduledTime: ago(3_600) });
export const SUSPENDED_CRON = cron("weekly", { schedules: ["0 3 * * 1", "0 15 * * 5"], suspend: true, workflowSpec: { workflowTemplateRef: { name: "report" } } }, { phase: "Active", succeeded: 4, failed: 0 });
export const STOPPED_CRON = cron("until-it-fails", { schedule: "*/5 * * * *" }, { phase: "Stopped", succeeded: 12, failed: 1, lastScheduledTime: ago(86_400) });
export const crons = (count: number): CronWorkflow[] =>
  Array.from({ length: count }, (_, index) => {
    const one = [ACTIVE_CRON, SUSPENDED_CRON, STOPPED_CRON][index % 3] ?? ACTIVE_CRON;
    return { ...one, metadata: { ...one.metadata, uid: `${one.metadata.uid}-${index}`, name: index < 3 ? one.metadata.name : `${one.metadata.name}-${index}` } };
  });

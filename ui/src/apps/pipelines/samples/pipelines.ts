/** Pipelines and runs as the API sends them, for stories and tests. */
import type { Artifact, Experiment, Pipeline, PipelineTask, PipelineVersion, RecurringRun, Run, RunState, TaskDetail, TaskState } from "../kinds/pipelines";
import { ago } from "../../../gallery/samples";

const container = (image: string) => ({ container: { image } });
const parameter = (producerTask: string, outputParameterKey = "Output") => ({ taskOutputParameter: { producerTask, outputParameterKey } });
const artifact = (producerTask: string, outputArtifactKey: string) => ({ taskOutputArtifact: { producerTask, outputArtifactKey } });
const output = (schemaTitle: string) => ({ artifactType: { schemaTitle, schemaVersion: "0.0.1" } });

/** Import, prepare, train in a loop, evaluate, a branch, and an exit handler around it all. */
export const IR = {
  pipelineInfo: { name: "churn-model" },
  schemaVersion: "2.1.0",
  sdkVersion: "kfp-2.17.0",
  root: {
    inputDefinitions: {
      parameters: {
        epochs: { parameterType: "NUMBER_INTEGER", defaultValue: 3.0, isOptional: true, description: "How often the data are read." },
        learning_rate: { parameterType: "NUMBER_DOUBLE", defaultValue: 0.01, isOptional: true },
        optimizer: { parameterType: "STRING", defaultValue: "adam", isOptional: true, literals: ["adam", "sgd", "rmsprop"] },
        layers: { parameterType: "LIST", defaultValue: [64, 32], isOptional: true },
        options: { parameterType: "STRUCT", isOptional: true },
        shuffle: { parameterType: "BOOLEAN", defaultValue: true, isOptional: true },
        dataset: { parameterType: "STRING", description: "Where the data are." },
      },
    },
    dag: {
      tasks: {
        "exit-handler-1": { componentRef: { name: "comp-exit-handler-1" }, taskInfo: { name: "exit-handler-1" } },
        notify: {
          componentRef: { name: "comp-notify" },
          taskInfo: { name: "notify" },
          dependentTasks: ["exit-handler-1"],
          triggerPolicy: { strategy: "ALL_UPSTREAM_TASKS_COMPLETED" },
          inputs: { parameters: { status: { taskFinalStatus: { producerTask: "exit-handler-1" } } } },
        },
      },
    },
  },
  components: {
    "comp-exit-handler-1": {
      dag: {
        tasks: {
          importer: { componentRef: { name: "comp-importer" }, taskInfo: { name: "importer" } },
          prepare: { componentRef: { name: "comp-prepare" }, taskInfo: { name: "prepare" }, inputs: { artifacts: { raw: artifact("importer", "artifact") } } },
          "for-loop-2": {
            componentRef: { name: "comp-for-loop-2" },
            taskInfo: { name: "for-loop-2" },
            dependentTasks: ["prepare"],
            inputs: { artifacts: { data: artifact("prepare", "data") } },
            parameterIterator: { itemInput: "item", items: { raw: "[1, 2, 3]" } },
            iteratorPolicy: { parallelismLimit: 2 },
          },
          evaluate: {
            componentRef: { name: "comp-evaluate" },
            taskInfo: { name: "evaluate" },
            inputs: { parameters: { scores: parameter("for-loop-2", "scores") }, artifacts: { data: artifact("prepare", "data") } },
          },
          "condition-branches-3": { componentRef: { name: "comp-condition-branches-3" }, taskInfo: { name: "condition-branches-3" }, inputs: { parameters: { score: parameter("evaluate") } } },
        },
      },
    },
    "comp-importer": { executorLabel: "exec-importer", outputDefinitions: { artifacts: { artifact: output("system.Dataset") } } },
    "comp-prepare": { executorLabel: "exec-prepare", outputDefinitions: { artifacts: { data: output("system.Dataset") } } },
    "comp-for-loop-2": {
      dag: {
        tasks: {
          train: { componentRef: { name: "comp-train" }, taskInfo: { name: "train" } },
          score: { componentRef: { name: "comp-score" }, taskInfo: { name: "score" }, inputs: { artifacts: { model: artifact("train", "model") } } },
        },
      },
    },
    "comp-train": { executorLabel: "exec-train", outputDefinitions: { artifacts: { model: output("system.Model") } } },
    "comp-score": { executorLabel: "exec-score" },
    "comp-evaluate": { executorLabel: "exec-evaluate", outputDefinitions: { artifacts: { metrics: output("system.Metrics"), curve: output("system.ClassificationMetrics"), report: output("system.Markdown") } } },
    "comp-condition-branches-3": {
      dag: {
        tasks: {
          "condition-4": { componentRef: { name: "comp-condition-4" }, taskInfo: { name: "condition-4" }, triggerPolicy: { condition: "inputs.parameter_values['score'] > 0.8" } },
          "condition-5": { componentRef: { name: "comp-condition-5" }, taskInfo: { name: "condition-5" }, triggerPolicy: { condition: "!(inputs.parameter_values['score'] > 0.8)" } },
        },
      },
    },
    "comp-condition-4": { dag: { tasks: { deploy: { componentRef: { name: "comp-deploy" }, taskInfo: { name: "deploy" } } } } },
    "comp-condition-5": { dag: { tasks: { "ask-a-person": { componentRef: { name: "comp-ask" }, taskInfo: { name: "ask-a-person" } } } } },
    "comp-deploy": { executorLabel: "exec-deploy" },
    "comp-ask": { executorLabel: "exec-ask" },
    "comp-notify": { executorLabel: "exec-notify" },
  },
  deploymentSpec: {
    executors: {
      "exec-importer": { importer: { artifactUri: { constant: "s3://data/churn.csv" } } },
      "exec-prepare": container("python:3.11"),
      "exec-train": container("python:3.11"),
      "exec-score": container("python:3.11"),
      "exec-evaluate": container("python:3.11"),
      "exec-deploy": container("python:3.11"),
      "exec-ask": container("python:3.11"),
      "exec-notify": container("python:3.11"),
    },
  },
};

const FIT = { templates: "train-and-predict" };

/** A v1 pipeline: four steps in a chain, the first makes a claim. */
export const WORKFLOW = {
  apiVersion: "argoproj.io/v1alpha1",
  kind: "Workflow",
  metadata: { generateName: `${FIT.templates}-` },
  spec: {
    entrypoint: FIT.templates,
    arguments: { parameters: [{ name: "pvc_size", value: "1Gi" }, { name: "epochs", value: "3" }] },
    templates: [
      {
        name: "create-pvc",
        resource: {
          action: "create",
          manifest: "apiVersion: v1\nkind: PersistentVolumeClaim\nmetadata:\n  name: '{{workflow.name}}-data-volume'\nspec:\n  accessModes: [ReadWriteOnce]\n  resources:\n    requests:\n      storage: '{{inputs.parameters.pvc_size}}'\n",
        },
      },
      { name: "train", container: { image: "python:3.11", volumeMounts: [{ mountPath: "/data", name: "create-pvc" }] } },
      { name: "predict", container: { image: "python:3.11" } },
      { name: "print-result", container: { image: "python:3.11" }, outputs: { artifacts: [{ name: "mlpipeline-ui-metadata" }, { name: "print-result-result" }] } },
      {
        name: FIT.templates,
        dag: {
          tasks: [
            { name: "create-pvc", template: "create-pvc" },
            { name: "train", template: "train", dependencies: ["create-pvc"] },
            { name: "predict", template: "predict", dependencies: ["create-pvc", "train"] },
            { name: "print-result", template: "print-result", dependencies: ["create-pvc", "predict"] },
          ],
        },
      },
    ],
  },
};

export const made = (id: string, name: string, type: string, more: Partial<Artifact> = {}): Artifact => ({
  artifact_id: id,
  name,
  type,
  uri: `minio://mlpipeline/v2/artifacts/churn-model/${id}/${name}`,
  namespace: "ml",
  created_at: ago(300),
  ...more,
});

export const METRICS: Artifact = made("a-metrics", "metrics", "Metric", { metadata: { accuracy: 0.9231, f1: 0.881, "log loss": 0.2174, rows: 48_211 } });
export const MARKDOWN: Artifact = made("a-report", "report", "Markdown");
export const HTML: Artifact = made("a-page", "page", "HTML");
export const DATASET: Artifact = made("a-data", "data", "Dataset", { metadata: { rows: 48_211, columns: 21, split: "train" } });
export const CURVE: Artifact = made("a-curve", "curve", "ClassificationMetric", {
  metadata: {
    confidenceMetrics: Array.from({ length: 21 }, (_, index) => ({ confidenceThreshold: 1 - index / 20, falsePositiveRate: (index / 20) ** 2.5, recall: Math.min(1, (index / 20) ** 0.45) })),
    confusionMatrix: { annotationSpecs: [{ displayName: "stays" }, { displayName: "leaves" }, { displayName: "unsure" }], rows: [{ row: [812, 31, 7] }, { row: [54, 377, 12] }, { row: [9, 14, 61] }] },
  },
});
export const HTML_TEXT = "<!doctype html><h1 style='font-family:sans-serif'>Feature importance</h1><div style='background:#0072b2;height:18px;width:80%'></div><p>tenure</p><div style='background:#d55e00;height:18px;width:45%'></div><p>contract</p>";

interface TaskChange extends Partial<PipelineTask> {
  index?: number;
}

export function task(id: string, name: string, parent: string, type: string, state: TaskState, from: number, to: number | undefined, { index, ...more }: TaskChange = {}): PipelineTask {
  return {
    task_id: id,
    run_id: "run-1",
    name,
    display_name: name,
    parent_task_id: parent,
    type,
    state,
    create_time: ago(from + 4),
    start_time: ago(from),
    ...(to === undefined ? {} : { end_time: ago(to) }),
    ...(index === undefined ? {} : { type_attributes: { iteration_index: String(index) } }),
    ...(type === "RUNTIME" && state !== "CACHED" && state !== "SKIPPED" ? { pods: [{ name: `churn-model-x7k2p-${id}`, type: "EXECUTOR" }] } : {}),
    ...more,
  };
}

export const EXIT_ID = "t-exit";
const LOOP_ID = "t-loop";

const iteration = (index: number, state: TaskState, from: number, to: number | undefined): PipelineTask[] => [
  task(`t-loop-${index}`, "for-loop-2", LOOP_ID, "DAG", state, from, to, { index }),
  task(`t-train-${index}`, "train", `t-loop-${index}`, "RUNTIME", state, from, to === undefined ? undefined : to + 10),
  ...(state === "SUCCEEDED" ? [task(`t-score-${index}`, "score", `t-loop-${index}`, "RUNTIME", state, (to ?? 0) + 9, to)] : []),
];

/** The tasks of a run that is in its loop, or has failed there, or has ended well. */
export function tasksOf(end: "running" | "failed" | "succeeded"): PipelineTask[] {
  const final: TaskState = end === "running" ? "RUNNING" : end === "failed" ? "FAILED" : "SUCCEEDED";
  const isOver = end !== "running";
  const message = "main: exit code 1: FileNotFoundError: [Errno 2] No such file or directory: '/data/train.csv'";
  const before: PipelineTask[] = [
    task("t-root", "root", "", "ROOT", final, 400, isOver ? 60 : undefined),
    task(EXIT_ID, "exit-handler-1", "t-root", "EXIT_HANDLER", final, 398, isOver ? 66 : undefined),
    task("t-importer", "importer", EXIT_ID, "IMPORTER", "SUCCEEDED", 396, 395, { outputs: { artifacts: [{ artifact_key: "artifact", artifacts: [made("a-raw", "artifact", "Dataset")] }] } }),
    task("t-prepare", "prepare", EXIT_ID, "RUNTIME", "CACHED", 394, 393, { outputs: { artifacts: [{ artifact_key: "data", artifacts: [DATASET] }] }, cache_fingerprint: "9f2c4b1a77d0e3" }),
    task(LOOP_ID, "for-loop-2", EXIT_ID, "LOOP", final, 390, isOver ? 140 : undefined, { type_attributes: { iteration_count: "3" } }),
    ...iteration(0, "SUCCEEDED", 388, 290),
    ...iteration(1, end === "failed" ? "FAILED" : "SUCCEEDED", 386, 250),
    ...iteration(2, end === "running" ? "RUNNING" : "SUCCEEDED", 288, isOver ? 140 : undefined),
  ];
  const failing = before.map((one) => (one.state === "FAILED" && one.type === "RUNTIME" ? { ...one, status_metadata: { message } } : one));
  if (end === "running") return failing;
  const after: PipelineTask[] = [task("t-notify", "notify", "t-root", "RUNTIME", "SUCCEEDED", 64, 61)];
  if (end === "failed") return [...failing, ...after];
  return [
    ...failing,
    task("t-evaluate", "evaluate", EXIT_ID, "RUNTIME", "SUCCEEDED", 138, 90, {
      inputs: { parameters: [{ parameter_key: "scores", value: [0.91, 0.923, 0.89], producer: { task_name: "for-loop-2" } }], artifacts: [{ artifact_key: "data", artifacts: [DATASET] }] },
      outputs: {
        parameters: [{ parameter_key: "Output", value: 0.923 }],
        artifacts: [
          { artifact_key: "metrics", artifacts: [METRICS] },
          { artifact_key: "curve", artifacts: [CURVE] },
          { artifact_key: "report", artifacts: [MARKDOWN] },
        ],
      },
    }),
    task("t-branches", "condition-branches-3", EXIT_ID, "CONDITION_BRANCH", "SUCCEEDED", 88, 68),
    task("t-c4", "condition-4", "t-branches", "CONDITION", "SUCCEEDED", 87, 69),
    task("t-deploy", "deploy", "t-c4", "RUNTIME", "SUCCEEDED", 86, 70),
    task("t-c5", "condition-5", "t-branches", "CONDITION", "SKIPPED", 87, 87),
    ...after,
  ];
}

export const EXPERIMENT: Experiment = { experiment_id: "exp-1", display_name: "churn", description: "Which customers leave.", namespace: "ml", created_at: ago(900_000), last_run_created_at: ago(400), storage_state: "AVAILABLE" };
export const EXPERIMENTS = new Map([[EXPERIMENT.experiment_id, EXPERIMENT]]);

export const PIPELINE: Pipeline = { pipeline_id: "p-1", display_name: "churn-model", description: "Trains and checks the churn model.", namespace: "ml", created_at: ago(800_000) };
export const VERSION: PipelineVersion = { pipeline_id: "p-1", pipeline_version_id: "v-2", display_name: "v2: three seeds", created_at: ago(400_000), pipeline_spec: IR };

export function run(id: string, state: RunState, more: Partial<Run> = {}): Run {
  const isOver = state === "SUCCEEDED" || state === "FAILED";
  return {
    run_id: id,
    display_name: `churn-model ${id}`,
    experiment_id: EXPERIMENT.experiment_id,
    state,
    storage_state: "AVAILABLE",
    created_at: ago(400),
    scheduled_at: ago(400),
    finished_at: isOver ? ago(60) : "1970-01-01T00:00:00Z",
    pipeline_version_reference: { pipeline_id: "p-1", pipeline_version_id: "v-2" },
    runtime_config: { parameters: { epochs: 3, learning_rate: 0.01, optimizer: "adam", layers: [64, 32], dataset: "s3://data/churn.csv" }, pipeline_root: "minio://mlpipeline/v2/artifacts" },
    service_account: "default-editor",
    state_history: [{ update_time: ago(400), state: "PENDING" }, { update_time: ago(398), state: "RUNNING" }],
    ...(state === "FAILED" ? { error: { code: 13, message: "The task train failed: exit code 1." } } : {}),
    ...more,
  };
}

export const RUNNING = run("run-1", "RUNNING", { tasks: tasksOf("running") });
export const FAILED = run("run-2", "FAILED", { tasks: tasksOf("failed") });
export const SUCCEEDED = run("run-3", "SUCCEEDED", { tasks: tasksOf("succeeded") });

const STATES: RunState[] = ["RUNNING", "SUCCEEDED", "SUCCEEDED", "FAILED", "SUCCEEDED", "PENDING", "CANCELING", "SKIPPED", "PAUSED", "CANCELED"];

/** Many runs, the newest first. */
export const runs = (count: number): Run[] =>
  Array.from({ length: count }, (_, index) => {
    const state = STATES[index % STATES.length] ?? "SUCCEEDED";
    const isOver = state === "SUCCEEDED" || state === "FAILED";
    return run(`run-${index + 1}`, state, {
      created_at: ago(index * 5_000 + 400),
      finished_at: isOver ? ago(index * 5_000 + 60 + ((index * 37) % 300)) : "1970-01-01T00:00:00Z",
      tasks: tasksOf(state === "FAILED" ? "failed" : state === "SUCCEEDED" ? "succeeded" : "running"),
    });
  });

const detail = (id: string, name: string, parent: string, state: RunState, from: number, to: number | undefined): TaskDetail => ({
  task_id: id,
  display_name: name,
  parent_task_id: parent,
  state,
  create_time: ago(from),
  start_time: ago(from),
  ...(to === undefined ? {} : { end_time: ago(to) }),
  ...(parent === "" ? {} : { pod_name: `train-and-predict-8xk2-${id}` }),
});

/** A v1 run, known by its task details alone. */
export const V1_RUN: Run = run("run-9", "RUNNING", {
  display_name: "train-and-predict",
  pipeline_spec: WORKFLOW,
  pipeline_version_reference: undefined,
  run_details: {
    task_details: [
      detail("d-0", "train-and-predict-8xk2", "", "RUNNING", 90, undefined),
      detail("d-1", "create-pvc", "d-0", "SUCCEEDED", 88, 80),
      detail("d-2", "train", "d-0", "RUNNING", 78, undefined),
    ],
  },
});

/** A loop with as many iterations. */
export function wideRun(iterations: number): Run {
  const head = tasksOf("running").filter((one) => one.parent_task_id !== LOOP_ID && !/^t-(train|score)-/.test(one.task_id));
  const states: TaskState[] = ["SUCCEEDED", "SUCCEEDED", "SUCCEEDED", "RUNNING", "FAILED"];
  const inside = Array.from({ length: iterations }, (_, index) => iteration(index, index < iterations * 0.7 ? "SUCCEEDED" : (states[index % states.length] ?? "RUNNING"), 380, 200)).flat();
  return run("run-1", "RUNNING", { tasks: [...head, ...inside] });
}

export const RECURRING: RecurringRun[] = [
  { recurring_run_id: "r-1", display_name: "nightly", status: "ENABLED", mode: "ENABLE", namespace: "ml", experiment_id: "exp-1", created_at: ago(700_000), max_concurrency: "1", no_catchup: true, trigger: { cron_schedule: { cron: "0 0 3 * * *", start_time: ago(700_000) } }, pipeline_version_reference: { pipeline_id: "p-1", pipeline_version_id: "v-2" }, runtime_config: { parameters: { epochs: 10 } } },
  { recurring_run_id: "r-2", display_name: "every hour", status: "DISABLED", mode: "DISABLE", namespace: "ml", experiment_id: "exp-1", created_at: ago(90_000), max_concurrency: "2", trigger: { periodic_schedule: { interval_second: "3600" } }, pipeline_version_reference: { pipeline_id: "p-1" } },
];

const PVC = {
  apiVersion: "v1",
  kind: "PersistentVolumeClaim",
  metadata: { name: "train-and-predict-8xk2-data-volume", namespace: "ml", uid: "5a0e8a1e" },
  spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } }, storageClassName: "standard" },
  status: { phase: "Pending" },
};

/** The same v1 run with its tasks: the object of the resource template, and the claim that the next task was given. */
export const V1_TASKS_RUN: Run = {
  ...V1_RUN,
  tasks: [
    task("d-0", "train-and-predict-8xk2", "", "ROOT", "RUNNING", 90, undefined),
    task("d-1", "create-pvc", "d-0", "RUNTIME", "SUCCEEDED", 88, 80, {
      inputs: { parameters: [{ parameter_key: "pvc_size", value: "1Gi" }] },
      outputs: { parameters: [{ parameter_key: "create-pvc-manifest", value: JSON.stringify(PVC) }, { parameter_key: "create-pvc-name", value: PVC.metadata.name }, { parameter_key: "create-pvc-size", value: "1Gi" }] },
    }),
    task("d-2", "train", "d-0", "RUNTIME", "RUNNING", 78, undefined, { inputs: { parameters: [{ parameter_key: "create-pvc-name", value: PVC.metadata.name }] } }),
  ],
};

/** Executions and the artifacts between them as the API sends them, for stories and tests. */
import type { Artifact, ArtifactLink, Execution, PipelineTask, Run } from "../kinds/pipelines";
import { CURVE, DATASET, EXIT_ID, MARKDOWN, METRICS, SUCCEEDED, made, run, runs, task } from "./pipelines";

/** A task of a sample run as lists of all runs have it. */
const execution = (of: Run, one: PipelineTask): Execution => ({ ...one, run_id: of.run_id, run_name: of.display_name ?? "", namespace: "ml", pipeline_name: "churn-model", pipeline_id: "p-1", pipeline_version_id: "v-2" });

/** Tasks of as many runs, the newest first. */
export const executions = (count: number): Execution[] =>
  runs(Math.ceil(count / 12))
    .flatMap((of) => (of.tasks ?? []).map((one) => ({ ...execution(of, one), task_id: `${of.run_id}-${one.task_id}`, create_time: of.created_at ?? "", start_time: of.created_at ?? "" })))
    .slice(0, count);

const MODEL: Artifact = made("a-model", "model", "Model");
const io = (...artifacts: Artifact[]) => ({ artifacts: artifacts.map((one) => ({ artifact_key: one.name ?? "", artifacts: [one] })) });
const RAW = made("a-raw", "artifact", "Dataset");
const LATER = run("run-7", "SUCCEEDED", { display_name: "retrain with more data" });

/** Executions around the dataset: one made it, two of another run read it, and something came of that. */
export const LINEAGE: Execution[] = [
  execution(SUCCEEDED, task("t-importer", "importer", EXIT_ID, "IMPORTER", "SUCCEEDED", 396, 395, { outputs: io(RAW) })),
  execution(SUCCEEDED, task("t-prepare", "prepare", EXIT_ID, "RUNTIME", "SUCCEEDED", 394, 360, { inputs: io(RAW), outputs: io(DATASET), cache_fingerprint: "9f2c4b1a77d0e39f2c4b1a77d0e39f2c4b1a77d0e39f2c4b1a77d0e3" })),
  execution(SUCCEEDED, task("t-evaluate", "evaluate", EXIT_ID, "RUNTIME", "SUCCEEDED", 138, 90, { inputs: io(DATASET), outputs: io(METRICS, CURVE, MARKDOWN) })),
  execution(LATER, task("t-again", "prepare", EXIT_ID, "RUNTIME", "CACHED", 80, 80, { inputs: io(RAW), outputs: io(DATASET), cache_fingerprint: "9f2c4b1a77d0e39f2c4b1a77d0e39f2c4b1a77d0e39f2c4b1a77d0e3", cached_task_id: "t-prepare" })),
  execution(LATER, task("t-fit", "fit", EXIT_ID, "RUNTIME", "SUCCEEDED", 70, 20, { inputs: io(DATASET), outputs: io(MODEL) })),
  execution(LATER, task("t-check", "check", EXIT_ID, "RUNTIME", "FAILED", 18, 10, { inputs: io(MODEL), status_metadata: { message: "main: exit code 1: the accuracy 0.71 is below 0.8" } })),
];

/** As the API links an artifact with the executions above. */
export const linksOf = (artifact: string): ArtifactLink[] =>
  LINEAGE.flatMap((one) =>
    (["inputs", "outputs"] as const).flatMap((side) =>
      (one[side]?.artifacts ?? [])
        .filter((given) => given.artifacts?.some((each) => each.artifact_id === artifact))
        .map((given): ArtifactLink => ({ artifact_id: artifact, run_id: one.run_id ?? "", task_id: one.task_id, type: side === "inputs" ? "TASK_OUTPUT_INPUT" : "OUTPUT", key: given.artifact_key ?? "" })),
    ),
  );

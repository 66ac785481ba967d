/** Several runs beside each other: parameters, scalars, and what their artifacts draw. Pure. */
import type { PlotSeries } from "../../../parts/plot/series";
import { nameOf, type Artifact, type Run } from "./pipelines";
import { parameterText } from "./pipelinesForm";
import { artifactKind, areaUnder, confusionOf, rocOf, scalarsOf, slicesOf, withoutSteps, type ConfusionMatrix } from "./pipelinesMetrics";
import { exactMetricText } from "./pipelinesV1Metrics";
import { recordsOf, type TaskRecord } from "./graph/pipelinesTasks";

export interface ComparedRow {
  name: string;
  /** In the order of the runs; undefined where a run has no such value. */
  values: (string | undefined)[];
  isDifferent: boolean;
  /** Whether a value is another than that of most runs; the first run's counts where no value is that of most. */
  isOdd: boolean[];
}

/** An artifact of a run, and the task that made it. */
export interface RunArtifact {
  runId: string;
  run: string;
  task: string;
  key: string;
  artifact: Artifact;
}

export interface Comparison {
  parameters: ComparedRow[];
  scalars: ComparedRow[];
  roc: PlotSeries[];
  matrices: { id: string; title: string; matrix: ConfusionMatrix }[];
  html: RunArtifact[];
  markdown: RunArtifact[];
}

function rowsOf(tables: Record<string, string>[]): ComparedRow[] {
  const names = [...new Set(tables.flatMap((table) => Object.keys(table)))];
  return names.map((name) => {
    const values = tables.map((table) => table[name]);
    const usual = mostCommon(values);
    return { name, values, isDifferent: new Set(values).size > 1, isOdd: values.map((value) => value !== usual) };
  });
}

function mostCommon<T>(values: T[]): T | undefined {
  const counts = new Map<T, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  // A stable order: of values that are as common, the one of the earliest run.
  return [...counts].sort(([, a], [, b]) => b - a)[0]?.[0];
}

const MIN_MARK = 4;

/** The start of its id for each run whose name another has too, as long as it takes to distinguish all of them. */
export function marksOf(runs: Pick<Run, "run_id" | "display_name">[]): Map<string, string> {
  const names = runs.map(nameOf);
  const twins = runs.filter((run) => names.filter((name) => name === nameOf(run)).length > 1);
  const isEnough = (length: number) => new Set(twins.map((run) => run.run_id.slice(0, length))).size === twins.length;
  let length = MIN_MARK;
  while (!isEnough(length) && length < 64) length++;
  return new Map(twins.map((run) => [run.run_id, run.run_id.slice(0, length)]));
}

/** The name of a run in titles and legends, where a mark stands beside it if another run has the same. */
const titleOf = (run: Run, marks: ReadonlyMap<string, string>): string => [nameOf(run), marks.get(run.run_id)].filter(Boolean).join(" ");

/** Artifacts that the tasks of a run have made, each once. */
export function artifactsOf(run: Run): RunArtifact[] {
  const found = new Map<string, RunArtifact>();
  for (const record of recordsOf(run)) {
    if (isDag(record)) continue;
    for (const output of record.outputs.artifacts ?? []) {
      for (const artifact of output.artifacts ?? []) {
        if (found.has(artifact.artifact_id)) continue;
        found.set(artifact.artifact_id, { runId: run.run_id, run: nameOf(run), task: record.label, key: output.artifact_key ?? artifact.name ?? "", artifact });
      }
    }
  }
  return [...found.values()];
}

/** Outputs of a DAG are those of its tasks. */
const isDag = (record: TaskRecord): boolean => !["", "RUNTIME", "IMPORTER"].includes(record.type);

const scalarName = (one: RunArtifact, name: string, isAlone: boolean): string => (isAlone ? name : `${one.task} / ${name}`);

/** The scalars of a run's artifacts, and what tasks of a v1 run have reported. */
function scalarTable(run: Run, artifacts: RunArtifact[], percentages: ReadonlySet<string>): Record<string, string> {
  const metrics = artifacts.filter((one) => artifactKind(one.artifact) === "metrics");
  const isAlone = new Set(metrics.map((one) => one.task)).size <= 1;
  const logged = new Set(metrics.flatMap((one) => Object.keys(scalarsOf(one.artifact))));
  const reported = Object.entries(run.metrics ?? {}).filter(([name]) => !logged.has(name)).map(([name, value]) => [name, exactMetricText(value, percentages.has(name))]);
  const drawn = metrics.flatMap((one) => Object.entries(scalarsOf(one.artifact)).map(([name, value]) => [scalarName(one, name, isAlone), String(value)]));
  return Object.fromEntries([...reported, ...drawn]) as Record<string, string>;
}

const NONE: ReadonlySet<string> = new Set();

/** `percentages` are the metrics of v1 runs that are written as such. */
export function compareRuns(runs: Run[], found: RunArtifact[], percentages: ReadonlySet<string> = NONE): Comparison {
  const marks = marksOf(runs);
  const titles = new Map(runs.map((run) => [run.run_id, titleOf(run, marks)]));
  const artifacts = found.map((one) => ({ ...one, run: titles.get(one.runId) ?? one.run }));
  const ofRun = (run: Run) => artifacts.filter((one) => one.runId === run.run_id);
  const of = (...kinds: string[]) => artifacts.filter((one) => kinds.includes(artifactKind(one.artifact)));
  const classified = [
    ...of("classification").map((one) => ({ id: one.artifact.artifact_id, title: `${one.run} · ${one.task}`, metrics: one.artifact.metadata })),
    ...of("sliced").flatMap((one) =>
      slicesOf(one.artifact).map((slice) => ({ id: `${one.artifact.artifact_id}/${slice.name}`, title: `${one.run} · ${one.task} · ${slice.name}`, metrics: slice.metrics })),
    ),
  ];
  return {
    parameters: rowsOf(runs.map((run) => Object.fromEntries(Object.entries(run.runtime_config?.parameters ?? {}).map(([name, value]) => [name, parameterText(value)])))),
    scalars: rowsOf(runs.map((run) => scalarTable(run, ofRun(run), percentages))),
    roc: classified.flatMap(({ id, title, metrics }) => {
      const curve = rocOf(metrics, id, title);
      return curve === undefined ? [] : [withoutSteps({ ...curve, label: `${title} (AUC ${areaUnder(curve).toFixed(3)})` })];
    }),
    matrices: classified.flatMap(({ id, title, metrics }) => {
      const matrix = confusionOf(metrics);
      return matrix === undefined ? [] : [{ id, title, matrix }];
    }),
    html: of("html"),
    markdown: of("markdown"),
  };
}

const DIGITS = 6;

/** A number with as many digits as one reads; any other text as it is. */
export const shortText = (value: string): string => (/^-?\d+\.\d+(e-?\d+)?$/.test(value) ? String(Number(Number(value).toPrecision(DIGITS))) : value);

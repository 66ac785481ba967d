/** Metrics that tasks of v1 runs report: `mlpipeline-metrics`, and `metrics` of a v1 run. Pure. */
import type { Artifact, Run, TaskValues } from "./pipelines";

export interface V1Metric {
  name: string;
  value: number;
  isPercentage: boolean;
}

/** The artifacts of a task that have its metrics; their names differ in case and in what is before them. */
export const v1MetricArtifacts = (outputs: TaskValues): Artifact[] =>
  (outputs.artifacts ?? []).filter((output) => /mlpipeline[-_ ]?metrics$/i.test(output.artifact_key ?? "")).flatMap((output) => output.artifacts ?? []);

/** The metrics of a document `{"metrics": […]}`; what is none is left out. */
export function v1Metrics(document: unknown): V1Metric[] {
  const { metrics } = (document ?? {}) as { metrics?: unknown };
  return (Array.isArray(metrics) ? metrics : []).flatMap((one: unknown) => {
    const { name, numberValue, number_value, format } = (one ?? {}) as Record<string, unknown>;
    const value = numberValue ?? number_value;
    return typeof name === "string" && typeof value === "number" ? [{ name, value, isPercentage: typeof format === "string" && format.toUpperCase() === "PERCENTAGE" }] : [];
  });
}

/** Four digits are enough to compare by eye. */
const SHORT = 4;
/** More digits show how a number is stored, as in 0.1 + 0.2. */
const EXACT = 15;

const digits = (value: number, isPercentage: boolean, count: number): string =>
  isPercentage ? `${Number((value * 100).toPrecision(count))}%` : String(Number(value.toPrecision(count)));

export const metricText = (value: number | undefined, isPercentage = false): string => (value === undefined ? "–" : digits(value, isPercentage, SHORT));
export const exactMetricText = (value: number, isPercentage: boolean): string => digits(value, isPercentage, EXACT);

/** For each metric one run that has reported it: the last, which stays the same when newer ones come. */
export function runsWithMetrics(runs: Pick<Run, "run_id" | "metrics">[], names: string[]): string[] {
  return [...new Set(names.flatMap((name) => runs.findLast(({ metrics }) => metrics !== undefined && name in metrics)?.run_id ?? []))];
}

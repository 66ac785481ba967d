/** What artifacts show: scalars, ROC curves, confusion matrices, and v1's `mlpipeline-ui-metadata`. Pure. */
import type { PlotSeries } from "../../../parts/plot/series";
import type { Artifact, Run, TaskValues } from "./pipelines";

export type ArtifactKind = "metrics" | "classification" | "sliced" | "html" | "markdown" | "model" | "dataset" | "artifact";

const KINDS: Record<string, ArtifactKind> = {
  metric: "metrics",
  metrics: "metrics",
  classificationmetric: "classification",
  classificationmetrics: "classification",
  slicedclassificationmetric: "sliced",
  slicedclassificationmetrics: "sliced",
  html: "html",
  markdown: "markdown",
  model: "model",
  dataset: "dataset",
};

/** `Metric`, `system.Metrics` and so on; a type that is not known is an artifact. */
export const artifactKind = (artifact: Pick<Artifact, "type">): ArtifactKind => KINDS[(artifact.type ?? "").replace(/^system\./, "").toLowerCase()] ?? "artifact";
export const typeLabel = (type: string | undefined): string => (type === undefined || type === "" ? "Artifact" : type.replace(/^system\./, ""));

export interface ConfusionMatrix {
  labels: string[];
  /** Rows are what is true, columns what was predicted. */
  rows: number[][];
}

type Json = Record<string, unknown>;
const object = (value: unknown): Json => (typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {});
const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : []);
/** Upstream wraps lists and structs of metadata. */
const unwrapped = (value: unknown): unknown => object(value)["list"] ?? object(value)["struct"] ?? value;
const texted = (value: unknown): string => (typeof value === "string" ? value : typeof value === "number" || typeof value === "boolean" ? String(value) : "");

/** Each number of the metadata, and the value of a single metric. */
export function scalarsOf(artifact: Artifact): Record<string, number> {
  const scalars: Record<string, number> = {};
  for (const [key, value] of Object.entries(artifact.metadata ?? {})) {
    if (typeof value === "number" && key !== "display_name") scalars[key] = value;
  }
  if (artifact.number_value !== undefined && artifact.name !== undefined) scalars[artifact.name] = artifact.number_value;
  return scalars;
}

export function confusionOf(metrics: unknown): ConfusionMatrix | undefined {
  const matrix = object(unwrapped(object(metrics)["confusionMatrix"]));
  const labels = list(unwrapped(matrix["annotationSpecs"])).map((one) => texted(object(one)["displayName"]));
  const rows = list(unwrapped(matrix["rows"])).map((one) => list(unwrapped(object(one)["row"] ?? one)).map(Number));
  return labels.length > 0 && rows.length > 0 ? { labels, rows } : undefined;
}

/** x is the false positive rate, y the true positive rate (recall), from (0, 0) to (1, 1). */
export function rocOf(metrics: unknown, id: string, label: string): PlotSeries | undefined {
  const points = list(unwrapped(object(metrics)["confidenceMetrics"]))
    .map((one) => ({ x: Number(object(one)["falsePositiveRate"] ?? 0), y: Number(object(one)["recall"] ?? 0) }))
    .filter((point) => Number.isFinite(point.x) && Number.isFinite(point.y))
    .sort((a, b) => a.x - b.x || a.y - b.y);
  if (points.length === 0) return undefined;
  return { id, label, x: points.map((point) => point.x), y: points.map((point) => point.y) };
}

/** Area under a ROC curve by trapezoids. */
export function areaUnder({ x, y }: Pick<PlotSeries, "x" | "y">): number {
  let area = 0;
  for (let index = 1; index < x.length; index++) {
    area += ((x[index] ?? 0) - (x[index - 1] ?? 0)) * (((y[index] ?? 0) + (y[index - 1] ?? 0)) / 2);
  }
  return area;
}

/** Points that share an x are drawn as one: the highest, as a plot has one value for each x. */
export function withoutSteps(series: PlotSeries): PlotSeries {
  const highest = new Map<number, number>();
  series.x.forEach((x, index) => highest.set(x, Math.max(highest.get(x) ?? -Infinity, series.y[index] ?? 0)));
  return { ...series, x: [...highest.keys()], y: [...highest.values()] };
}

export interface MetricSlice {
  name: string;
  metrics: unknown;
}

export const slicesOf = (artifact: Artifact): MetricSlice[] =>
  list(unwrapped(artifact.metadata?.["evaluationSlices"])).map((one) => ({ name: texted(object(one)["slice"]), metrics: unwrapped(object(one)["sliceClassificationMetrics"]) }));

/** One thing that v1's `mlpipeline-ui-metadata` asks to show. */
export type V1Output =
  | { type: "confusion_matrix"; matrix: ConfusionMatrix }
  | { type: "roc"; series: PlotSeries }
  | { type: "table"; header: string[]; rows: string[][] }
  | { type: "markdown"; source: string }
  | { type: "web-app"; source: string }
  | { type: "tensorboard"; source: string }
  | { type: "remote"; kind: string; uri: string; output: Json }
  | { type: "unsupported"; kind: string };

/** The artifacts of a task that say what is to be shown; their names differ in case and in what is before them. */
export const v1Metadata = (outputs: TaskValues): Artifact[] =>
  (outputs.artifacts ?? []).filter((output) => /mlpipeline[-_ ]?ui[-_ ]?metadata$/i.test(output.artifact_key ?? "")).flatMap((output) => output.artifacts ?? []);

/** The outputs of a `mlpipeline-ui-metadata` document. Those whose content lies elsewhere are `remote` until it has been read. */
export function v1Outputs(document: unknown): V1Output[] {
  return list(object(document)["outputs"]).map((one) => {
    const output = object(one);
    const source = texted(output["source"]);
    const kind = texted(output["type"]);
    if (kind === "tensorboard") return { type: "tensorboard", source };
    const isInline = output["storage"] === "inline" || !/^[a-z0-9]+:\/\//.test(source);
    return isInline ? v1Output(output, source) : { type: "remote", kind, uri: source, output };
  });
}

/** What an output shows, given its content. */
export function v1Output(output: Json, content: string): V1Output {
  const kind = texted(output["type"]);
  const schema = list(output["schema"]).map((one) => texted(object(one)["name"]));
  switch (kind) {
    case "markdown":
      return { type: "markdown", source: content };
    case "web-app":
      return { type: "web-app", source: content };
    case "table":
      return { type: "table", header: list(output["header"]).map(texted), rows: csvRows(content) };
    case "roc": {
      const column = (name: string, place: number) => (schema.includes(name) ? schema.indexOf(name) : place);
      const points = csvRows(content)
        .map((row) => ({ x: Number(row[column("fpr", 0)]), y: Number(row[column("tpr", 1)]) }))
        .filter((point) => Number.isFinite(point.x) && Number.isFinite(point.y))
        .sort((a, b) => a.x - b.x || a.y - b.y);
      return { type: "roc", series: { id: "roc", label: "ROC", x: points.map((point) => point.x), y: points.map((point) => point.y) } };
    }
    case "confusion_matrix":
      return { type: "confusion_matrix", matrix: v1Confusion(list(output["labels"]).map(texted), csvRows(content)) };
    default:
      return { type: "unsupported", kind };
  }
}

/** Rows of `target,predicted,count` as a square. */
function v1Confusion(given: string[], rows: string[][]): ConfusionMatrix {
  const labels = given.length > 0 ? given : [...new Set(rows.flatMap((row) => row.slice(0, 2)))];
  const counts = new Map(rows.map((row) => [`${row[0] ?? ""}\n${row[1] ?? ""}`, Number(row[2] ?? 0)]));
  return { labels, rows: labels.map((target) => labels.map((predicted) => counts.get(`${target}\n${predicted}`) ?? 0)) };
}

/** CSV with quotes, as RFC 4180 has it. */
export function csvRows(text: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let isQuoted = false;
  for (let index = 0; index < text.length; index++) {
    const character = text[index] ?? "";
    if (isQuoted) {
      if (character !== '"') cell += character;
      else if (text[index + 1] === '"') cell += text[++index] ?? "";
      else isQuoted = false;
    } else if (character === '"') isQuoted = true;
    else if (character === ",") {
      row.push(cell);
      cell = "";
    } else if (character === "\n") {
      rows.push([...row, cell.replace(/\r$/, "")]);
      row = [];
      cell = "";
    } else cell += character;
  }
  if (cell !== "" || row.length > 0) rows.push([...row, cell]);
  return rows.filter((cells) => cells.some((one) => one !== ""));
}

/** More columns than these are found on the pages of runs, and side by side. */
const MAX_METRIC_COLUMNS = 3;

/** The metrics that runs of a list have reported: those of most runs first. */
export function metricNames(runs: Pick<Run, "metrics">[]): string[] {
  const counts = new Map<string, number>();
  for (const { metrics } of runs) for (const name of Object.keys(metrics ?? {})) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].sort(([a, most], [b, other]) => other - most || a.localeCompare(b)).slice(0, MAX_METRIC_COLUMNS).map(([name]) => name);
}

import { describe, expect, test } from "vitest";
import { CURVE, FAILED, HTML, METRICS, RUNNING, SUCCEEDED } from "../samples/pipelines";
import type { Run } from "./pipelines";
import { artifactsOf, compareRuns, marksOf, shortText } from "./pipelinesCompare";
import { areaUnder, artifactKind, confusionOf, csvRows, metricNames, rocOf, scalarsOf, slicesOf, v1Metadata, v1Outputs, withoutSteps } from "./pipelinesMetrics";

test.each([
  ["system.Metrics", "metrics"],
  ["Metric", "metrics"],
  ["ClassificationMetric", "classification"],
  ["system.SlicedClassificationMetrics", "sliced"],
  ["HTML", "html"],
  ["system.Markdown", "markdown"],
  ["google.VertexModel", "artifact"],
  [undefined, "artifact"],
])("artifacts of type %s are %s", (type, kind) => {
  expect(artifactKind({ type })).toBe(kind);
});

test("numbers of the metadata are scalars, as is the value of a single metric", () => {
  expect(scalarsOf({ artifact_id: "a", metadata: { loss: 0.1, note: "x", ok: true } })).toEqual({ loss: 0.1 });
  expect(scalarsOf({ artifact_id: "a", name: "accuracy", number_value: 0.9 })).toEqual({ accuracy: 0.9 });
});

describe("ROC", () => {
  test("points are in the order of the false positive rate, whatever order they came in", () => {
    const metrics = { confidenceMetrics: [{ falsePositiveRate: 1, recall: 1 }, { falsePositiveRate: 0, recall: 0 }, { falsePositiveRate: 0.5, recall: 0.9 }] };
    expect(rocOf(metrics, "a", "A")).toEqual({ id: "a", label: "A", x: [0, 0.5, 1], y: [0, 0.9, 1] });
  });

  test("zeros that the API leaves out are zeros, and lists may be wrapped", () => {
    expect(rocOf({ confidenceMetrics: { list: [{ confidenceThreshold: 1 }, { falsePositiveRate: 1, recall: 1 }] } }, "a", "A")?.x).toEqual([0, 1]);
    expect(rocOf({}, "a", "A")).toBeUndefined();
  });

  test("the area under the diagonal is a half", () => {
    expect(areaUnder({ x: [0, 1], y: [0, 1] })).toBe(0.5);
    expect(areaUnder({ x: [0, 0, 1], y: [0, 1, 1] })).toBe(1);
  });

  test("steps up are one point", () => {
    expect(withoutSteps({ id: "a", label: "", x: [0, 0, 1], y: [0, 0.7, 1] })).toMatchObject({ x: [0, 1], y: [0.7, 1] });
  });
});

test("a confusion matrix has its labels and rows; half of one is none", () => {
  expect(confusionOf(CURVE.metadata)).toMatchObject({ labels: ["stays", "leaves", "unsure"], rows: [[812, 31, 7], [54, 377, 12], [9, 14, 61]] });
  expect(confusionOf({ confusionMatrix: { rows: [] } })).toBeUndefined();
  expect(confusionOf(undefined)).toBeUndefined();
});

test("slices have metrics of their own", () => {
  const artifact = { artifact_id: "a", metadata: { evaluationSlices: [{ slice: "young", sliceClassificationMetrics: CURVE.metadata }] } };
  expect(slicesOf(artifact).map((slice) => [slice.name, confusionOf(slice.metrics)?.labels.length])).toEqual([["young", 3]]);
});

describe("mlpipeline-ui-metadata", () => {
  const outputs = (...all: object[]) => v1Outputs({ version: 1, outputs: all });

  test("inline contents are read", () => {
    expect(outputs({ type: "markdown", storage: "inline", source: "# a" })).toEqual([{ type: "markdown", source: "# a" }]);
    expect(outputs({ type: "table", storage: "inline", header: ["a", "b"], source: '1,"x, y"\n' })).toEqual([{ type: "table", header: ["a", "b"], rows: [["1", "x, y"]] }]);
    expect(outputs({ type: "confusion_matrix", storage: "inline", labels: ["n", "y"], source: "n,n,5\nn,y,1\ny,n,2\ny,y,9\n" })).toEqual([{ type: "confusion_matrix", matrix: { labels: ["n", "y"], rows: [[5, 1], [2, 9]] } }]);
    expect(outputs({ type: "roc", storage: "inline", schema: [{ name: "tpr" }, { name: "fpr" }], source: "1,1\n0,0\n" })[0]).toMatchObject({ series: { x: [0, 1], y: [0, 1] } });
  });

  test("it is found among the outputs of a task, however it is written", () => {
    const output = (key: string) => ({ artifact_key: key, artifacts: [{ artifact_id: key }] });
    const outputs = { artifacts: [output("train-log"), output("MLPipeline_UI_metadata"), output("mlpipeline-metrics")] };
    expect(v1Metadata(outputs).map((one) => one.artifact_id)).toEqual(["MLPipeline_UI_metadata"]);
  });

  test("contents elsewhere wait to be read", () => {
    expect(outputs({ type: "web-app", source: "gs://bucket/page.html", storage: "gcs" })).toMatchObject([{ type: "remote", kind: "web-app", uri: "gs://bucket/page.html" }]);
  });

  test("what is not known is named", () => {
    expect(outputs({ type: "hologram", source: "x" }, { type: "tensorboard", source: "gs://x" })).toEqual([{ type: "unsupported", kind: "hologram" }, { type: "tensorboard", source: "gs://x" }]);
    expect(v1Outputs("nonsense")).toEqual([]);
  });
});

test.each([
  ["a,b\r\nc,d", [["a", "b"], ["c", "d"]]],
  ['"a ""b""",c\n', [['a "b"', "c"]]],
  ["\n\n", []],
])("%j as CSV", (text, rows) => {
  expect(csvRows(text)).toEqual(rows);
});

describe("comparing runs", () => {
  const other = { ...SUCCEEDED, run_id: "run-4", display_name: "other", runtime_config: { parameters: { ...SUCCEEDED.runtime_config?.parameters, epochs: 9 } }, tasks: (SUCCEEDED.tasks ?? []).map((task) => (task.name === "evaluate" ? { ...task, outputs: { artifacts: [{ artifact_key: "metrics", artifacts: [{ ...METRICS, artifact_id: "a-2", metadata: { accuracy: 0.8 } }] }, { artifact_key: "page", artifacts: [HTML] }] } } : task)) };
  const runs = [SUCCEEDED, other];
  const comparison = compareRuns(runs, runs.flatMap(artifactsOf));

  test("parameters that differ are marked", () => {
    expect(comparison.parameters.find((row) => row.name === "epochs")).toEqual({ name: "epochs", values: ["3", "9"], isDifferent: true, isOdd: [false, true] });
    expect(comparison.parameters.find((row) => row.name === "optimizer")?.isDifferent).toBe(false);
  });

  test("a scalar that a run lacks is empty", () => {
    expect(comparison.scalars.find((row) => row.name === "accuracy")?.values).toEqual(["0.9231", "0.8"]);
    expect(comparison.scalars.find((row) => row.name === "f1")?.values).toEqual(["0.881", undefined]);
  });

  test("curves, matrices and pages stand beside each other", () => {
    expect(comparison.roc.map((series) => series.label)).toEqual([expect.stringMatching(/run-3 · evaluate \(AUC 0\.\d+\)/)]);
    expect([comparison.matrices.length, comparison.html.length, comparison.markdown.length]).toEqual([1, 1, 1]);
  });

  test("runs without artifacts have nothing to compare", () => {
    expect(compareRuns([FAILED, RUNNING], []).scalars).toEqual([]);
  });
});

test("columns are the metrics of most runs, three at most", () => {
  const of = (...names: string[]) => ({ metrics: Object.fromEntries(names.map((name) => [name, 1])) });

  expect(metricNames([of("loss"), of("accuracy", "loss"), {}, of("auc", "b", "c")])).toEqual(["loss", "accuracy", "auc"]);
  expect(metricNames([{}, {}])).toEqual([]);
});

test("metrics that v1 runs have reported are compared, percentages as such", () => {
  const runs: Run[] = [{ run_id: "a", metrics: { accuracy: 0.9312345, loss: 0.25 } }, { run_id: "b", metrics: { accuracy: 0.9 } }];
  expect(compareRuns(runs, [], new Set(["accuracy"])).scalars).toEqual([
    { name: "accuracy", values: ["93.12345%", "90%"], isDifferent: true, isOdd: [false, true] },
    { name: "loss", values: ["0.25", undefined], isDifferent: true, isOdd: [false, true] },
  ]);
});

test.each([
  ["0.08999999999999997", "0.09"],
  ["0.912345678", "0.912346"],
  ["1.5e-7", "1.5e-7"],
  ["92%", "92%"],
  ["100", "100"],
  ["v1.2.3", "v1.2.3"],
])("a compared value %s is short enough to be read", (value, text) => {
  expect(shortText(value)).toBe(text);
});

test("runs of the same name are distinguished by the start of their ids, others need none", () => {
  const runs = [
    { run_id: "abcd1111", display_name: "train" },
    { run_id: "abcd2222", display_name: "train" },
    { run_id: "ffff0000", display_name: "alone" },
  ];

  expect([...marksOf(runs)]).toEqual([
    ["abcd1111", "abcd1"],
    ["abcd2222", "abcd2"],
  ]);
});

test("of many runs the values are marked that most do not have", () => {
  const run = (id: string, epochs: number): Run => ({ run_id: id, runtime_config: { parameters: { epochs } } });

  expect(compareRuns([run("a", 3), run("b", 5), run("c", 5)], []).parameters[0]?.isOdd).toEqual([true, false, false]);
});

test("a metric that a task has logged is one row, though the list of runs has it too", () => {
  const of = (runId: string, task: string) => ({ runId, run: runId, task, key: "metrics", artifact: { ...METRICS, metadata: { accuracy: 0.5 } } });
  const rows = compareRuns([{ run_id: "a", metrics: { accuracy: 0.5 } }], [of("a", "train"), of("a", "test")]).scalars;

  expect(rows.map((row) => row.name)).toEqual(["train / accuracy", "test / accuracy"]);
});

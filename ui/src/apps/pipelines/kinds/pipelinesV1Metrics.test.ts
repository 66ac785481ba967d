import { expect, test } from "vitest";
import { exactMetricText, metricText, runsWithMetrics, v1MetricArtifacts, v1Metrics } from "./pipelinesV1Metrics";

test("metrics are read from the file of a task, whichever way it spells them", () => {
  const document = { metrics: [{ name: "accuracy", numberValue: 0.93, format: "PERCENTAGE" }, { name: "loss", number_value: 0.2, format: "RAW" }, { name: "text", numberValue: "high" }, null] };
  expect(v1Metrics(document)).toEqual([
    { name: "accuracy", value: 0.93, isPercentage: true },
    { name: "loss", value: 0.2, isPercentage: false },
  ]);
  expect([v1Metrics(null), v1Metrics({ metrics: "none" }), v1Metrics([])]).toEqual([[], [], []]);
});

test("the artifact with metrics is known by the end of its name", () => {
  const output = (artifact_key: string) => ({ artifact_key, artifacts: [{ artifact_id: artifact_key }] });
  const found = v1MetricArtifacts({ artifacts: ["train-mlpipeline-metrics", "MLPipeline_Metrics", "mlpipeline-ui-metadata"].map(output) });
  expect(found.map((one) => one.artifact_id)).toEqual(["train-mlpipeline-metrics", "MLPipeline_Metrics"]);
});

test("a percentage is shown as one, with four digits in lists and all where runs are compared", () => {
  expect([0.92314159, 48_211, 0].map((value) => metricText(value))).toEqual(["0.9231", "48210", "0"]);
  expect([metricText(0.923456, true), metricText(0.923456), metricText(undefined, true), metricText(1, true)]).toEqual(["92.35%", "0.9235", "–", "100%"]);
  expect([exactMetricText(0.923456, true), exactMetricText(0.07, true), exactMetricText(0.923456, false)]).toEqual(["92.3456%", "7%", "0.923456"]);
});

test("formats are asked of few runs, and of the same ones when newer runs come", () => {
  const runs: { run_id: string; metrics?: Record<string, number> }[] = [{ run_id: "3", metrics: { a: 1 } }, { run_id: "2", metrics: { a: 1, b: 1 } }, { run_id: "1" }];
  expect(runsWithMetrics(runs, ["a", "b", "c"])).toEqual(["2"]);
});

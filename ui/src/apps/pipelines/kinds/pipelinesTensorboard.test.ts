import { expect, test } from "vitest";
import { boardOf, logsOf } from "./pipelinesTensorboard";

test.each([
  ["minio://mlpipeline/artifacts/x/logs/", "pvc://pipeline-artifacts/minio/mlpipeline/artifacts/x/logs"],
  ["volume://data/logs", "pvc://data/logs"],
  ["s3://bucket/logs", "s3://bucket/logs"],
  ["gcs://bucket/logs", "gs://bucket/logs"],
  ["train:gs://bucket/a,test:gs://bucket/b", "gs://bucket/a"],
  ["/tmp/logs", undefined],
  ["", undefined],
])("the logs of %s are read from %s", (source, logs) => {
  expect(logsOf(source)).toBe(logs);
});

test("a place has one board, whose name is allowed", () => {
  const place = `s3://bucket/${"Very Long Name ".repeat(10)}`;

  expect(boardOf(place)).toBe(boardOf(place));
  expect(boardOf("s3://a/logs")).not.toBe(boardOf("s3://b/logs"));
  for (const source of [place, "s3://b/2024-01", "s3://b/--"]) expect(boardOf(source)).toMatch(/^[a-z]([-a-z0-9]{0,48}[a-z0-9])?$/);
});

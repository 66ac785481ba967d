import { expect, test } from "vitest";
import { landingOf } from "./pipelinesLinks";

test.each([
  ["/pipeline/", "/runs/details/6b1c", "/pipelines/runs/details/6b1c", {}],
  ["/", "/runs/details/6b1c", "/pipelines/runs/details/6b1c", {}],
  ["/_/pipeline/", "/experiments/details/e1", "/pipelines/experiments/e1", {}],
  ["/pipeline", "/pipelines/details/p1", "/pipelines/details/p1", {}],
  ["/pipeline/", "/pipelines/details/p1/version/v2", "/pipelines/details/p1", { version: "v2" }],
  ["/pipeline/", "/pipelines/details/p1/version/v2?fromRun=r", "/pipelines/details/p1", { version: "v2", fromRun: "r" }],
  ["/pipeline/", "/runs", "/pipelines/runs/", {}],
  ["/pipeline/", "/archive/runs", "/pipelines/runs/", { archived: "yes" }],
  ["/pipeline/", "/compare?runlist=a,b", "/pipelines/runs/compare", { runs: "a,b" }],
  ["/pipeline/", "/runs/new?pipelineId=p&pipelineVersionId=v&experimentId=e", "/pipelines/runs/new", { pipeline: "p", version: "v", experiment: "e" }],
  ["/pipeline/", "/recurringrun/details/r1", "/pipelines/recurring/r1", {}],
  ["/pipeline/", "/artifacts/12", "/pipelines/artifacts/12", {}],
  ["/pipeline/", "/executions", "/pipelines/executions/", {}],
  ["/pipeline/", "/executions/7a", "/pipelines/executions/7a", {}],
  ["/", "/executions", "/pipelines/executions/", {}],
  ["/pipeline/", "", "/pipelines/", {}],
  ["/pipeline/", "/nonsense", "/pipelines/", {}],
])("%s#%s is %s", (path, hash, to, search) => {
  expect(landingOf(path, hash)).toEqual({ to, search });
});

test.each([
  ["/", ""],
  ["/", "L12"],
  ["/jobs/", "/runs/details/1"],
])("%s#%s is not Kubeflow's", (path, hash) => {
  expect(landingOf(path, hash)).toBeUndefined();
});

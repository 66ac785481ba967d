import { expect, test } from "vitest";
import type { Words } from "../words";
import { en } from "../words/en";
import { zh } from "../words/zh";
import { APPS } from ".";
import { notebookRow } from "./notebooks/samples";
import { foundNotebooks } from "./notebooks/search";
import { FAILED, PIPELINE } from "./pipelines/samples/pipelines";
import { foundPipelines, foundRuns } from "./pipelines/search";
import { TENSORBOARD } from "./tensorboards/samples";
import { foundTensorboards } from "./tensorboards/search";
import { jobRow } from "./training/samples";
import { foundJobs } from "./training/search";
import { QUEUES } from "./volcano/samples";
import { foundQueues } from "./volcano/search";
import { VOLUME } from "./volumes/samples";
import { foundVolumes } from "./volumes/search";

test("objects of every kind are found, each with its page", () => {
  const objects = [...foundNotebooks([notebookRow("lab", "ready")]), ...foundJobs([jobRow("bert", "Running")]), ...foundTensorboards([TENSORBOARD]), ...foundVolumes([VOLUME])];

  expect(objects.map((object) => [object.label, object.to])).toEqual([
    ["lab", "/jupyter/notebook/details/ml/lab"],
    ["bert", "/jobs/PyTorchJob/ml/bert"],
    ["bert-curves", "/tensorboards/details/ml/bert-curves"],
    ["datasets", "/volumes/details/ml/datasets"],
  ]);
});

const clusterWide = (words: Words) => [...foundQueues(words, QUEUES.queues), ...foundPipelines(words, [PIPELINE]), ...foundRuns(words, [FAILED], "ml")];

test("queues, pipelines and runs are found", () => {
  expect(clusterWide(en).map((object) => object.to)).toEqual(expect.arrayContaining(["/queues/research", "/pipelines/details/p-1", "/pipelines/runs/details/run-2"]));
});

test("the kind of a found object is in the language of the person", () => {
  const detailsIn = (words: Words) => [...new Set(clusterWide(words).map((object) => object.detail))];

  expect(detailsIn(en)).toEqual(["Queue", "Pipeline", "Run"]);
  expect(detailsIn(zh)).toEqual(["队列", "流水线", "运行"]);
});

test("no two apps have one name, path or address", () => {
  for (const taken of [APPS.map((app) => app.name), APPS.flatMap((app) => app.pages.map((page) => page.path)), APPS.flatMap((app) => app.addresses)]) {
    expect(new Set(taken).size).toBe(taken.length);
  }
});

test.each(APPS.flatMap((app) => app.pages.map((page) => [page.path, page] as const)))("the page %s exports its component", async (_, { load, component }) => {
  expect(typeof (await load())[component]).toBe("function");
});

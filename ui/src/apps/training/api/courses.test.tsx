import { screen } from "@testing-library/react";
import { onlineManager } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { jobRow } from "../samples";
import { JobTable } from "../pages/JobTable";
import { playedServer, show } from "../../../testing/stories";
import { MAX_JOBS, questionsOf } from "./courses";

const { fetched, answering } = playedServer();

test("all drawn jobs of a namespace are one question, up to the server's limit", () => {
  expect(questionsOf(["ml/TFJob/b", "vision/TFJob/c", "ml/PyTorchJob/a"])).toEqual([
    { namespace: "ml", jobs: ["PyTorchJob/a", "TFJob/b"] },
    { namespace: "vision", jobs: ["TFJob/c"] },
  ]);
  const many = Array.from({ length: MAX_JOBS + 1 }, (_, index) => `ml/TFJob/job-${index}`);
  expect(questionsOf(many).map((one) => one.jobs.length)).toEqual([MAX_JOBS, 1]);
});

test("a table of running jobs sends one request for their newest values", async () => {
  onlineManager.setOnline(true);
  answering((path) => (path.includes("/courses") ? { courses: [{ kind: "PyTorchJob", name: "bert", metric: "loss", values: [0.9, 0.4321] }] } : { status: { resourceRules: [] } }));
  const rows = ["bert", "gpt", "vit"].map((name) => jobRow(name, "Running"));
  show(() => <JobTable rows={rows} hasNamespace={false} />);

  expect(await screen.findByText(/loss 0.432/, {}, { timeout: 8_000 })).toBeTruthy();
  const asked = fetched.mock.calls.map(([path]) => path as string).filter((path) => path.includes("/api/jobs/"));
  expect(asked).toEqual([`/api/jobs/ml/courses?jobs=${encodeURIComponent("PyTorchJob/bert,PyTorchJob/gpt,PyTorchJob/vit")}`]);
  onlineManager.setOnline(false);
}, 15_000);

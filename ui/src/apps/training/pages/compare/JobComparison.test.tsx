import { screen, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useEffect } from "react";
import { expect, test, vi } from "vitest";
import { Followed } from "../../../../gallery/Followed";
import { jobId } from "../../kinds/jobsCompare";
import { playedServer, show } from "../../../../testing/stories";
import { CompareJobs } from "./CompareJobs";
import { JobComparison } from "./JobComparison";
import { Compared, THREE } from "./JobComparison.stories";
import { JobTable } from "../JobTable";

playedServer();

const legendOf = async (metric: string) => {
  const plot = await screen.findByRole("figure", { name: `Plot of ${metric}` });
  return within(plot).getAllByRole("button", { pressed: true }).map((one) => one.textContent.replace(/ [\d.]+$/, ""));
};

/** The page at an address. */
function At({ jobs }: { jobs: string }) {
  const navigate = useNavigate();
  const search: { jobs?: string } = useSearch({ strict: false });
  useEffect(() => void navigate({ to: ".", search: { jobs } } as never), [navigate, jobs]);
  return (
    <>
      <output data-testid="jobs">{search.jobs}</output>
      {search.jobs !== undefined && <CompareJobs />}
    </>
  );
}

test("each metric is one plot, with a legend of the jobs that report it", async () => {
  show(() => <JobComparison jobs={THREE} onLeaveOut={vi.fn()} />);

  expect(await legendOf("loss")).toEqual(["bert-large-lr-1e-4", "bert-large-lr-3e-4", "bert-large-lr-1e-3", "bert-large-lr-1e-3 · validation"]);
  expect(await legendOf("accuracy")).toEqual(["bert-large-lr-1e-4", "bert-large-lr-3e-4"]);
});

test("the jobs are listed with their states and last values, also one that is gone", async () => {
  show(() => <JobComparison jobs={THREE.map((one, index) => (index === 2 ? { ...one, row: undefined } : one))} onLeaveOut={vi.fn()} />);

  const rows = within(await screen.findByRole("table", { name: "Training jobs" })).getAllByRole("row");
  expect(rows.slice(1).map((row) => row.querySelector("[data-state]")?.textContent)).toEqual(["Succeeded", "Running", "Not listed"]);
  expect(within(rows[1] as HTMLElement).getByRole("link").getAttribute("href")).toContain("/jobs/PyTorchJob/ml/bert-large-lr-1e-4");
});

test("the jobs of the page are those of its address, from which one can be left out", async () => {
  show(() => (
    <Compared>
      <At jobs={THREE.map(jobId).join()} />
    </Compared>
  ));
  expect(await legendOf("loss")).toHaveLength(4);

  await userEvent.click(screen.getByRole("button", { name: "Leave bert-large-lr-1e-3 out" }));
  expect(await legendOf("loss")).toEqual(["bert-large-lr-1e-4", "bert-large-lr-3e-4"]);
  expect(screen.getByTestId("jobs").textContent).toBe("PyTorchJob/ml/bert-large-lr-1e-4,PyTorchJob/ml/bert-large-lr-3e-4");
});

test("one job is too few", async () => {
  show(() => (
    <Followed values={{}}>
      <At jobs="PyTorchJob/ml/alone" />
    </Followed>
  ));

  expect(await screen.findByText("Choose at least two jobs in the list of training jobs.")).toBeTruthy();
});

test("a job is chosen in the list, until as many are as there are colours", async () => {
  const onChoose = vi.fn();
  const full = new Set(Array.from({ length: 8 }, (_, index) => `TFJob/ml/other-${index}`));
  const rows = THREE.map((one) => one.row);
  const { unmount } = show(() => <JobTable rows={rows} hasNamespace={false} chosen={{ ids: new Set(), onChoose }} />);
  await userEvent.click(await screen.findByRole("checkbox", { name: "Compare bert-large-lr-1e-4" }));
  expect(onChoose).toHaveBeenCalledWith("PyTorchJob/ml/bert-large-lr-1e-4", true);

  await userEvent.click(screen.getByRole("button", { name: "More actions: bert-large-lr-3e-4" }));
  await userEvent.click(await screen.findByRole("menuitem", { name: "Compare bert-large-lr-3e-4" }));
  expect(onChoose).toHaveBeenCalledWith("PyTorchJob/ml/bert-large-lr-3e-4", true);

  unmount();
  show(() => <JobTable rows={rows} hasNamespace={false} chosen={{ ids: full, onChoose }} />);
  expect((await screen.findByRole<HTMLInputElement>("checkbox", { name: "Compare bert-large-lr-1e-4" })).disabled).toBe(true);
});

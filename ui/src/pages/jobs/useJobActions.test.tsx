import { act, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { jobRow } from "../../gallery/samples";
import type { JobRow } from "../../kinds/generated";
import { ActionMenu } from "../../parts/overlay/ActionMenu";
import { renderPage, stubFetch } from "../../testing/render";
import { useJobActions } from "./useJobActions";

// Menus and dialogs take long to draw on a busy machine.
vi.setConfig({ testTimeout: 20_000 });

afterEach(() => {
  vi.unstubAllGlobals();
});

function Menu({ row }: { row: JobRow }) {
  return <ActionMenu actions={useJobActions(row)} />;
}

async function restart(state: JobRow["state"]) {
  const fetch = stubFetch(() => ({ body: { status: { resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }] } } }));
  await renderPage(<Menu row={jobRow("bert", state)} />);
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "More actions" }));
  await user.click(screen.getByRole("menuitem", { name: "Restart" }));
  const restarts = () => fetch.mock.calls.filter(([path]) => path.endsWith("/restart")).map(([path, init]) => [path, init.body]);
  return { user, restarts };
}

test("a job that runs is restarted only after a question", async () => {
  const { user, restarts } = await restart("Running");
  expect(screen.getByRole("dialog", { name: "Restart bert?" }).textContent).toContain("killed at once");
  expect(restarts()).toEqual([]);

  await user.click(screen.getByRole("button", { name: "Restart" }));
  expect(restarts()).toEqual([["/api/jobs/PyTorchJob/ml/bert/restart", '{"force":true}']]);
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("a question that is answered with no changes nothing", async () => {
  const { user, restarts } = await restart("Waiting");
  await user.click(screen.getByRole("button", { name: "Cancel" }));

  expect(restarts()).toEqual([]);
  expect(screen.queryByRole("dialog")).toBeNull();
});

test("a job that has ended restarts at once", async () => {
  const { restarts } = await restart("Failed");
  await act(() => Promise.resolve());

  expect(screen.queryByRole("dialog")).toBeNull();
  expect(restarts()).toEqual([["/api/jobs/PyTorchJob/ml/bert/restart", '{"force":false}']]);
});

import { useLocation } from "@tanstack/react-router";
import { act, screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { afterEach, expect, test, vi } from "vitest";
import { jobRow } from "../samples";
import type { JobRow } from "../../../kinds/generated";
import { ActionMenu } from "../../../parts/overlay/ActionMenu";
import { renderPage, stubFetch } from "../../../testing/render";
import { useJobActions } from "./useJobActions";

// Menus and dialogs take long to draw on a busy machine.
vi.setConfig({ testTimeout: 20_000 });

afterEach(() => {
  vi.unstubAllGlobals();
});

function Menu({ row }: { row: JobRow }) {
  return <ActionMenu actions={useJobActions(row)} />;
}

async function choose(page: ReactNode, action: string) {
  const fetch = stubFetch(() => ({ body: { status: { resourceRules: [{ verbs: ["*"], apiGroups: ["*"], resources: ["*"] }] } } }));
  await renderPage(page);
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "More actions" }));
  await user.click(screen.getByRole("menuitem", { name: action }));
  return { user, fetch };
}

async function restart(state: JobRow["state"]) {
  const { user, fetch } = await choose(<Menu row={jobRow("bert", state)} />, "Restart");
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

test("a clone is made in the job's namespace, whichever is chosen", async () => {
  const Address = () => {
    const { pathname, search }: { pathname: string; search: unknown } = useLocation();
    return <output>{JSON.stringify([pathname, search])}</output>;
  };
  const page = (
    <>
      <Menu row={{ ...jobRow("bert", "Running"), namespace: "vision" }} />
      <Address />
    </>
  );
  await choose(page, "Clone");

  await vi.waitFor(() => expect(document.querySelector("output")?.textContent).toBe('["/jobs/new",{"from":"PyTorchJob/vision/bert","ns":"vision"}]'));
});

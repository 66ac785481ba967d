/** Controls that RBAC forbids are disabled, and name the right that is missing. */
import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import type { ReactNode } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SESSION_KEY } from "../api/session";
import { VOLUME } from "./volumes/samples";
import { renderPage, rights, stubFetch } from "../testing/render";
import { Home } from "../pages/home/Home";
import { NewJobButton } from "./training/pages/JobList";
import { UploadButton } from "./pipelines/pages/catalogue/PipelineList";
import { NewRunButton } from "./pipelines/pages/runs/RunList";
import { VolumeControls } from "./volumes/pages/VolumeControls";

const SESSION = { user: "eve@example.com", version: "", logoutUrl: "", isClusterAdmin: false, hasMachineView: false, memberships: [{ namespace: "ml", role: "viewer" }], hasWorkgroup: true, registrationAllowed: false };
const READER = rights("ml", { verbs: ["get", "list", "watch"], apiGroups: ["*"], resources: ["*"] });
const EDITOR = rights("ml", { verbs: ["*"], apiGroups: ["*"], resources: ["*"] });

beforeEach(() => {
  localStorage.clear();
  stubFetch(() => ({}));
});
// Menus and dialogs take long to draw on a busy machine.
vi.setConfig({ testTimeout: 20_000 });

afterEach(() => {
  vi.unstubAllGlobals();
});

const CONTROLS: [name: string, element: ReactNode, right: string][] = [
  ["New job", <NewJobButton key="job" />, "create pytorchjobs.kubeflow.org"],
  ["New training job", <Home key="home" />, "create pytorchjobs.kubeflow.org"],
  ["New notebook", <Home key="home" />, "create notebooks.kubeflow.org"],
  ["New run", <NewRunButton key="run" />, "create runs.pipelines.kubeflow.org"],
  ["Upload pipeline", <UploadButton key="upload" />, "create pipelines.pipelines.kubeflow.org"],
];

test.each(CONTROLS)("%s", async (name, element, right) => {
  await renderPage(element, { answers: [[SESSION_KEY, SESSION], READER] });
  const button = screen.getByRole("button", { name: `${name}: You lack the right “${right}” in this namespace.` });

  expect(button.getAttribute("aria-disabled")).toBe("true");
  expect(screen.queryByRole("link", { name })).toBeNull();
});

test.each(CONTROLS)("%s, allowed", async (name, element) => {
  await renderPage(element, { answers: [[SESSION_KEY, SESSION], EDITOR] });

  expect(screen.getByRole("link", { name })).toBeDefined();
});

test("a right to make one kind of job is enough for the form", async () => {
  const some = rights("ml", { verbs: ["create"], apiGroups: ["kubeflow.org"], resources: ["tfjobs"] });
  await renderPage(<NewJobButton />, { answers: [[SESSION_KEY, SESSION], some] });

  expect(screen.getByRole("link", { name: "New job" })).toBeDefined();
});

test("a snapshot of a volume", async () => {
  await renderPage(<VolumeControls row={VOLUME} />, { answers: [[SESSION_KEY, SESSION], READER] });
  await userEvent.click(screen.getByRole("button", { name: /^More actions/ }));
  const item = screen.getByRole("menuitem", { name: /Take a snapshot|Snapshot/ });

  expect(item.getAttribute("aria-disabled")).toBe("true");
  expect(item.textContent).toContain("create volumesnapshots.snapshot.storage.k8s.io");
});

test("the file browser of a volume is closed by who may delete viewers", async () => {
  const open = { ...VOLUME, viewer: { status: "ready", url: "/pvcviewers/ml/datasets/" } } as const;
  await renderPage(<VolumeControls row={open} />, { answers: [[SESSION_KEY, SESSION], READER] });
  const button = screen.getByRole("button", { name: /^Close the file browser/ });

  expect(button.getAttribute("aria-disabled")).toBe("true");
  expect(button.getAttribute("aria-label")).toContain("“delete pvcviewers.kubeflow.org”");
});

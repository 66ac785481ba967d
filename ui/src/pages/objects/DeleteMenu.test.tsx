import { screen } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import type { Resource } from "../../api/k8s";
import { pendingDeletes } from "../../parts/overlay/pendingDeletes";
import { renderPage, rights, stubFetch } from "../../testing/render";
import { DeleteMenu } from "./ObjectDetails";

const ALL = rights("ml", { verbs: ["*"], apiGroups: ["*"], resources: ["*"] });
const CLAIMS: Resource = { group: "", version: "v1", resource: "persistentvolumeclaims", kind: "PersistentVolumeClaim", namespaced: true };
const MAPS: Resource = { group: "", version: "v1", resource: "configmaps", kind: "ConfigMap", namespaced: true };

// Menus and dialogs take long to draw on a busy machine.
vi.setConfig({ testTimeout: 20_000 });

afterEach(() => {
  pendingDeletes.flush();
  vi.unstubAllGlobals();
});

async function press(resource: Resource) {
  const fetch = stubFetch(() => ({}));
  const object = { apiVersion: "v1", kind: resource.kind, metadata: { name: "datasets", namespace: "ml", uid: "1", creationTimestamp: "" } };
  await renderPage(<DeleteMenu resource={resource} object={object} />, { answers: [ALL] });
  const user = userEvent.setup();
  await user.click(screen.getByRole("button", { name: "More actions" }));
  await user.click(screen.getByRole("menuitem", { name: "Delete datasets" }));
  const deleted = () => fetch.mock.calls.filter(([, init]) => init.method === "DELETE").map(([path]) => path);
  return { user, deleted };
}

test("what holds data is deleted when its name was typed", async () => {
  const { user, deleted } = await press(CLAIMS);
  const dialog = screen.getByRole("dialog", { name: "Delete PersistentVolumeClaim datasets?" });
  await user.click(screen.getByRole("button", { name: /^Delete/ }));
  expect(deleted(), "not before").toEqual([]);
  expect(dialog.textContent).toContain("deleted for ever");

  await user.click(screen.getByRole("textbox"));
  await user.paste("datasets");
  await user.click(screen.getByRole("button", { name: "Delete" }));
  expect(deleted()).toEqual(["/api/k8s/api/v1/namespaces/ml/persistentvolumeclaims/datasets"]);
});

test("everything else can be undone for a few seconds", async () => {
  const { deleted } = await press(MAPS);

  expect(screen.queryByRole("dialog")).toBeNull();
  expect(screen.getByRole("button", { name: "Undo" })).toBeDefined();
  expect(deleted()).toEqual([]);
});

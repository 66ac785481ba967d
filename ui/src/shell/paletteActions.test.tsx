import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test, vi } from "vitest";
import { SESSION_KEY } from "../api/session";
import { Cached } from "../gallery/Cached";
import { Followed } from "../gallery/Followed";
import { FAILED } from "../apps/pipelines/samples/pipelines";
import { notebookRow } from "../apps/notebooks/samples";
import { jobRow } from "../apps/training/samples";
import { foundJobs } from "../apps/training/search";
import { KINDS } from "../kinds/generated";
import { playedServer, show } from "../testing/stories";
import { en } from "../words/en";
import { Palette } from "./Palette";
import { actorsOf, hasWords } from "./paletteActors";
import { foreignPages, kindEntries, namespaceEntries } from "./paletteEntries";

const { fetched, answering } = playedServer();
const VIEWS = { jobs: { rows: [jobRow("bert", "Running")], kinds: [] }, notebooks: { rows: [notebookRow("lab", "ready")] } };
const SESSION = { user: "ada@example.com", isClusterAdmin: false, hasMachineView: false, memberships: [{ namespace: "ml", role: "owner" }] };

const rules = (...verbs: string[]) => ({ status: { resourceRules: [{ verbs, apiGroups: ["*"], resources: ["*"] }] } });

function palette(review: unknown, query: string, onClose = () => undefined) {
  show(() => (
    <Cached answers={[[SESSION_KEY, SESSION], [["rights", "ml"], review]]}>
      <Followed values={VIEWS}>
        <Palette isOpen onClose={onClose} initialQuery={query} />
      </Followed>
    </Cached>
  ));
}

test("namespaces, kinds and pages of others are found", () => {
  expect(namespaceEntries(en, ["ml", "vision", "*"], "ml").map((entry) => [entry.label, entry.namespace])).toEqual([
    ["vision", "vision"],
    ["All namespaces", "*"],
  ]);
  expect(kindEntries(en, [KINDS.Pod, KINDS.Notebook]).map((entry) => entry.to)).toEqual(["/objects/core/v1/pods", "/objects/kubeflow.org/v1/notebooks"]);
  const others = foreignPages(en, [{ text: "Costs", href: "/_/plugins/costs/", external: false }]);
  expect(others.map((entry) => [entry.label, entry.outside?.external])).toEqual([
    ["Costs", false],
    ["Documentation", true],
    ["GitHub", true],
  ]);
});

test("actions are offered of objects that a word names, of those that begin with it first", () => {
  const rows = ["my-bert", "bert", ...Array.from({ length: 20 }, (_, index) => `bert-${index}`)].map((name) => jobRow(name, "Running"));
  const objects = foundJobs(rows);

  expect(actorsOf(objects, "suspend bert").map((one) => one.label)).toEqual(["bert", ...Array.from({ length: 7 }, (_, index) => `bert-${index}`)]);
  expect(actorsOf(objects, "b")).toEqual([]);
  expect(hasWords((text, part) => text.includes(part), "Suspend bert", "bert Suspend")).toBe(true);
});

test("a job is suspended from the palette", async () => {
  answering(() => ({ message: "", state: "Suspended", uid: "" }));
  const close = vi.fn<() => undefined>();
  palette(rules("*"), "suspend bert", close);

  await userEvent.click(await screen.findByRole("menuitem", { name: /Suspend bert/ }));

  await waitFor(() => expect(fetched.mock.calls[0]?.[0]).toBe("/api/jobs/PyTorchJob/ml/bert/suspend"));
  expect(close).toHaveBeenCalled();
});

test("a notebook is stopped after a question that says what stays", async () => {
  answering(() => ({}));
  palette(rules("*"), "stop lab");
  await userEvent.click(await screen.findByRole("menuitem", { name: /Stop lab/ }));

  expect(await screen.findByText(/What is saved on lab-workspace stays/)).toBeTruthy();
  expect(fetched).not.toHaveBeenCalled();
  await userEvent.click(screen.getByRole("button", { name: "Stop" }));

  await waitFor(() => expect(fetched.mock.calls[0]?.[0]).toContain("notebooks/lab"));
});

test("an action that is forbidden is disabled and names the right", async () => {
  palette(rules("get", "list"), "bert");

  const item = await screen.findByRole("menuitem", { name: /Suspend bert/ });
  expect(item.getAttribute("aria-disabled")).toBe("true");
  expect(item.textContent).toContain("patch pytorchjobs.kubeflow.org");
});

test("runs of one name and kinds in two versions have an entry each", async () => {
  const kinds = kindEntries(en, [KINDS.MPIJob, { ...KINDS.MPIJob, version: "v2beta1" }]);
  expect(new Set(kinds.map((entry) => entry.id)).size).toBe(2);

  show(() => (
    <Cached answers={[[SESSION_KEY, SESSION], [["pipelines", "runs", "recent", "ml", 50], [FAILED, { ...FAILED, run_id: "run-8" }]]]}>
      <Palette isOpen onClose={() => undefined} initialQuery="retry churn" />
    </Cached>
  ));
  expect(await screen.findAllByRole("menuitem", { name: /Retry churn-model run-2/ })).toHaveLength(2);
});

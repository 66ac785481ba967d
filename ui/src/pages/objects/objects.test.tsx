import { screen, waitFor, within } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { expect, test } from "vitest";
import type { Pod } from "../../kinds/generated";
import { playedServer, show } from "../../testing/stories";
import { stories } from "./Objects.stories";
import { containersOf } from "./PodLogs";

const { fetched, answering } = playedServer();

test("an object that is not well says so and why before everything else", async () => {
  show(() => stories["object that is not well"]?.());

  const why = await screen.findByRole("alert");
  expect(why.textContent).toBe("Container pytorch: CrashLoopBackOff: back-off 40s restarting failed container");
  expect(document.querySelector("header [data-state]")?.textContent).toBe("CrashLoopBackOff");
  expect(why.compareDocumentPosition(screen.getByRole("tablist")) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
  const first = within(screen.getByRole("table", { name: "Conditions" })).getAllByRole("row")[1];
  expect(first?.textContent).toContain("Ready");
});

test("owners and children are a tree with states and links", async () => {
  show(() => stories["object that is not well"]?.());

  const tree = within(await screen.findByRole("region", { name: "Owners and children" }));
  expect(tree.getAllByRole("listitem").map((item) => item.getAttribute("aria-level"))).toEqual(["1", "2", "3", "4", "4", "5", "5"]);
  expect(tree.getByText("bert-worker-0").closest("[aria-current]")).toBeTruthy();
  expect(tree.getByRole("link", { name: "cache-1" }).closest("li")?.textContent).toContain("Pending");
  expect(tree.getByText("12 more are not shown.")).toBeTruthy();
});

test("a pod has a tab with the log of each container; other kinds have none", async () => {
  show(() => stories["object that is not well"]?.());
  expect(await screen.findByRole("tab", { name: "Logs" })).toBeTruthy();

  const pod = { spec: { initContainers: [{ name: "wait" }], containers: [{ name: "main" }, { name: "side" }] } } as unknown as Pod;
  expect(containersOf(pod)).toEqual({ names: ["wait", "main", "side"], main: "main" });
});

test("a kind without a state has no pill, no tree and no log", async () => {
  show(() => stories["object without state"]?.());

  await screen.findByRole("tab", { name: "Overview" });
  expect(screen.queryByRole("tab", { name: "Logs" })).toBeNull();
  expect(document.querySelector("[data-state]")).toBeNull();
});

test("a new object is tried before it is created", async () => {
  answering(() => ({ metadata: { name: "made", namespace: "ml" } }));
  show(() => stories["new object"]?.());

  await userEvent.click(await screen.findByRole("button", { name: "Create" }));

  await waitFor(() => expect(fetched).toHaveBeenCalledTimes(2));
  expect(fetched.mock.calls.map(([path]) => path)).toEqual(["/api/k8s/api/v1/namespaces/ml/pods?dryRun=All", "/api/k8s/api/v1/namespaces/ml/pods"]);
  const body = JSON.parse(fetched.mock.calls[1]?.[1]?.body as string) as object;
  expect(body).toEqual({ apiVersion: "v1", kind: "Pod", metadata: { name: "", namespace: "ml" }, spec: { containers: [{ name: "" }] } });
});

const headers = async () => within(await screen.findByRole("table", { name: "Pod" })).getAllByRole("columnheader").map((header) => header.textContent);

test("a list of all namespaces says where each object is", async () => {
  show(() => stories["list of all namespaces"]?.());

  expect(await headers()).toEqual(["Name", "Namespace", "Ready", "Status", "Age"]);
  expect(screen.getByRole("link", { name: "fit-worker-1" }).closest("[role=row], tr")?.textContent).toContain("vision");
});

test("a list of one namespace does not repeat it", async () => {
  show(() => stories["list"]?.());

  expect(await headers()).toEqual(["Name", "Ready", "Status", "Age"]);
});

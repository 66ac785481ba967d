import { screen, within } from "@testing-library/react";
import { expect, test } from "vitest";
import { newestOf } from "../../apps/pipelines/api/pipelinesRecent";
import { playedServer, show } from "../../testing/stories";
import { stories } from "./Home.stories";

playedServer();

const card = async (name: string) => within(await screen.findByRole("region", { name }));

test("recent runs have their state and lead to their pages", async () => {
  show(() => stories["usual"]?.());

  const links = (await card("Recent pipeline runs")).getAllByRole("link");
  expect(links.map((link) => link.getAttribute("href")).slice(0, 3)).toEqual(["/pipelines/runs", "/pipelines/runs/details/run-1", "/pipelines/runs/details/run-2"]);
  expect(links[2]?.textContent).toContain("Failed");
  expect((await card("Recent pipelines")).getByText("churn-model")).toBeTruthy();
});

test("shortcuts and documentation of the ConfigMap are drawn; what is outside opens a new tab", async () => {
  show(() => stories["usual"]?.());

  const shortcut = (await card("Shortcuts")).getByRole("link", { name: /new Notebook server/ });
  expect([shortcut.getAttribute("href"), shortcut.getAttribute("target")]).toEqual(["/jupyter/new?namespace=ml&ns=ml", null]);
  const manual = (await card("Documentation")).getByRole("link");
  expect([manual.getAttribute("target"), manual.getAttribute("rel")]).toEqual(["_blank", "noopener"]);
});

test("of several namespaces the newest are shown, each once", () => {
  const at = (id: string, minute: number) => ({ id, created_at: `2026-01-01T10:0${minute}:00Z` });

  expect(newestOf([[at("a", 1), at("b", 5)], [at("c", 3), at("a", 1)]], (one) => one.id, 2).map((one) => one.id)).toEqual(["b", "c"]);
});

test("someone without a namespace is led to the registration", async () => {
  show(() => stories["no namespace, registration is on"]?.());

  const register = await screen.findByRole("link", { name: "Set up my namespace" });
  expect(register.getAttribute("href")).toMatch(/^\/register/);
});

test("where nobody registers, someone without a namespace learns whom to ask and what an administrator runs", async () => {
  show(() => stories["no namespace, registration is off"]?.());

  expect(await screen.findByText(/Ask an administrator/)).toBeTruthy();
  expect(screen.getByText("windlass profile create ada --owner ada@example.com")).toBeTruthy();
  expect(screen.queryByRole("link", { name: "Set up my namespace" })).toBeNull();
});

test("what is in use and what is requested are two quantities, each with its name", async () => {
  show(() => stories["usual"]?.());

  const capacity = await card("Capacity");
  const disk = within(capacity.getByRole("group", { name: "Disk" }));
  expect(disk.getByRole("img", { name: "In use: 187Gi of 252Gi" })).toBeTruthy();
  expect(disk.getByRole("img", { name: "Requested: 12Gi of 252Gi" })).toBeTruthy();
  expect(within(capacity.getByRole("group", { name: "CPU" })).getByRole("img", { name: "In use: 15.2 of 16" })).toBeTruthy();
});

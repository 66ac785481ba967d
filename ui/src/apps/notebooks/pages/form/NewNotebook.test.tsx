import { fireEvent, screen, waitFor } from "@testing-library/react";
import { expect, test } from "vitest";
import { renderPage, rights, stubFetch } from "../../../../testing/render";
import { stories } from "../Notebooks.stories";

const ALL = { answers: [rights("ml", { verbs: ["*"], apiGroups: ["*"], resources: ["*"] })] };
const posted = (fetch: ReturnType<typeof stubFetch>) =>
  fetch.mock.calls.filter(([path, init]) => init.method === "POST" && path.endsWith("/notebooks")).map(([, init]) => JSON.parse(init.body as string) as Record<string, unknown>);
/** By their labels: to compute the roles of all that is on this page takes seconds. */
const type = (label: string, value: string) => fireEvent.change(screen.getByLabelText(label, { selector: "input" }), { target: { value } });
const launch = () => fireEvent.submit(screen.getByText("Launch").closest("form") as HTMLFormElement);

test("what the form says is posted as a form", { timeout: 30_000 }, async () => {
  const fetch = stubFetch(() => ({ body: { objects: [] } }));
  await renderPage(stories["form"]?.(), ALL);

  type("Name", "desk");
  launch();

  await waitFor(() => expect(posted(fetch)).toHaveLength(1));
  expect(posted(fetch)[0]).toMatchObject({ name: "desk", image: "jupyter-scipy:v1.10.0", cpu: "0.5" });
});

test("what the form has no field for is posted as objects, and said", { timeout: 30_000 }, async () => {
  const fetch = stubFetch(() => ({ body: { objects: [] } }));
  await renderPage(stories["form, of a text with more"]?.());

  type("Name", "desk");
  const more = screen.getByText("All fields").closest("details") as HTMLDetailsElement;
  more.open = true;
  fireEvent(more, new Event("toggle"));
  await screen.findByLabelText("hostname");
  type("hostname", "lab");
  expect(screen.getByText("The YAML says more than the form: it is created as it is.")).toBeTruthy();
  launch();

  await waitFor(() => expect(posted(fetch)).toHaveLength(1));
  const [notebook, claim] = posted(fetch)[0]?.["objects"] as Record<string, unknown>[];
  expect(notebook).toMatchObject({ kind: "Notebook", metadata: { name: "desk" }, spec: { template: { spec: { hostname: "lab" } } } });
  expect(claim).toMatchObject({ kind: "PersistentVolumeClaim", metadata: { name: "desk-workspace" } });
});

test.each(["form", "form, as YAML"])("without the right to create notebooks, the %s names it", { timeout: 30_000 }, async (story) => {
  stubFetch(() => ({}));
  await renderPage(stories[story]?.(), { answers: [rights("ml", { verbs: ["get"], apiGroups: ["*"], resources: ["*"] })] });

  expect(await screen.findByLabelText("Launch: You lack the right “create notebooks.kubeflow.org” in this namespace.")).toBeTruthy();
});

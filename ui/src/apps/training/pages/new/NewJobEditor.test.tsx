import { screen, waitFor } from "@testing-library/react";
import userEvent from "@testing-library/user-event";
import { afterEach, expect, test, vi } from "vitest";
import { SESSION_KEY, type Session } from "../../../../api/session";
import { templateOf } from "../../kinds/jobTemplates";
import { renderPage, rights, stubFetch } from "../../../../testing/render";
import { NewJobEditor } from "./NewJobEditor";

// The whole form is drawn, which takes long on a busy machine.
vi.setConfig({ testTimeout: 20_000 });

const SESSION: Session = {
  user: "ada@example.com",
  version: "",
  logoutUrl: "",
  isClusterAdmin: false, hasMachineView: false,
  memberships: [
    { namespace: "ml", role: "owner" },
    { namespace: "vision", role: "contributor" },
  ],
  hasWorkgroup: true,
  registrationAllowed: false,
};
const EVERYTHING = { verbs: ["*"], apiGroups: ["*"], resources: ["*"] };
const TEMPLATE = templateOf("PyTorchJob").manifest;

afterEach(() => {
  vi.unstubAllGlobals();
});

/** The addresses to which the job was posted. */
async function launched(start: string): Promise<string[]> {
  const fetch = stubFetch((_, path) => (path.includes("/pytorchjobs") ? { body: { metadata: { name: "made" } } } : { status: 503 }));
  const answers: Parameters<typeof renderPage>[1] = { answers: [[SESSION_KEY, SESSION], rights("ml", EVERYTHING), rights("vision", EVERYTHING)] };
  await renderPage(<NewJobEditor start={start} onTemplate={() => undefined} />, answers);
  const posts = () => fetch.mock.calls.filter(([path, init]) => init.method === "POST" && path.includes("/pytorchjobs")).map(([path]) => path);
  await userEvent.click(screen.getByRole("button", { name: "Launch" }));
  await waitFor(() => expect(posts()).toHaveLength(2));
  return posts();
}

test.each([
  ["the chosen namespace", TEMPLATE, "ml"],
  ["the namespace that its manifest names", TEMPLATE.replace("metadata:\n", "metadata:\n  namespace: vision\n"), "vision"],
])("a job is tried and created in %s", async (_, start, namespace) => {
  const path = `/api/k8s/apis/kubeflow.org/v1/namespaces/${namespace}/pytorchjobs`;

  expect(await launched(start)).toEqual([`${path}?dryRun=All`, path]);
});

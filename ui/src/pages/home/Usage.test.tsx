import { screen } from "@testing-library/react";
import { expect, test } from "vitest";
import { SESSION_KEY } from "../../api/session";
import { renderPage, stubFetch } from "../../testing/render";
import { Usage } from "./Usage";
import { stories } from "./Usage.stories";

const TITLE = "CPU in the last 15 minutes";
const SESSION = { user: "ada@example.com", memberships: [{ namespace: "ml", role: "owner" }], isClusterAdmin: false, hasMachineView: false };
const node = { label: "node-1", timestamp: 1_700_000_000, value: 0.25 };
const later = { ...node, timestamp: node.timestamp + 5 };

test("both charts are asked for, of the busiest, and the pods of the chosen namespace", async () => {
  const fetched = stubFetch((_, path) => ({ body: path.includes("/node") ? [node, later] : [node, later].map((one) => ({ ...one, label: "ml/bert-0", value: 1.5 })) }));

  await renderPage(<Usage />, { answers: [[SESSION_KEY, SESSION]] });

  expect((await screen.findByRole("button", { name: /node-1/ })).textContent).toContain("25 %");
  expect(screen.getByRole("button", { name: /^bert-0/ }).textContent).toContain("1.5");
  expect(fetched.mock.calls.map(([path]) => path)).toEqual(["/api/metrics/node?interval=Last15m&top=8", "/api/metrics/podcpu?interval=Last15m&top=8&namespace=ml"]);
});

test("where nothing is measured there is no card", async () => {
  const fetched = stubFetch(() => ({ body: [] }));

  await renderPage(<Usage />, { answers: [[SESSION_KEY, SESSION]] });

  await expect.poll(() => fetched.mock.calls.length).toBe(2);
  await expect.poll(() => screen.queryByRole("region", { name: TITLE })).toBeNull();
});

test("with a single measurement the card says that it is collecting, instead of an empty box", async () => {
  await renderPage(stories["collecting"]?.());

  expect(await screen.findAllByText(/Collecting measurements/)).toHaveLength(2);
  expect(screen.queryByRole("button", { name: /node-1/ })).toBeNull();
});

test("a failure is said, and what was known stays", async () => {
  await renderPage(stories["failed later"]?.());

  expect(await screen.findByText(/connection refused/)).toBeTruthy();
  expect(screen.getByRole("button", { name: /node-1/ })).toBeTruthy();
});

test("a namespace without pods still has the cluster's chart", async () => {
  await renderPage(stories["no pods"]?.());

  expect(await screen.findByText("No pod of this namespace has been measured.")).toBeTruthy();
  expect(screen.getByRole("button", { name: /node-1/ })).toBeTruthy();
});

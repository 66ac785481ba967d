import { createMemoryHistory } from "@tanstack/react-router";
import { afterAll, beforeEach, expect, test } from "vitest";
import { router } from "./app";

const usual = router.history;

const at = (address: string) => router.update({ ...router.options, history: createMemoryHistory({ initialEntries: [address] }) });

beforeEach(() => at("/jupyter/?ns=vision&q=gpu"));
// Files share a page.
afterAll(() => router.update({ ...router.options, history: usual }));

test("a link keeps the namespace and nothing else of the address", () => {
  expect(router.buildLocation({ to: "/jobs/" } as never).href).toBe("/jobs/?ns=vision");
});

test("a link that names a namespace leads there", () => {
  expect(router.buildLocation({ to: "/jobs/new", search: { from: "TFJob/ml/mnist", ns: "ml" } } as never).search).toEqual({ from: "TFJob/ml/mnist", ns: "ml" });
});

test("all namespaces are kept as one is", () => {
  at("/?ns=*");

  expect(router.buildLocation({ to: "/volumes/" } as never).search).toEqual({ ns: "*" });
});

test("an address without a namespace gets none from a link", () => {
  at("/");

  expect(router.buildLocation({ to: "/jobs/" } as never).href).toBe("/jobs/");
});

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, renderHook, waitFor } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import type { ReactNode } from "react";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import type { HistoryQuestion } from "../kinds/pipelinesHistory";
import { KEYS, runsOfExperiment, runsOfNamespaces } from "./pipelines";
import { useRunHistory } from "./pipelinesHistory";
import { nextCursor } from "./pipelinesLists";

const server = setupServer();
let queries = new QueryClient();
beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
beforeEach(() => {
  queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
});
afterEach(() => {
  cleanup();
  server.resetHandlers();
});
afterAll(() => server.close());

const wrapper = ({ children }: { children: ReactNode }) => <QueryClientProvider client={queries}>{children}</QueryClientProvider>;

/** A history of one run for each page; those with a name are found by it. */
function serve(pages: number, names: Record<number, string> = {}): string[] {
  const asked: string[] = [];
  server.use(
    http.get("*/pipeline/apis/v2beta1/runs", ({ request }) => {
      const query = new URL(request.url).searchParams;
      const { predicates } = JSON.parse(query.get("filter") ?? "") as { predicates: { operation: string; string_value?: string }[] };
      const text = predicates.find((one) => one.operation === "IS_SUBSTRING")?.string_value;
      asked.push(text ?? query.get("sort_by") ?? "");
      const all = Array.from({ length: pages }, (_, index) => ({ run_id: String(index), display_name: names[index] ?? "other" })).filter((run) => text === undefined || run.display_name.includes(text));
      if (query.get("sort_by") === "created_at asc") all.reverse();
      const place = Number(query.get("page_token") ?? 0);
      return HttpResponse.json({ runs: all.slice(place, place + 1), total_size: all.length, ...(place + 1 < all.length ? { next_page_token: String(place + 1) } : {}) });
    }),
  );
  return asked;
}

const history = (question?: HistoryQuestion) => renderHook(() => useRunHistory(runsOfExperiment("e", "AVAILABLE"), "AVAILABLE", question), { wrapper });

test("a long history says how much of it is listed, and lists more on demand", async () => {
  serve(23);
  const { result } = history();

  await waitFor(() => expect(result.current.left).toMatchObject({ kind: "newest", count: 10, total: 23, isReading: false }));
  act(() => result.current.left?.more());
  await waitFor(() => expect(result.current.left).toMatchObject({ count: 20, isReading: false }));
  act(() => result.current.left?.more());
  await waitFor(() => expect(result.current.live.data).toHaveLength(23));
  expect(result.current.left).toBeUndefined();
});

test("a change reads a longer list again as far as it was read", async () => {
  serve(15);
  const { result } = history();
  await waitFor(() => expect(result.current.left?.isReading).toBe(false));
  act(() => result.current.left?.more());
  await waitFor(() => expect(result.current.live.data).toHaveLength(15));
  serve(16);
  await act(() => queries.invalidateQueries({ queryKey: KEYS.runs }));

  await waitFor(() => expect(result.current.live.data).toHaveLength(16));
});

test("a name is searched in the whole history, and what was read stays", async () => {
  const asked = serve(23, { 1: "fit", 17: "fit again" });
  const { result } = history({ predicates: [{ operation: "IS_SUBSTRING", key: "name", string_value: "fit" }], sortBy: "created_at desc" });

  await waitFor(() => expect(result.current.live.data?.map((run) => run.run_id)).toEqual(["0", "1", "2", "3", "4", "5", "6", "7", "8", "9", "17"]));
  expect(result.current.left).toMatchObject({ kind: "searched", count: 10, total: 23 });
  expect(asked.filter((text) => text === "fit")).toHaveLength(2);
});

test("another order lists the first runs in that order", async () => {
  serve(12);
  const { result } = history({ predicates: [], sortBy: "created_at asc" });

  await waitFor(() => expect(result.current.left).toMatchObject({ kind: "first", count: 10, total: 12 }));
  expect(result.current.live.data?.map((run) => run.run_id).slice(0, 2)).toEqual(["11", "10"]);
});

test("a short history is asked nothing more", async () => {
  const asked = serve(2, { 0: "fit" });
  const { result } = history({ predicates: [{ operation: "IS_SUBSTRING", key: "name", string_value: "fit" }], sortBy: "created_at desc" });

  await waitFor(() => expect(result.current.live.data).toHaveLength(2));
  expect(result.current.left).toBeUndefined();
  expect(asked).toEqual(["created_at desc", "created_at desc"]);
});

test("a long namespace does not keep the next one from being read", () => {
  const pages = [{ next: "a" }, { next: "b" }];
  const cursors = [{ place: 0, token: "" }, { place: 0, token: "a" }];
  expect(nextCursor(pages, cursors, 2, 2)).toEqual({ place: 1, token: "" });
  expect(nextCursor([...pages, { next: "" }], [...cursors, { place: 1, token: "" }], 2, 2)).toBeUndefined();
  expect(nextCursor([...pages, { next: "" }], [...cursors, { place: 1, token: "" }], 2, 4)).toEqual({ place: 0, token: "b" });
  expect(runsOfNamespaces(["a", "b"], "ARCHIVED").queries).toHaveLength(2);
});

import { QueryClient, QueryClientProvider } from "@tanstack/react-query";
import { act, cleanup, renderHook, waitFor } from "@testing-library/react";
import { HttpResponse, http } from "msw";
import { setupServer } from "msw/node";
import type { ReactNode } from "react";
import { afterAll, afterEach, beforeAll, expect, test, vi } from "vitest";
import { LiveContext } from "../../../api/hooks";
import type { LiveConnection } from "../../../api/live";
import { KEYS, contentPath, uploadFile, uploadUrl, useFullRuns, useRefresh, useRun, useRunsOfExperiment } from "./pipelines";

const server = setupServer();
beforeAll(() => server.listen({ onUnhandledRequest: "error" }));
afterEach(() => {
  cleanup();
  server.resetHandlers();
});
afterAll(() => server.close());

/** A live connection whose objects change when the test says so. */
function fakeLive() {
  let data: unknown[] = [];
  let snapshot = { phase: "live", data, problem: undefined, since: undefined };
  const listeners = new Set<() => void>();
  const connection = {
    subscribe: (_: string, __: object, listener: () => void) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    snapshot: () => snapshot,
    retry: () => undefined,
  } as unknown as LiveConnection;
  const change = () => {
    data = [...data, {}];
    snapshot = { ...snapshot, data };
    for (const listener of [...listeners]) listener();
  };
  return { connection, change };
}

const wrapperOf = (connection?: LiveConnection) =>
  function Wrapper({ children }: { children: ReactNode }) {
    return (
      <LiveContext value={connection}>
        <QueryClientProvider client={queries}>{children}</QueryClientProvider>
      </LiveContext>
    );
  };

let queries = new QueryClient();
afterEach(() => {
  queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
});

test("a list is read to its end, page by page, with the filter and sort that were asked for", async () => {
  const asked: string[] = [];
  server.use(
    http.get("*/pipeline/apis/v2beta1/runs", ({ request }) => {
      const query = new URL(request.url).searchParams;
      asked.push(query.get("page_token") ?? "");
      expect([query.get("experiment_id"), query.get("sort_by"), query.get("page_size")]).toEqual(["e", "created_at desc", "200"]);
      expect(JSON.parse(query.get("filter") ?? "")).toEqual({ predicates: [{ operation: "EQUALS", key: "storage_state", string_value: "AVAILABLE" }] });
      return HttpResponse.json(query.get("page_token") === "two" ? { runs: [{ run_id: "b" }] } : { runs: [{ run_id: "a" }], next_page_token: "two" });
    }),
  );
  const { result } = renderHook(() => useRunsOfExperiment("e"), { wrapper: wrapperOf() });

  await waitFor(() => expect(result.current.data?.map((run) => run.run_id)).toEqual(["a", "b"]));
  expect(asked).toEqual(["", "two"]);
});

test("an empty answer is an empty list, a refusal says what the server says", async () => {
  server.use(http.get("*/pipeline/apis/v2beta1/runs", () => HttpResponse.json({})));
  const { result, unmount } = renderHook(() => useRunsOfExperiment("e"), { wrapper: wrapperOf() });
  await waitFor(() => expect(result.current.data).toEqual([]));
  unmount();

  server.use(http.get("*/pipeline/apis/v2beta1/runs", () => HttpResponse.json({ code: 7, message: "internal chain", details: [{ "@type": "type.googleapis.com/google.rpc.Status", code: 7, message: "User bob cannot list runs" }] }, { status: 403 })));
  queries = new QueryClient({ defaultOptions: { queries: { retry: false } } });
  const refused = renderHook(() => useRunsOfExperiment("other"), { wrapper: wrapperOf() });
  await waitFor(() => expect(refused.result.current.problem).toMatchObject({ status: 403, message: "User bob cannot list runs" }));
});

test("a run whose answer leaves tasks out is completed from its list of tasks", async () => {
  server.use(
    http.get("*/pipeline/apis/v2beta1/runs/r", () => HttpResponse.json({ run_id: "r", state: "RUNNING", task_count: 2, tasks: [{ task_id: "1" }] })),
    http.get("*/pipeline/apis/v2beta1/runs/r/tasks", () => HttpResponse.json({ tasks: [{ task_id: "1" }, { task_id: "2" }] })),
  );
  const { result } = renderHook(() => useRun("r"), { wrapper: wrapperOf() });

  await waitFor(() => expect(result.current.data?.tasks).toHaveLength(2));
});

test("a change of the run's object reads the run again", async () => {
  let count = 0;
  server.use(http.get("*/pipeline/apis/v2beta1/runs/r", () => HttpResponse.json({ run_id: "r", state: "RUNNING", description: String(++count), run_details: { task_details: [] } })));
  const live = fakeLive();
  const workflows = { group: "argoproj.io", version: "v1alpha1", resource: "workflows", kind: "Workflow", namespaced: true };
  const { result } = renderHook(
    () => {
      useRefresh(workflows, { namespace: "ml", labelSelector: "pipeline/runid=r" }, KEYS.run("r"));
      return useRun("r").data?.description;
    },
    { wrapper: wrapperOf(live.connection) },
  );
  await waitFor(() => expect(result.current).toBeDefined());
  const before = count;
  live.change();
  live.change();

  await waitFor(() => expect(count).toBeGreaterThan(before));
  await waitFor(() => expect(result.current).toBe(String(count)));
});

test("changes that never pause do not postpone the reading", () => {
  vi.useFakeTimers();
  try {
    const live = fakeLive();
    const read = vi.spyOn(queries, "invalidateQueries");
    const workflows = { group: "argoproj.io", version: "v1alpha1", resource: "workflows", kind: "Workflow", namespaced: true };
    renderHook(() => useRefresh(workflows, { namespace: "ml" }, KEYS.runs), { wrapper: wrapperOf(live.connection) });
    for (let elapsed = 0; elapsed < 2_000; elapsed += 100) {
      act(live.change);
      vi.advanceTimersByTime(100);
    }

    expect(read.mock.calls.length).toBeGreaterThanOrEqual(6);
    expect(read.mock.calls.length).toBeLessThanOrEqual(8);
  } finally {
    vi.useRealTimers();
  }
});

test("runs are answered in the order in which they were asked for", async () => {
  server.use(http.get("*/pipeline/apis/v2beta1/runs/:id", ({ params }) => HttpResponse.json({ run_id: params["id"], state: "SUCCEEDED", tasks: [] })));
  const { result } = renderHook(() => useFullRuns(["b", "a"]), { wrapper: wrapperOf() });

  await waitFor(() => expect(result.current.map((one) => one.data?.run_id)).toEqual(["b", "a"]));
});

test("a file is sent as a form, an address as JSON; a version goes to its pipeline", async () => {
  const sent: [string, string | null][] = [];
  server.use(
    http.post("*/pipeline/apis/v2beta1/pipelines/upload", ({ request }) => {
      sent.push([new URL(request.url).search, request.headers.get("Content-Type")]);
      return HttpResponse.json({ pipeline_id: "p" });
    }),
    http.post("*/pipeline/apis/v2beta1/pipelines/p/versions", async ({ request }) => {
      expect(await request.json()).toEqual({ display_name: "v2", package_url: { pipeline_url: "https://x/y.yaml" }, pipeline_id: "p" });
      return HttpResponse.json({ pipeline_id: "p" });
    }),
  );

  expect(await uploadFile(new File(["root: {}"], "a.yaml"), { name: "a", description: "", namespace: "ml", pipeline: "" })).toBe("p");
  expect(await uploadUrl("https://x/y.yaml", { name: "v2", description: "", namespace: "ml", pipeline: "p" })).toBe("p");
  expect(sent[0]?.[0]).toBe("?name=a&namespace=ml");
  expect(sent[0]?.[1]).toMatch(/^multipart\/form-data; boundary=/);
});

test.each([
  ["minio://mlpipeline/v2/artifacts/x", "/pipeline/artifacts/get?source=minio&bucket=mlpipeline&key=v2%2Fartifacts%2Fx&namespace=ml"],
  ["gs://bucket/a?x=1", "/pipeline/artifacts/get?source=gcs&bucket=bucket&key=a&namespace=ml"],
  ["az://container/a", "/pipeline/artifacts/get?source=az&bucket=container&key=a&namespace=ml"],
  ["oci://registry/model", undefined],
  ["", undefined],
])("the content of %s", (uri, path) => {
  expect(contentPath("ml", uri)).toBe(path);
});

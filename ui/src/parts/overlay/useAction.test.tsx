import { act, fireEvent, screen } from "@testing-library/react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { deleteObject } from "../../api/k8s";
import { renderPage, stubFetch } from "../../testing/render";
import { pendingDeletes, useIsDeleting } from "./pendingDeletes";
import { useAction, useUndoableDelete } from "./useAction";

const PODS = { group: "", version: "v1", resource: "pods", kind: "Pod", namespaced: true };
const KEY = { namespace: "ml", name: "bert-0" };
const PATH = "/api/k8s/api/v1/namespaces/ml/pods/bert-0";

function Row() {
  const remove = useUndoableDelete();
  const isDeleting = useIsDeleting("uid");
  return (
    <>
      <button onClick={() => remove({ name: "bert-0", id: "uid", remove: () => deleteObject(PODS, KEY), about: { ...KEY, kind: "Pod" } })}>Delete</button>
      <p>{isDeleting ? "marked" : "as it was"}</p>
    </>
  );
}

function Stop() {
  const { run } = useAction({ ...KEY, kind: "Pod" });
  return <button onClick={() => void run(() => Promise.reject(new Error("the server is busy")), "done")}>Stop</button>;
}

const event = (type: string, message: string, lastTimestamp: string) => ({ metadata: { uid: message, creationTimestamp: lastTimestamp }, involvedObject: {}, type, message, lastTimestamp });

beforeEach(() => {
  vi.useFakeTimers({ shouldAdvanceTime: true });
});
afterEach(() => {
  pendingDeletes.flush();
  vi.runAllTimers();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("a delete waits for its undo, and its row is marked meanwhile", async () => {
  const fetch = stubFetch(() => ({}));
  await renderPage(<Row />);
  fireEvent.click(screen.getByText("Delete"));
  expect(screen.getByText("marked")).toBeDefined();

  await act(() => vi.advanceTimersByTimeAsync(7_900));
  expect(fetch).not.toHaveBeenCalled();
  await act(() => vi.advanceTimersByTimeAsync(200));
  expect(fetch.mock.calls.map(([path, init]) => [init.method, path])).toEqual([["DELETE", PATH]]);

  await act(() => vi.advanceTimersByTimeAsync(4_000));
  expect(screen.getByText("as it was"), "a new object of this id is not marked").toBeDefined();
});

test("an undo keeps it", async () => {
  const fetch = stubFetch(() => ({}));
  await renderPage(<Row />);
  fireEvent.click(screen.getByText("Delete"));
  fireEvent.click(screen.getByText("Undo"));
  expect(screen.getByText("as it was")).toBeDefined();

  await act(() => vi.advanceTimersByTimeAsync(20_000));
  window.dispatchEvent(new Event("pagehide"));
  expect(fetch).not.toHaveBeenCalled();
});

test("a page that goes away carries it out, by a request that outlives the page", async () => {
  const fetch = stubFetch(() => ({}));
  await renderPage(<Row />);
  fireEvent.click(screen.getByText("Delete"));
  window.dispatchEvent(new Event("pagehide"));

  expect(fetch.mock.calls.map(([path, init]) => [init.method, path, init.keepalive])).toEqual([["DELETE", PATH, true]]);
  await act(() => vi.advanceTimersByTimeAsync(20_000));
  expect(fetch, "once").toHaveBeenCalledTimes(1);
});

test("a failure is shown with the newest warning about the object", async () => {
  const asked: string[] = [];
  stubFetch((_, path) => {
    asked.push(decodeURIComponent(path));
    return { body: { items: [event("Warning", "disk full", "2026-01-01T10:00:00Z"), event("Warning", "image not found", "2026-01-01T11:00:00Z"), event("Normal", "Pulled", "2026-01-01T12:00:00Z")] } };
  });
  await renderPage(<Stop />);
  fireEvent.click(screen.getByText("Stop"));
  await act(() => vi.advanceTimersByTimeAsync(50));

  expect(screen.getByRole("alert").textContent).toBe("the server is busyNewest warning: image not found");
  expect(asked).toEqual(["/api/k8s/api/v1/namespaces/ml/events?fieldSelector=involvedObject.kind=Pod,involvedObject.name=bert-0"]);
});

test("a failed delete unmarks the row, and says why also when events cannot be read", async () => {
  stubFetch((method) => ({ status: method === "DELETE" ? 409 : 403, body: { message: method === "DELETE" ? "it is in use" : "forbidden" } }));
  await renderPage(<Row />);
  fireEvent.click(screen.getByText("Delete"));
  await act(() => vi.advanceTimersByTimeAsync(8_100));

  expect(screen.getByRole("alert").textContent).toBe("it is in use");
  expect(screen.getByText("as it was")).toBeDefined();
});

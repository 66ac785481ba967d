import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { LiveConnection, keyOf, merged, next, type Snapshot } from "./live";

/** A server that the test plays. */
class FakeSocket {
  static readonly OPEN = 1;
  static all: FakeSocket[] = [];
  readyState = 0;
  sent: Record<string, unknown>[] = [];
  onopen: (() => void) | null = null;
  onmessage: ((event: { data: string }) => void) | null = null;
  onclose: ((event: { code: number }) => void) | null = null;
  readonly url: string;

  constructor(url: string) {
    this.url = url;
    FakeSocket.all.push(this);
  }

  static get last(): FakeSocket {
    const socket = FakeSocket.all.at(-1);
    if (socket === undefined) throw new Error("nobody has connected");
    return socket;
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text) as Record<string, unknown>);
  }

  open(): void {
    this.readyState = FakeSocket.OPEN;
    this.onopen?.();
  }

  say(message: object): void {
    this.onmessage?.({ data: JSON.stringify(message) });
  }

  close(code = 1006): void {
    this.readyState = 3;
    this.onclose?.({ code });
  }
}

const PARAMS = { namespace: "ml" };
const pod = (uid: string, state = "") => ({ metadata: { uid }, state });
let signedOut = vi.fn();
let live = new LiveConnection(() => "", signedOut);

beforeEach(() => {
  vi.useFakeTimers();
  vi.stubGlobal("WebSocket", FakeSocket);
  FakeSocket.all = [];
  signedOut = vi.fn();
  live = new LiveConnection(() => "ws://windlass/api/live", signedOut);
});

afterEach(() => {
  live.close();
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("what is asked for before the connection is open is sent when it is", () => {
  live.subscribe("jobs", PARAMS, vi.fn());
  expect(FakeSocket.last.sent).toEqual([]);

  FakeSocket.last.open();

  expect(FakeSocket.last.sent).toEqual([{ op: "subscribe", id: 1, topic: "jobs", params: PARAMS }]);
});

test("those who ask for the same share one subscription", () => {
  const [first, second] = [vi.fn(), vi.fn()];
  live.subscribe("jobs", PARAMS, first);
  FakeSocket.last.open();
  live.subscribe("jobs", { namespace: "ml" }, second);

  FakeSocket.last.say({ id: 1, type: "value", value: { rows: [] } });

  expect(FakeSocket.last.sent).toHaveLength(1);
  expect([first.mock.calls.length, second.mock.calls.length]).toEqual([1, 1]);
  expect(live.snapshot("jobs", PARAMS)).toMatchObject({ phase: "live", data: { rows: [] } });
});

test("a subscription is kept for a moment after the last one has gone", () => {
  const leave = live.subscribe("jobs", PARAMS, vi.fn());
  FakeSocket.last.open();
  FakeSocket.last.say({ id: 1, type: "value", value: 7 });
  leave();
  vi.advanceTimersByTime(9_000);
  const leaveAgain = live.subscribe("jobs", PARAMS, vi.fn());
  vi.advanceTimersByTime(60_000);
  expect(live.snapshot("jobs", PARAMS).data).toBe(7);

  leaveAgain();
  vi.advanceTimersByTime(10_000);

  expect(FakeSocket.last.sent.at(-1)).toEqual({ op: "unsubscribe", id: 1 });
  expect(live.snapshot("jobs", PARAMS).phase).toBe("loading");
});

test("after a break it resumes from the last version, and what was known is stale meanwhile", () => {
  live.subscribe("objects", PARAMS, vi.fn());
  FakeSocket.last.open();
  FakeSocket.last.say({ id: 1, type: "snapshot", items: [pod("a")], version: "5" });
  FakeSocket.last.say({ id: 1, type: "changes", changed: [pod("b")], removed: [], version: "9" });
  FakeSocket.last.close();
  expect(live.snapshot("objects", PARAMS)).toMatchObject({ phase: "stale", data: [pod("a"), pod("b")] });

  vi.advanceTimersByTime(300);
  FakeSocket.last.open();
  expect(FakeSocket.last.sent).toEqual([{ op: "subscribe", id: 1, topic: "objects", params: PARAMS, version: "9" }]);

  FakeSocket.last.say({ id: 1, type: "changes", changed: [], removed: ["a"], version: "11" });
  expect(live.snapshot("objects", PARAMS)).toMatchObject({ phase: "live", data: [pod("b")], since: undefined });
});

test("listeners of a long list get many changes at once, and nothing is lost by a break", () => {
  const listener = vi.fn();
  const states = () => (live.snapshot("objects", PARAMS).data as { state: string }[]).slice(0, 3).map((one) => one.state);
  live.subscribe("objects", PARAMS, listener);
  FakeSocket.last.open();
  FakeSocket.last.say({ id: 1, type: "snapshot", items: Array.from({ length: 2_000 }, (_, index) => pod(`p${index}`)), version: "1" });
  for (const [index, uid] of ["p0", "p1"].entries()) FakeSocket.last.say({ id: 1, type: "changes", changed: [pod(uid, "new")], removed: [], version: `${index + 2}` });
  expect([listener.mock.calls.length, states()]).toEqual([1, ["", "", ""]]);

  vi.advanceTimersByTime(300);
  expect([listener.mock.calls.length, states()]).toEqual([2, ["new", "new", ""]]);

  FakeSocket.last.say({ id: 1, type: "changes", changed: [pod("p2", "new")], removed: [], version: "4" });
  FakeSocket.last.close();
  expect(live.snapshot("objects", PARAMS).phase).toBe("stale");
  expect(states()).toEqual(["new", "new", "new"]);
});

test("the pauses between tries grow to ten seconds, and are short again after a success", () => {
  live.subscribe("jobs", PARAMS, vi.fn());
  const pauses = [300, 600, 1_200, 2_400, 4_800, 9_600, 10_000, 10_000];
  for (const [tries, pause] of pauses.entries()) {
    FakeSocket.last.close();
    vi.advanceTimersByTime(pause - 1);
    expect(FakeSocket.all).toHaveLength(tries + 1);
    vi.advanceTimersByTime(1);
    expect(FakeSocket.all).toHaveLength(tries + 2);
  }

  FakeSocket.last.open();
  FakeSocket.last.close();
  vi.advanceTimersByTime(300);
  expect(FakeSocket.all).toHaveLength(pauses.length + 2);
});

test.each([
  [4401, 1],
  [1006, 0],
])("closing with %i calls for a new login %i times", (code, times) => {
  live.subscribe("jobs", PARAMS, vi.fn());
  FakeSocket.last.open();

  FakeSocket.last.close(code);

  expect(signedOut).toHaveBeenCalledTimes(times);
});

test("a refusal is kept until one asks again", () => {
  live.subscribe("jobs", PARAMS, vi.fn());
  FakeSocket.last.open();
  FakeSocket.last.say({ id: 1, type: "error", status: 403, reason: "Forbidden", message: "no" });
  expect(live.snapshot("jobs", PARAMS)).toMatchObject({ phase: "error", problem: { status: 403, message: "no" } });

  live.retry("jobs", PARAMS);

  expect(FakeSocket.last.sent).toHaveLength(2);
  expect(live.snapshot("jobs", PARAMS)).toMatchObject({ phase: "loading", problem: undefined });
});

test("messages about what nobody follows any more are left aside", () => {
  live.subscribe("jobs", PARAMS, vi.fn());
  FakeSocket.last.open();

  FakeSocket.last.say({ type: "hello", user: "ada@example.com" });
  FakeSocket.last.say({ id: 99, type: "value", value: 1 });

  expect(live.snapshot("jobs", PARAMS).phase).toBe("loading");
});

const known: Snapshot<unknown> = { phase: "live", data: [pod("a", "old"), pod("b")], problem: undefined, since: undefined };

test("a changed object keeps its place, a new one comes last", () => {
  expect(merged([pod("a", "old"), pod("b")], [pod("a", "new"), pod("c")], ["b"])).toEqual([pod("a", "new"), pod("c")]);
});

test("a list of many keeps the places of all after changes and removals", () => {
  let items = merged([], ["a", "b", "c", "d"].map((uid) => pod(uid)), []);
  items = merged(items, [pod("c", "1"), pod("e")], []);
  items = merged(items, [pod("e", "2"), pod("d", "2")], ["b"]);
  const older = merged(items, [pod("a", "3")], []);

  expect(items).toEqual([pod("a"), pod("c", "1"), pod("d", "2"), pod("e", "2")]);
  expect(older[0]).toEqual(pod("a", "3"));
  expect(merged(items, [pod("f")], ["a", "c"])).toEqual([pod("d", "2"), pod("e", "2"), pod("f")]);
});

test("an error keeps what was known and says since when", () => {
  const after = next(known, { type: "error", id: 1, status: 500, reason: "", message: "broken" });

  expect(after).toMatchObject({ phase: "error", data: known.data, problem: { message: "broken" } });
  expect(after.since).toBeTypeOf("number");
});

test("stale data have the time of the server", () => {
  expect(next(known, { type: "stale", id: 1, since: "2026-11-17T10:00:00Z", message: "" })).toMatchObject({
    phase: "stale",
    data: known.data,
    since: Date.parse("2026-11-17T10:00:00Z"),
  });
});

test("neither the order of parameters nor empty ones matter", () => {
  expect(keyOf("objects", { b: "2", a: "1", c: "" })).toBe(keyOf("objects", { a: "1", b: "2" }));
  expect(keyOf("objects", { a: "1" })).not.toBe(keyOf("objects", { a: "2" }));
});

test("nothing stays of what the person may see no more", () => {
  live.subscribe("cluster", {}, vi.fn());
  FakeSocket.last.open();
  FakeSocket.last.say({ id: 1, type: "value", value: { users: ["ada"] } });

  FakeSocket.last.say({ id: 1, type: "error", status: 403, reason: "Forbidden", message: "ada is no administrator" });

  expect(live.snapshot("cluster", {})).toMatchObject({ phase: "error", data: undefined, problem: { status: 403 } });
});

test("a page whose rights have changed connects again, and asks who the person is; nobody is signed out", () => {
  const changed = vi.fn();
  live = new LiveConnection(() => "ws://windlass/api/live", signedOut, changed);
  live.subscribe("jobs", PARAMS, vi.fn());
  FakeSocket.last.open();

  FakeSocket.last.close(4403);
  vi.advanceTimersByTime(400);

  expect([changed.mock.calls.length, signedOut.mock.calls.length, FakeSocket.all.length]).toEqual([1, 0, 2]);
});

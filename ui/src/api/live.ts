/**
 * One WebSocket a page, over which every component subscribes to objects and views.
 *
 * Components that ask for the same thing share one subscription. It is kept for a moment after the last of them is gone,
 * so that going from a list to its details and back shows what was known at once. After a break the connection is made
 * again with growing pauses, and each subscription resumes from the last version it has seen.
 */

import { whenIdle } from "./idle";

export interface Problem {
  status: number;
  reason: string;
  message: string;
}

/** What is known of a subscription at one moment; a new object for every change. */
export interface Snapshot<T> {
  phase: "loading" | "live" | "stale" | "error";
  /** Undefined until the first answer. */
  data: T | undefined;
  problem: Problem | undefined;
  /** Since when the data are not being followed any more. */
  since: number | undefined;
}

interface Identified {
  metadata: { uid: string };
}

type Message =
  | { type: "hello"; user: string }
  | { type: "snapshot"; id: number; items: Identified[]; version: string }
  | { type: "changes"; id: number; changed: Identified[]; removed: string[]; version: string }
  | { type: "value"; id: number; value: unknown }
  | { type: "error"; id: number; status: number; reason: string; message: string }
  | { type: "stale"; id: number; since: string; message: string };

export type Params = Record<string, string>;

interface Entry {
  id: number;
  topic: string;
  params: Params;
  version: string;
  snapshot: Snapshot<unknown>;
  listeners: Set<() => void>;
  expiry: ReturnType<typeof setTimeout> | undefined;
  /** Changes that listeners have not been notified of yet, and what cancels that they are. */
  pending: Snapshot<unknown> | undefined;
  cancelPublishing: (() => void) | undefined;
}

export const LOADING: Snapshot<never> = { phase: "loading", data: undefined, problem: undefined, since: undefined };
const KEEP_MS = 10_000;
const FIRST_RETRY_MS = 300;
const MAX_RETRY_MS = 10_000;
const SESSION_ENDED = 4401;
const RIGHTS_CHANGED = 4403;
const LONG_LIST = 1_000;
const LONG_LIST_PAUSE_MS = 250;
const IDLE_WITHIN_MS = 250;

const isLong = (data: unknown): boolean => Array.isArray(data) && data.length > LONG_LIST;

export class LiveConnection {
  private readonly entries = new Map<string, Entry>();
  private readonly byId = new Map<number, Entry>();
  private socket: WebSocket | undefined;
  private nextId = 1;
  private retryMs = FIRST_RETRY_MS;
  private readonly url: () => string;
  private readonly onSignedOut: () => void;
  private readonly onRefused: () => void;

  /** `onRefused` is called when no connection could be made, for whatever reason: a browser does not say which. So it is when rights have changed. */
  constructor(url: () => string, onSignedOut: () => void, onRefused: () => void = () => undefined) {
    this.url = url;
    this.onSignedOut = onSignedOut;
    this.onRefused = onRefused;
  }

  /** Calls `listener` after every change, until the returned function is called. */
  subscribe(topic: string, params: Params, listener: () => void): () => void {
    const entry = this.entry(topic, params);
    clearTimeout(entry.expiry);
    entry.expiry = undefined;
    entry.listeners.add(listener);
    return () => {
      entry.listeners.delete(listener);
      if (entry.listeners.size === 0) entry.expiry = setTimeout(() => this.drop(entry), KEEP_MS);
    };
  }

  snapshot(topic: string, params: Params): Snapshot<unknown> {
    return this.entries.get(keyOf(topic, params))?.snapshot ?? LOADING;
  }

  /** Asks again for what was refused or has failed. */
  retry(topic: string, params: Params): void {
    const entry = this.entries.get(keyOf(topic, params));
    if (entry === undefined) return;
    entry.version = "";
    this.publish(entry, { ...entry.snapshot, phase: entry.snapshot.data === undefined ? "loading" : "stale", problem: undefined });
    this.send(entry);
  }

  close(): void {
    const socket = this.socket;
    this.socket = undefined;
    socket?.close();
  }

  private entry(topic: string, params: Params): Entry {
    const key = keyOf(topic, params);
    const known = this.entries.get(key);
    if (known !== undefined) return known;
    const entry: Entry = {
      id: this.nextId++,
      topic,
      params,
      version: "",
      snapshot: LOADING,
      listeners: new Set(),
      expiry: undefined,
      pending: undefined,
      cancelPublishing: undefined,
    };
    this.entries.set(key, entry);
    this.byId.set(entry.id, entry);
    if (this.socket === undefined) this.connect();
    else this.send(entry);
    return entry;
  }

  private drop(entry: Entry): void {
    entry.cancelPublishing?.();
    this.entries.delete(keyOf(entry.topic, entry.params));
    this.byId.delete(entry.id);
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify({ op: "unsubscribe", id: entry.id }));
  }

  private connect(): void {
    const socket = new WebSocket(this.url());
    this.socket = socket;
    let opened = false;
    socket.onopen = () => {
      opened = true;
      this.retryMs = FIRST_RETRY_MS;
      for (const entry of this.byId.values()) this.send(entry);
    };
    socket.onmessage = (event: MessageEvent<string>) => this.receive(JSON.parse(event.data) as Message);
    socket.onclose = (event) => {
      if (this.socket !== socket) return;
      if (event.code === SESSION_ENDED) this.onSignedOut();
      else if (!opened || event.code === RIGHTS_CHANGED) this.onRefused();
      this.interrupted();
      setTimeout(() => {
        if (this.socket === socket) this.connect();
      }, this.retryMs);
      this.retryMs = Math.min(this.retryMs * 2, MAX_RETRY_MS);
    };
  }

  private send(entry: Entry): void {
    if (this.socket?.readyState !== WebSocket.OPEN) return;
    const { id, topic, params, version } = entry;
    this.socket.send(JSON.stringify({ op: "subscribe", id, topic, params, ...(version === "" ? {} : { version }) }));
  }

  private receive(message: Message): void {
    if (message.type === "hello") return;
    const entry = this.byId.get(message.id);
    if (entry === undefined) return;
    if (message.type === "snapshot" || message.type === "changes") entry.version = message.version;
    const after = next(entry.pending ?? entry.snapshot, message);
    if (message.type === "changes" && message.version !== "" && isLong(after.data)) this.publishSoon(entry, after);
    else this.publish(entry, after);
  }

  /**
   * Takes the changes of a long list over at once, and notifies listeners after a moment, between two frames: drawing it takes longer
   * than reading them, and must not keep a person who scrolls waiting.
   */
  private publishSoon(entry: Entry, snapshot: Snapshot<unknown>): void {
    entry.pending = snapshot;
    if (entry.cancelPublishing !== undefined) return;
    const publish = () => this.publish(entry, entry.pending ?? entry.snapshot);
    const timer = setTimeout(() => {
      entry.cancelPublishing = whenIdle(publish, IDLE_WITHIN_MS);
    }, LONG_LIST_PAUSE_MS);
    entry.cancelPublishing = () => clearTimeout(timer);
  }

  private interrupted(): void {
    for (const entry of this.byId.values()) {
      const known = entry.pending ?? entry.snapshot;
      if (known.phase !== "live") continue;
      this.publish(entry, { ...known, phase: "stale", since: Date.now() });
    }
  }

  private publish(entry: Entry, snapshot: Snapshot<unknown>): void {
    entry.cancelPublishing?.();
    entry.cancelPublishing = entry.pending = undefined;
    entry.snapshot = snapshot;
    for (const listener of [...entry.listeners]) listener();
  }
}

/** The state after a message; objects keep their place, new ones come last. */
export function next(before: Snapshot<unknown>, message: Exclude<Message, { type: "hello" }>): Snapshot<unknown> {
  const live = { phase: "live", problem: undefined, since: undefined } as const;
  switch (message.type) {
    case "snapshot":
      return { ...live, data: message.items };
    case "changes":
      return { ...live, data: merged((before.data ?? []) as Identified[], message.changed, message.removed) };
    case "value":
      return { ...live, data: message.value };
    case "error": {
      const { status, reason, message: text } = message;
      const data = status === 403 ? undefined : before.data; // nothing stays of what the person may see no more
      return { ...before, data, phase: "error", problem: { status, reason, message: text }, since: before.since ?? Date.now() };
    }
    case "stale":
      return { ...before, phase: "stale", since: Date.parse(message.since) };
  }
}

/** Where each object of a list stands; a list that only had objects replaced shares it with the list before. */
const places = new WeakMap<Identified[], Map<string, number>>();

function placesOf(items: Identified[]): Map<string, number> {
  const known = places.get(items) ?? new Map(items.map((item, index) => [item.metadata.uid, index]));
  places.set(items, known);
  return known;
}

/** The cost is that of the changes and one copy of the list, however long it is, unless an object has gone. */
export function merged(items: Identified[], changed: Identified[], removed: string[]): Identified[] {
  const gone = new Set(removed);
  const kept = gone.size === 0 ? items.slice() : items.filter((item) => !gone.has(item.metadata.uid));
  const known = gone.size === 0 ? placesOf(items) : placesOf(kept);
  for (const item of changed) {
    const place = known.get(item.metadata.uid) ?? kept.length;
    kept[place] = item;
    known.set(item.metadata.uid, place);
  }
  places.set(kept, known);
  places.delete(items);
  return kept;
}

export function keyOf(topic: string, params: Params): string {
  const sorted = Object.entries(params)
    .filter(([, value]) => value !== "")
    .sort(([a], [b]) => a.localeCompare(b));
  return `${topic}?${new URLSearchParams(sorted).toString()}`;
}

/** Deletes that can still be undone. Lists mark what they are about, and a page that goes away carries them out. */
import { useSyncExternalStore } from "react";

/** For how long a row stays marked after the server has agreed: until the list shows it. */
const LINGER_MS = 3_000;

export class PendingDeletes {
  private readonly marked = new Map<string, number>();
  private readonly waiting = new Set<() => void>();
  private readonly listeners = new Set<() => void>();

  /** Calls `remove` after a delay, or at once when the page goes away. The answer undoes it while it has not been called. */
  add(id: string, remove: () => Promise<unknown>, delayMs: number): () => void {
    this.mark(id, 1);
    const start = () => {
      forget();
      void remove().then(
        () => setTimeout(() => this.mark(id, -1), LINGER_MS),
        () => this.mark(id, -1),
      );
    };
    const timer = setTimeout(start, delayMs);
    const forget = () => {
      clearTimeout(timer);
      this.waiting.delete(start);
    };
    this.waiting.add(start);
    return () => {
      if (!this.waiting.has(start)) return;
      forget();
      this.mark(id, -1);
    };
  }

  /** Carries out all of them now. */
  flush = (): void => {
    for (const start of [...this.waiting]) start();
  };

  has(id: string): boolean {
    return this.marked.has(id);
  }

  subscribe = (listener: () => void): (() => void) => {
    this.listeners.add(listener);
    return () => this.listeners.delete(listener);
  };

  private mark(id: string, change: 1 | -1): void {
    const count = (this.marked.get(id) ?? 0) + change;
    if (count > 0) this.marked.set(id, count);
    else this.marked.delete(id);
    for (const listener of [...this.listeners]) listener();
  }
}

export const pendingDeletes = new PendingDeletes();
// The request outlives the page: `client.ts` sends every DELETE with `keepalive`.
window.addEventListener("pagehide", pendingDeletes.flush);

/** Whether what has this id is to be deleted, and can be kept by an undo for a few seconds. */
export const useIsDeleting = (id: string): boolean => useSyncExternalStore(pendingDeletes.subscribe, () => pendingDeletes.has(id));

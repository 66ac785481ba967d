/** Work that may wait until the browser has drawn a frame. */

/** Calls `action` later, when the browser is idle, and after `withinMs` in any case. The returned function cancels it. */
export function whenIdle(action: () => void, withinMs: number): () => void {
  if (typeof requestIdleCallback === "function") {
    const handle = requestIdleCallback(action, { timeout: withinMs });
    return () => cancelIdleCallback(handle);
  }
  // Not every browser can say when it is idle.
  const timer = setTimeout(action, 0);
  return () => clearTimeout(timer);
}

/** Notifies the page that the session has ended, from whichever module notices first. */
const listeners = new Set<() => void>();

export function sessionEnded(): void {
  for (const listener of listeners) listener();
}

export function onSessionEnd(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

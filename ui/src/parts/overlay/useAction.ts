import { useCallback, useState } from "react";
import { messageOf } from "../../api/errors";
import { useWords } from "../../words";
import { useToast } from "./toasts";

export const UNDO_MS = 8_000;

/** Runs something on the server; a refusal is shown with the server's reason. `busy` while it runs. */
export function useAction(): { busy: boolean; run: (action: () => Promise<unknown>, done?: string) => Promise<boolean> } {
  const toast = useToast();
  const [busy, setBusy] = useState(false);
  const run = useCallback(
    async (action: () => Promise<unknown>, done?: string) => {
      setBusy(true);
      try {
        await action();
        if (done !== undefined) toast({ text: done });
        return true;
      } catch (error) {
        toast({ text: messageOf(error), failed: true });
        return false;
      } finally {
        setBusy(false);
      }
    },
    [toast],
  );
  return { busy, run };
}

/** Deletes after a delay in which it can be undone; for what can be made again. */
export function useUndoableDelete(): (name: string, remove: () => Promise<unknown>, consequence?: string) => void {
  const toast = useToast();
  const words = useWords().common;
  return useCallback(
    (name: string, remove: () => Promise<unknown>, consequence?: string) => {
      const timer = setTimeout(() => {
        remove().catch((error: unknown) => toast({ text: messageOf(error), failed: true }));
      }, UNDO_MS);
      toast({ text: words.deleting(name), detail: consequence, undo: () => clearTimeout(timer), durationMs: UNDO_MS });
    },
    [toast, words],
  );
}

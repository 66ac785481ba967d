import { useCallback, useState } from "react";
import { messageOf } from "../../api/errors";
import { warningAbout, type About } from "../../api/warnings";
import { useWords, type Words } from "../../words";
import { pendingDeletes } from "./pendingDeletes";
import { useToast, type Toast } from "./toasts";

export const UNDO_MS = 8_000;

/** What failed: the server's message, and the newest warning about the object where that says more. */
async function failureOf(error: unknown, about: About | undefined, words: Words["common"]): Promise<Toast> {
  const text = messageOf(error);
  const warning = await warningAbout(error, about);
  return { text, failed: true, detail: warning === undefined ? undefined : `${words.lastWarning}: ${warning}` };
}

interface Actions {
  busy: boolean;
  /** `done` is said when it has succeeded. */
  run: (action: () => Promise<unknown>, done?: string) => Promise<boolean>;
}

/** Runs something on the server; a refusal is shown with the server's reason. `about` is the object that it is done to. */
export function useAction(about?: About): Actions {
  const toast = useToast();
  const words = useWords().common;
  const [busy, setBusy] = useState(false);
  const { kind, namespace, name } = about ?? {};
  const run = useCallback(
    async (action: () => Promise<unknown>, done?: string) => {
      setBusy(true);
      try {
        await action();
        if (done !== undefined) toast({ text: done });
        return true;
      } catch (error) {
        const object = kind === undefined || namespace === undefined || name === undefined ? undefined : { kind, namespace, name };
        toast(await failureOf(error, object, words));
        return false;
      } finally {
        setBusy(false);
      }
    },
    [toast, words, kind, namespace, name],
  );
  return { busy, run };
}

export interface Deletion {
  name: string;
  /** By which lists know it: its row is marked meanwhile. */
  id: string;
  remove: () => Promise<unknown>;
  /** What else goes, or stays. */
  consequence?: string;
  about?: About;
}

/** Deletes after a delay in which it can be undone; for what can be made again. A page that is closed meanwhile deletes at once. */
export function useUndoableDelete(): (deletion: Deletion) => void {
  const toast = useToast();
  const words = useWords().common;
  return useCallback(
    ({ name, id, remove, consequence, about }: Deletion) => {
      const tried = () =>
        remove().catch(async (error: unknown) => {
          toast(await failureOf(error, about, words));
          throw error;
        });
      const undo = pendingDeletes.add(id, tried, UNDO_MS);
      toast({ text: words.deleting(name), detail: consequence, undo, durationMs: UNDO_MS });
    },
    [toast, words],
  );
}

import { deleteNotebook, setStopped } from "../api/notebooks";
import { getObject, patchObject, type ObjectKey } from "../../../api/k8s";
import { rightTo, useRights, type Missing } from "../../../api/rights";
import type { Notebook } from "../../../kinds/generated";
import { NOTEBOOKS, extendPatch, keptClaims, serverSpecOf } from "../kinds/notebooks";
import { useAction, useUndoableDelete } from "../../../parts/overlay/useAction";
import { useWords } from "../../../words";

interface NotebookActions {
  busy: boolean;
  start: () => void;
  stop: () => void;
  extend: () => void;
  remove: (done?: () => void) => void;
  /** The rights that are missing for each. */
  missing: { update: Missing; delete: Missing };
}

/** What one can do with a notebook. */
export function useNotebookActions({ namespace, name, uid }: ObjectKey & { uid: string }): NotebookActions {
  const words = useWords().notebooks;
  const about = { kind: NOTEBOOKS.kind, namespace, name };
  const { busy, run } = useAction(about);
  const undoableDelete = useUndoableDelete();
  const lacks = useRights(namespace);
  const key = { namespace, name };
  return {
    busy,
    start: () => void run(() => setStopped(key, false)),
    stop: () => void run(() => setStopped(key, true)),
    extend: () => void run(() => patchObject(NOTEBOOKS, key, extendPatch(new Date())), words.extended(name)),
    remove: (done) =>
      void run(async () => {
        const claims = keptClaims(serverSpecOf(await getObject<Notebook>(NOTEBOOKS, key)));
        const consequence = claims.length > 0 ? words.deleteKeeps(claims.join(", ")) : words.deleteLoses;
        undoableDelete({ name, id: uid, remove: () => deleteNotebook(key), consequence, about });
        done?.();
      }),
    missing: {
      update: lacks(rightTo("patch", NOTEBOOKS, namespace, name)),
      delete: lacks(rightTo("delete", NOTEBOOKS, namespace, name)),
    },
  };
}

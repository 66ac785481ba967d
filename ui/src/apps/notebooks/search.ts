/** Notebooks in the palette. */
import { useNamespacedView } from "../../api/namespacedView";
import type { NotebookRow, NotebooksView } from "../../kinds/generated";
import type { Action } from "../../parts/overlay/ActionMenu";
import { useConfirm } from "../../parts/overlay/confirm";
import { useWords } from "../../words";
import { foundAt, type AppSearch, type Creation, type FoundObject } from "../app";
import { NOTEBOOKS, annotationsOf, isToStop, notebookCommands } from "./kinds/notebooks";
import { useNotebookActions } from "./pages/useNotebookActions";

export const NEW_NOTEBOOK: Creation = { id: "new-notebook", to: "/jupyter/new", icon: "plus", label: (words) => words.notebooks.new, resources: [NOTEBOOKS], order: 10 };

const found = foundAt("Notebook", "notebook", "/jupyter/notebook/details");

export const foundNotebooks = (rows: NotebookRow[]): FoundObject[] => rows.map((row) => ({ ...found(row), useActions: () => useActionsOf(row) }));

function useActionsOf(row: NotebookRow): Action[] {
  const { notebooks: words, common } = useWords();
  const { start, stop, remove, missing } = useNotebookActions(row);
  const confirm = useConfirm();
  const stopAfterQuestion = async () => {
    const text = row.claims.length > 0 ? words.stopKeeps(row.claims.join(", ")) : words.stopLoses;
    if (await confirm({ title: words.stopTitle(row.name), text, action: common.stop, command: notebookCommands(row).stop })) stop();
  };
  return [
    isToStop(annotationsOf(row))
      ? { id: "start", label: common.start, icon: "play", missing: missing.update, onAction: start }
      : { id: "stop", label: common.stop, icon: "stop", missing: missing.update, onAction: () => void stopAfterQuestion() },
    { id: "delete", label: common.delete, icon: "trash", danger: true, missing: missing.delete, onAction: () => remove() },
  ];
}

export const NOTEBOOK_SEARCH: AppSearch = {
  creations: [NEW_NOTEBOOK],
  useObjects: () => foundNotebooks(useNamespacedView<NotebooksView>("notebooks").data?.rows ?? []),
};

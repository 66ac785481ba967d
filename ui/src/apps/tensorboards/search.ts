/** TensorBoards in the palette. */
import { useNamespacedView } from "../../api/namespacedView";
import { rightTo, useRights } from "../../api/rights";
import type { TensorboardRow, TensorboardsView } from "../../kinds/generated";
import type { Action } from "../../parts/overlay/ActionMenu";
import { useUndoableDelete } from "../../parts/overlay/useAction";
import { useWords } from "../../words";
import { foundAt, type AppSearch, type FoundObject } from "../app";
import { deleteTensorboard } from "./api/tensorboards";
import { TENSORBOARDS } from "./kinds/tensorboards";

const found = foundAt("Tensorboard", "board", "/tensorboards/details");

export const foundTensorboards = (rows: TensorboardRow[]): FoundObject[] => rows.map((row) => ({ ...found(row), useActions: () => useActionsOf(row) }));

function useActionsOf(row: TensorboardRow): Action[] {
  const words = useWords().common;
  const remove = useUndoableDelete();
  const missing = useRights(row.namespace)(rightTo("delete", TENSORBOARDS, row.namespace, row.name));
  const onAction = () => remove({ name: row.name, id: row.uid, remove: () => deleteTensorboard(row), about: { ...row, kind: TENSORBOARDS.kind } });
  return [{ id: "delete", label: words.delete, icon: "trash", danger: true, missing, onAction }];
}

export const TENSORBOARD_SEARCH: AppSearch = {
  creations: [{ id: "new-board", to: "/tensorboards/new", icon: "plus", label: (words) => words.tensorboards.new, resources: [TENSORBOARDS], order: 50 }],
  useObjects: () => foundTensorboards(useNamespacedView<TensorboardsView>("tensorboards").data?.rows ?? []),
};

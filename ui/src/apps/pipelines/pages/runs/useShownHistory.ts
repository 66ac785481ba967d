import { useMemo } from "react";
import { useRunHistory, type RunHistory } from "../../api/pipelinesHistory";
import type { ListWanted } from "../../api/pipelinesLists";
import type { Run, StorageState } from "../../kinds/pipelines";
import { historyQuestion } from "../../kinds/pipelinesHistory";
import { useDebounced } from "../../../../parts/form/useDebounced";
import { formatSort, parseSort } from "../../../../parts/table/columns";
import { useTableState } from "../../../../parts/table/useTableState";
import { useWords } from "../../../../words";

/** Runs for the filter and the order that the URL of the page has. */
export function useShownHistory(wanted: ListWanted<Run>, state: StorageState): RunHistory {
  const words = useWords().pipelines.runStates;
  const { query, sort } = useTableState();
  const settled = useDebounced(query);
  const order = sort && formatSort(sort);
  const question = useMemo(() => historyQuestion(settled, parseSort(order), words), [settled, order, words]);
  return useRunHistory(wanted, state, question);
}

/** Runs of a history that may be longer than a list reads: the rest is searched and sorted by the server. */
import { useMemo } from "react";
import type { Run, StorageState } from "../kinds/pipelines";
import type { HistoryQuestion } from "../kinds/pipelinesHistory";
import type { Live } from "../../../api/hooks";
import { storageFilter, usePagedRows, type ListWanted } from "./pipelinesLists";

/** What is said of the runs that are not listed. */
export interface RunsLeft {
  /** The newest runs are listed; or also all that match the question; or the first that do. */
  kind: "newest" | "searched" | "first";
  count: number;
  total: number;
  more: () => void;
  isReading: boolean;
}

export interface RunHistory {
  live: Live<Run[]>;
  /** Undefined where all runs are listed. */
  left: RunsLeft | undefined;
}

/** The newest runs, and of a longer history those that answer the question. */
export function useRunHistory(wanted: ListWanted<Run>, state: StorageState, question: HistoryQuestion | undefined): RunHistory {
  const newest = usePagedRows(wanted);
  const asked = newest.more === undefined ? undefined : question;
  const found = usePagedRows({
    ...wanted,
    key: [...wanted.key, "question", asked],
    queries: asked === undefined ? [] : wanted.queries.map((query) => ({ ...query, sort_by: asked.sortBy, filter: storageFilter(state, ...asked.predicates) })),
  });
  const isFiltered = asked !== undefined && asked.predicates.length > 0;
  const data = useMemo(() => joined(newest.live.data, found.live.data, isFiltered), [newest.live.data, found.live.data, isFiltered]);
  const base = found.live.problem === undefined ? newest.live : found.live;
  const live = useMemo(() => ({ ...base, data }), [base, data]);
  return { live, left: leftOf(newest, asked === undefined ? undefined : found) };
}

/** Words of a filter are also those of columns that the server does not search: what was read stays, unless only the order is asked for. */
function joined(newest: Run[] | undefined, found: Run[] | undefined, isFiltered: boolean): Run[] | undefined {
  if (newest === undefined || found === undefined) return newest;
  if (!isFiltered) return found;
  const known = new Set(newest.map((run) => run.run_id));
  return [...newest, ...found.filter((run) => !known.has(run.run_id))];
}

type Read = ReturnType<typeof usePagedRows<Run>>;

function leftOf(newest: Read, found: Read | undefined): RunsLeft | undefined {
  if (newest.more === undefined) return undefined;
  const left = ({ live, total, isReading }: Read, kind: RunsLeft["kind"], more: () => void): RunsLeft => ({ kind, count: live.data?.length ?? 0, total, more, isReading });
  if (found?.more !== undefined) return left(found, "first", found.more);
  const isReading = newest.isReading || (found !== undefined && (found.isReading || found.live.phase === "loading"));
  return { ...left(newest, found === undefined ? "newest" : "searched", newest.more), isReading };
}

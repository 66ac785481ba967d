/** What a list of runs asks the server for, where the history is longer than what was read. Pure. */
import { parseFilter } from "../../../parts/table/filter";
import type { Sort } from "../../../parts/table/columns";
import type { Predicate } from "../api/pipelinesLists";
import type { RunState } from "./pipelines";

const NEWEST = "created_at desc";

export interface HistoryQuestion {
  predicates: Predicate[];
  sortBy: string;
}

const METRIC = "metric-";

/** The server's order for that of a column; the newest first where it has none. */
function sortBy({ column, descending }: Sort): string {
  const direction = descending ? "desc" : "asc";
  if (column === "name") return `display_name ${direction}`;
  // Ascending, the server puts runs without the metric first: those would be all that is read.
  if (column.startsWith(METRIC) && descending) return `metric:${column.slice(METRIC.length)} desc`;
  // Ages ascend from the newest.
  return column === "age" && descending ? "created_at asc" : NEWEST;
}

function predicateOf(column: string | undefined, text: string, words: Record<RunState, string>): Predicate | undefined {
  if (column === undefined || column === "name") return { operation: "IS_SUBSTRING", key: "name", string_value: text };
  if (column !== "state") return undefined;
  const values = Object.entries(words).flatMap(([state, word]) => (word.toLowerCase().includes(text) ? [state] : []));
  return values.length === 0 ? undefined : { operation: "IN", key: "state", string_values: { values } };
}

/** The question that a filter and an order are; undefined where the newest runs answer it. Columns that the server does not know are left out. */
export function historyQuestion(query: string, sort: Sort | undefined, words: Record<RunState, string>): HistoryQuestion | undefined {
  const predicates = parseFilter(query).flatMap(({ column, text }) => predicateOf(column, text, words) ?? []);
  const order = sort === undefined ? NEWEST : sortBy(sort);
  return predicates.length === 0 && order === NEWEST ? undefined : { predicates, sortBy: order };
}

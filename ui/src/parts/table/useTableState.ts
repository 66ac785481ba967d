import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import { formatSort, parseSort, type Sort } from "./columns";

interface TableState {
  query: string;
  sort: Sort | undefined;
  setQuery: (query: string) => void;
  setSort: (sort: Sort) => void;
}

/** Filter and order of a list, kept in the URL so that a link shows the same; with the list's name where a page has several. */
export function useTableState(list?: string): TableState {
  const search: Record<string, string | undefined> = useSearch({ strict: false });
  const navigate = useNavigate();
  const [q, order] = list === undefined ? ["q", "sort"] : [`${list}.q`, `${list}.sort`];
  const set = useCallback(
    (change: Record<string, string | undefined>) =>
      void navigate({ to: ".", search: (before: Record<string, unknown>) => ({ ...before, ...change }), replace: true } as never),
    [navigate],
  );
  return {
    query: search[q] ?? "",
    sort: parseSort(search[order]),
    setQuery: useCallback((query: string) => set({ [q]: query === "" ? undefined : query }), [set, q]),
    setSort: useCallback((sort: Sort) => set({ [order]: formatSort(sort) }), [set, order]),
  };
}

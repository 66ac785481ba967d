import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback } from "react";
import { formatSort, parseSort, type Sort } from "./columns";

interface TableState {
  query: string;
  sort: Sort | undefined;
  setQuery: (query: string) => void;
  setSort: (sort: Sort) => void;
}

/** Filter and order of a list, kept in the URL so that a link shows the same. */
export function useTableState(): TableState {
  const search: { q?: string; sort?: string } = useSearch({ strict: false });
  const navigate = useNavigate();
  const set = useCallback(
    (change: { q?: string | undefined; sort?: string }) =>
      void navigate({ to: ".", search: (before: Record<string, unknown>) => ({ ...before, ...change }), replace: true } as never),
    [navigate],
  );
  return {
    query: search.q ?? "",
    sort: parseSort(search.sort),
    setQuery: useCallback((query: string) => set({ q: query === "" ? undefined : query }), [set]),
    setSort: useCallback((sort: Sort) => set({ sort: formatSort(sort) }), [set]),
  };
}

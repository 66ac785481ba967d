/** Lists of pipelines' REST API, read page by page, and read again when objects change. */
import { useInfiniteQuery, useQueryClient, type QueryKey, type UseInfiniteQueryResult, type UseQueryResult } from "@tanstack/react-query";
import { useEffect, useMemo, useState } from "react";
import type { StorageState } from "../kinds/pipelines";
import { get } from "../../../api/client";
import { ApiError, messageOf } from "../../../api/errors";
import { useObjects, type Live } from "../../../api/hooks";
import type { Resource } from "../../../api/k8s";
import { ALL, useNamespace } from "../../../api/namespace";
import { useSession } from "../../../api/session";
import { throttled } from "../../../api/throttle";

export const BASE = "/pipeline/apis/v2beta1";
export const PAGE_SIZE = 200;
/** Pages that a list reads by itself for each of its queries, and how many more it reads at a time when asked to. */
const MAX_PAGES = 10;
export const at = (id: string): string => encodeURIComponent(id);

export type Query = Record<string, string | undefined>;

export function withQuery(path: string, query: Query): string {
  const search = new URLSearchParams(Object.entries(query).flatMap(([key, value]) => (value === undefined || value === "" ? [] : [[key, value]])));
  const text = search.toString();
  return text === "" ? `${BASE}${path}` : `${BASE}${path}?${text}`;
}

export type Predicate =
  | { operation: "EQUALS" | "NOT_EQUALS" | "IS_SUBSTRING"; key: string; string_value: string }
  | { operation: "IN"; key: string; string_values: { values: string[] } };

const filterOf = (...predicates: Predicate[]): string => JSON.stringify({ predicates });
/** A filter for the state of storage, and for whatever else is asked. */
export const storageFilter = (state: StorageState, ...others: Predicate[]): string => filterOf({ operation: "EQUALS", key: "storage_state", string_value: state }, ...others);

/** The namespaces that lists are about: the chosen one, or all of the person's. */
export function useNamespaces(): string[] {
  const { chosen } = useNamespace();
  const { data: session } = useSession();
  return useMemo(() => {
    if (chosen === "") return [];
    return chosen === ALL ? (session?.memberships ?? []).map((one) => one.namespace) : [chosen];
  }, [chosen, session]);
}

interface ListPage<T> {
  items: T[];
  next: string;
  /** Rows of the whole query; on its first page alone. */
  total?: number;
}

export interface ListCursor {
  place: number;
  token: string;
}

export interface ListWanted<T> {
  key: QueryKey;
  /** One list for each, one after the other. */
  queries: Query[];
  path: string;
  itemsOf: (answer: Record<string, unknown>) => T[];
}

/** As much of a list as was read. */
export interface Paged<T> {
  live: Live<T[]>;
  /** Rows of all pages, also of those that were not read. */
  total: number;
  /** Reads more pages; undefined where there are none, or where the list still reads by itself. */
  more: (() => void) | undefined;
  isReading: boolean;
}

/** What is read after some pages: up to `limit` pages of one query after the other. Pure. */
export function nextCursor(pages: { next: string }[], cursors: ListCursor[], count: number, limit: number): ListCursor | undefined {
  const read = Array.from({ length: count }, (_, place) => ({ place, pages: 0, token: "" }));
  cursors.forEach(({ place }, index) => {
    const one = read[place];
    if (one !== undefined) read[place] = { place, pages: one.pages + 1, token: pages[index]?.next ?? "" };
  });
  const next = read.find((one) => (one.pages === 0 || one.token !== "") && one.pages < limit);
  return next && { place: next.place, token: next.token };
}

/** The rows of a list, page by page, the first ones as soon as they are there; of a long one the rest on demand. */
export function usePagedRows<T>({ key, queries, path, itemsOf }: ListWanted<T>): Paged<T> {
  const [limit, setLimit] = useState(MAX_PAGES);
  const result = useInfiniteQuery({
    queryKey: key,
    enabled: queries.length > 0,
    initialPageParam: { place: 0, token: "" },
    queryFn: async ({ pageParam, signal }): Promise<ListPage<T>> => {
      const query: Query = { ...queries[pageParam.place], page_size: String(PAGE_SIZE), page_token: pageParam.token };
      const answer = await get<Record<string, unknown> & { next_page_token?: string; total_size?: number }>(withQuery(path, query), signal);
      return { items: itemsOf(answer), next: answer.next_page_token ?? "", ...(pageParam.token === "" ? { total: answer.total_size ?? 0 } : {}) };
    },
    getNextPageParam: (_last, pages, _cursor, cursors): ListCursor | undefined => nextCursor(pages, cursors, queries.length, limit),
    staleTime: 2_000,
  });
  const { hasNextPage, isFetching, fetchNextPage, isError, data: read } = result;
  const count = read?.pages.length;
  // A page that is read between two renders changes nothing but the count.
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage, count]);
  const data = useMemo(() => read?.pages.flatMap((page) => page.items), [read]);
  const live = useLive(result, data);
  const hasMore = read !== undefined && nextCursor(read.pages, read.pageParams as ListCursor[], queries.length, Infinity) !== undefined;
  const isRaised = limit > MAX_PAGES;
  return {
    live,
    total: (read?.pages ?? []).reduce((sum, page) => sum + (page.total ?? 0), 0),
    more: hasMore && (isRaised || !hasNextPage) ? () => setLimit((before) => before + MAX_PAGES) : undefined,
    isReading: hasNextPage && !isError,
  };
}

/** The rows of a list whose first pages are enough. */
export const useAllRows = <T>(wanted: ListWanted<T>): Live<T[]> => usePagedRows(wanted).live;

/** An answer in the shape that live views have, so that pages show both alike. */
export function useLive<T>(result: Pick<UseQueryResult | UseInfiniteQueryResult, "error" | "refetch">, data: T | undefined): Live<T> {
  const { error, refetch } = result;
  return useMemo(
    () => ({
      phase: error !== null ? "error" : data === undefined ? "loading" : "live",
      data,
      problem: error === null ? undefined : { status: error instanceof ApiError ? error.status : 0, reason: "", message: messageOf(error) },
      since: undefined,
      retry: () => void refetch(),
    }),
    [error, data, refetch],
  );
}

const REFRESH_MS = 250;

/** Reads again whatever begins with `key` when objects change: at most every quarter of a second, or as seldom as is asked. */
export function useRefresh(resource: Resource | undefined, selection: { namespace?: string; labelSelector?: string }, key: QueryKey, everyMs = REFRESH_MS): void {
  const queries = useQueryClient();
  const { data } = useObjects(resource, selection);
  const text = JSON.stringify(key);
  const refresh = useMemo(() => throttled(() => void queries.invalidateQueries({ queryKey: JSON.parse(text) as QueryKey }), everyMs), [queries, text, everyMs]);
  useEffect(() => refresh.flush, [refresh]);
  useEffect(() => {
    if (data !== undefined) refresh.call();
  }, [data, refresh]);
}

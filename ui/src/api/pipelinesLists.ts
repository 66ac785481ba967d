/** Lists of pipelines' REST API, read page by page, and read again when objects change. */
import { useInfiniteQuery, useQueryClient, type QueryKey, type UseInfiniteQueryResult, type UseQueryResult } from "@tanstack/react-query";
import { useEffect, useMemo } from "react";
import type { StorageState } from "../kinds/pipelines";
import { get } from "./client";
import { ApiError, messageOf } from "./errors";
import { useObjects, type Live } from "./hooks";
import type { Resource } from "./k8s";
import { ALL, useNamespace } from "./namespace";
import { useSession } from "./session";
import { throttled } from "./throttle";

export const BASE = "/pipeline/apis/v2beta1";
export const PAGE_SIZE = 200;
/** Pages that a list reads by itself; what is older is found by its experiment or pipeline. */
const MAX_PAGES = 10;
export const at = (id: string): string => encodeURIComponent(id);

export type Query = Record<string, string | undefined>;

export function withQuery(path: string, query: Query): string {
  const search = new URLSearchParams(Object.entries(query).flatMap(([key, value]) => (value === undefined || value === "" ? [] : [[key, value]])));
  const text = search.toString();
  return text === "" ? `${BASE}${path}` : `${BASE}${path}?${text}`;
}

interface Predicate {
  operation: "EQUALS" | "NOT_EQUALS" | "IN";
  key: string;
  string_value: string;
}

const filterOf = (...predicates: Predicate[]): string => JSON.stringify({ predicates });
export const storageFilter = (state: StorageState): string => filterOf({ operation: "EQUALS", key: "storage_state", string_value: state });

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
}

interface ListCursor {
  place: number;
  token: string;
}

interface ListWanted<T> {
  key: QueryKey;
  /** One list for each, one after the other. */
  queries: Query[];
  path: string;
  itemsOf: (answer: Record<string, unknown>) => T[];
}

/** All rows of a list, page by page, the first ones as soon as they are there. */
export function useAllRows<T>({ key, queries, path, itemsOf }: ListWanted<T>): Live<T[]> {
  const result = useInfiniteQuery({
    queryKey: key,
    enabled: queries.length > 0,
    initialPageParam: { place: 0, token: "" },
    queryFn: async ({ pageParam, signal }): Promise<ListPage<T>> => {
      const query: Query = { ...queries[pageParam.place], page_size: String(PAGE_SIZE), page_token: pageParam.token };
      const answer = await get<Record<string, unknown> & { next_page_token?: string }>(withQuery(path, query), signal);
      return { items: itemsOf(answer), next: answer.next_page_token ?? "" };
    },
    getNextPageParam: (last, pages, cursor): ListCursor | undefined => {
      if (pages.length >= MAX_PAGES * Math.max(1, queries.length)) return undefined;
      if (last.next !== "") return { place: cursor.place, token: last.next };
      return cursor.place + 1 < queries.length ? { place: cursor.place + 1, token: "" } : undefined;
    },
    staleTime: 2_000,
  });
  const { hasNextPage, isFetching, fetchNextPage, isError } = result;
  useEffect(() => {
    if (hasNextPage && !isFetching && !isError) void fetchNextPage();
  }, [hasNextPage, isFetching, isError, fetchNextPage]);
  const data = useMemo(() => result.data?.pages.flatMap((page) => page.items), [result.data]);
  return useLive(result, data);
}

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

/** Reads again whatever begins with `key` when objects change: at most every quarter of a second. */
export function useRefresh(resource: Resource | undefined, selection: { namespace?: string; labelSelector?: string }, key: QueryKey): void {
  const queries = useQueryClient();
  const { data } = useObjects(resource, selection);
  const text = JSON.stringify(key);
  const refresh = useMemo(() => throttled(() => void queries.invalidateQueries({ queryKey: JSON.parse(text) as QueryKey }), REFRESH_MS), [queries, text]);
  useEffect(() => refresh.flush, [refresh]);
  useEffect(() => {
    if (data !== undefined) refresh.call();
  }, [data, refresh]);
}

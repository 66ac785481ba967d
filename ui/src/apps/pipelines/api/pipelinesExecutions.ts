/** Tasks of all runs, and the links between them and artifacts. */
import { useInfiniteQuery, useQueries, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useMemo } from "react";
import type { ArtifactLink, Execution } from "../kinds/pipelines";
import { get } from "../../../api/client";
import type { Live } from "../../../api/hooks";
import { KEYS } from "./pipelines";
import { BASE, PAGE_SIZE, at, useLive, useNamespaces, withQuery } from "./pipelinesLists";

const NEWEST = "created_at desc";

interface ExecutionPage {
  items: Execution[];
  total: number;
  next: { place: number; token: string } | undefined;
}

export interface Executions {
  live: Live<Execution[]>;
  /** Of all pages, as far as the server has been asked. */
  total: number;
  /** Reads the next page; undefined where there is none. */
  more: (() => void) | undefined;
  isReading: boolean;
}

/** Executions of the chosen namespaces, the newest first, a page at a time: there may be a hundred for each run. */
export function useExecutions(): Executions {
  const namespaces = useNamespaces();
  const result = useInfiniteQuery({
    queryKey: [...KEYS.executions, "list", namespaces.join()],
    enabled: namespaces.length > 0,
    initialPageParam: { place: 0, token: "" },
    queryFn: async ({ pageParam: { place, token }, signal }): Promise<ExecutionPage> => {
      const query = { namespace: namespaces[place], sort_by: NEWEST, page_size: String(PAGE_SIZE), page_token: token };
      const answer = await get<{ tasks?: Execution[]; total_size?: number; next_page_token?: string }>(withQuery("/tasks", query), signal);
      const next = answer.next_page_token ? { place, token: answer.next_page_token } : place + 1 < namespaces.length ? { place: place + 1, token: "" } : undefined;
      return { items: answer.tasks ?? [], total: token === "" ? (answer.total_size ?? 0) : 0, next };
    },
    getNextPageParam: (last) => last.next,
    staleTime: 2_000,
  });
  const pages = result.data?.pages;
  const data = useMemo(() => pages?.flatMap((page) => page.items), [pages]);
  return {
    live: useLive(result, data),
    total: (pages ?? []).reduce((sum, page) => sum + page.total, 0),
    more: result.hasNextPage ? () => void result.fetchNextPage() : undefined,
    isReading: result.isFetchingNextPage,
  };
}

const executionQuery = (id: string) => ({
  queryKey: KEYS.execution(id),
  enabled: id !== "",
  queryFn: ({ signal }: { signal: AbortSignal }) => get<Execution>(`${BASE}/tasks/${at(id)}`, signal),
  staleTime: 10_000,
});

export const useExecution = (id: string): UseQueryResult<Execution> => useQuery(executionQuery(id));

/** Executions by id, as far as they have been read. */
export const useExecutionsById = (ids: string[]): Map<string, Execution> => useQueries({ queries: ids.map(executionQuery), combine: executionsById });

const executionsById = (results: UseQueryResult<Execution>[]): Map<string, Execution> =>
  new Map(results.flatMap(({ data }) => (data === undefined ? [] : [[data.task_id, data] as const])));

const linksQuery = (artifact: string) => ({
  queryKey: KEYS.links(artifact),
  enabled: artifact !== "",
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const answer = await get<{ artifact_tasks?: ArtifactLink[] }>(withQuery("/artifact_tasks", { artifact_ids: artifact, page_size: String(PAGE_SIZE) }), signal);
    return answer.artifact_tasks ?? [];
  },
  staleTime: 10_000,
});

export const useArtifactLinks = (artifact: string): UseQueryResult<ArtifactLink[]> => useQuery(linksQuery(artifact));

/** Who made and who read each of some artifacts, as far as it has been read. */
export function useLinksOf(artifacts: string[]): Map<string, ArtifactLink[]> {
  const results = useQueries({ queries: artifacts.map(linksQuery) });
  return new Map(results.flatMap(({ data }, place) => (data === undefined ? [] : [[artifacts[place] ?? "", data] as const])));
}

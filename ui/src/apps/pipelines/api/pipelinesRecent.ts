/** The newest runs and pipelines of the chosen namespaces, for the home page and the palette. */
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { WORKFLOWS, type Pipeline, type Run } from "../kinds/pipelines";
import { get } from "../../../api/client";
import { KEYS } from "./pipelines";
import { storageFilter, useNamespaces, useRefresh, withQuery } from "./pipelinesLists";

const NEWEST = "created_at desc";
/** Of a person with more namespaces, the others are found on the pages of pipelines. */
const MAX_NAMESPACES = 10;

/** The newest of several lists, each once. Pure. */
export function newestOf<T extends { created_at?: string }>(lists: T[][], idOf: (item: T) => string, count: number): T[] {
  const all = new Map(lists.flat().map((item) => [idOf(item), item]));
  return [...all.values()].sort((a, b) => Date.parse(b.created_at ?? "") - Date.parse(a.created_at ?? "")).slice(0, count);
}

/** `count` runs, the newest first; they follow. */
export function useRecentRuns(count: number): UseQueryResult<Run[]> {
  const namespaces = useNamespaces();
  useRefresh(namespaces.length === 0 ? undefined : WORKFLOWS, { namespace: namespaces.length === 1 ? (namespaces[0] ?? "") : "" }, KEYS.runs);
  return useQuery({
    queryKey: [...KEYS.runs, "recent", namespaces.join(), count],
    enabled: namespaces.length > 0,
    retry: false,
    queryFn: async ({ signal }) => {
      const pages = namespaces.slice(0, MAX_NAMESPACES).map((namespace) => {
        const query = { namespace, page_size: String(count), sort_by: NEWEST, filter: storageFilter("AVAILABLE") };
        return get<{ runs?: Run[] }>(withQuery("/runs", query), signal);
      });
      return newestOf((await Promise.all(pages)).map((page) => page.runs ?? []), (run) => run.run_id, count);
    },
  });
}

/** `count` pipelines of the namespaces and shared ones, the newest first. */
export function useRecentPipelines(count: number): UseQueryResult<Pipeline[]> {
  const namespaces = useNamespaces();
  return useQuery({
    queryKey: [...KEYS.pipelines, "recent", namespaces.join(), count],
    enabled: namespaces.length > 0,
    retry: false,
    queryFn: async ({ signal }) => {
      const pageOf = async (namespace: string) =>
        (await get<{ pipelines?: Pipeline[] }>(withQuery("/pipelines", { namespace, page_size: String(count), sort_by: NEWEST }), signal)).pipelines ?? [];
      // A server without shared pipelines may refuse to list them.
      const shared = pageOf("").catch(() => []);
      const pages = await Promise.all([...namespaces.slice(0, MAX_NAMESPACES).map(pageOf), shared]);
      return newestOf(pages, (pipeline) => pipeline.pipeline_id, count);
    },
  });
}

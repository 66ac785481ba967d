/** CPU of nodes and pods over the last quarter of an hour. */
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { MetricPoint } from "../kinds/generated";
import { isDrawable } from "../kinds/usage";
import { get } from "./client";
import { useNamespace } from "./namespace";

export interface ClusterUse {
  nodes: MetricPoint[];
  pods: MetricPoint[];
}

/** As many as there are colours. */
const SHOWN = 8;
/** As often as the server measures for nobody in particular. */
const EVERY_MS = 30_000;
/** As often as it measures while a page shows it, so that the first line is there soon. */
const SOON_MS = 5_000;

export const clusterUseKey = (namespace: string): string[] => ["use", "cluster", namespace];

/** Of the nodes, and of the pods of the chosen namespace (of all that the person may list where all are chosen), the busiest. */
export function useClusterUse(): UseQueryResult<ClusterUse> {
  const { chosen, forLists } = useNamespace();
  return useQuery({
    queryKey: clusterUseKey(forLists),
    enabled: chosen !== "",
    refetchInterval: ({ state: { data } }) => (data == null || isDrawable((data as ClusterUse).nodes) ? EVERY_MS : SOON_MS),
    retry: false,
    queryFn: async ({ signal }) => {
      const query = `interval=Last15m&top=${SHOWN}`;
      const ofNamespace = forLists === "" ? "" : `&namespace=${encodeURIComponent(forLists)}`;
      const [nodes, pods] = await Promise.all([
        get<MetricPoint[]>(`/api/metrics/node?${query}`, signal),
        get<MetricPoint[]>(`/api/metrics/podcpu?${query}${ofNamespace}`, signal),
      ]);
      return { nodes, pods };
    },
  });
}

/** CPU and memory of one pod. */
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { MetricPoint } from "../kinds/generated";
import { get } from "./client";
import type { ObjectKey } from "./k8s";

export interface PodUse {
  cpu: MetricPoint[];
  memory: MetricPoint[];
}

const USE_PERIOD_MS = 5_000;

/** CPU and memory of a pod over the last quarter of an hour; the server samples them, so they are asked for. */
export const usePodUse = (key: ObjectKey | undefined): UseQueryResult<PodUse> =>
  useQuery({
    queryKey: ["use", key?.namespace, key?.name],
    enabled: key !== undefined,
    refetchInterval: USE_PERIOD_MS,
    queryFn: async () => {
      const query = `interval=Last15m&pod=${encodeURIComponent(`${key?.namespace ?? ""}/${key?.name ?? ""}`)}`;
      const [cpu, memory] = await Promise.all([
        get<MetricPoint[]>(`/api/metrics/podcpu?${query}`),
        get<MetricPoint[]>(`/api/metrics/podmem?${query}`),
      ]);
      return { cpu, memory };
    },
  });

/** How the metrics of v1 runs are to be written: API v2 has their numbers alone. */
import { useQueries, type UseQueryResult } from "@tanstack/react-query";
import type { Run } from "../kinds/pipelines";
import { runsWithMetrics, v1Metrics, type V1Metric } from "../kinds/pipelinesV1Metrics";
import { get } from "../../../api/client";
import { KEYS } from "./pipelines";
import { at } from "./pipelinesLists";

const V1_BASE = "/pipeline/apis/v1beta1";

const metricsQuery = (run: string) => ({
  queryKey: KEYS.formats(run),
  queryFn: async ({ signal }: { signal: AbortSignal }) => v1Metrics((await get<{ run?: unknown }>(`${V1_BASE}/runs/${at(run)}`, signal)).run),
  // A name that was reported keeps its format.
  staleTime: Infinity,
  retry: false,
});

/** The metrics that are percentages. A name has the same format in all runs: each is asked for in one of them. */
export const usePercentages = (runs: Pick<Run, "run_id" | "metrics">[], names: string[]): ReadonlySet<string> =>
  useQueries({ queries: runsWithMetrics(runs, names).map(metricsQuery), combine: percentagesOf });

const percentagesOf = (results: UseQueryResult<V1Metric[]>[]): ReadonlySet<string> =>
  new Set(results.flatMap(({ data }) => (data ?? []).filter((metric) => metric.isPercentage).map((metric) => metric.name)));

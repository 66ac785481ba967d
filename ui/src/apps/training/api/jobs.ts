/** Training jobs: curves, use of CPU and memory, forecasts, and what one can do with a job. */
import { useQueries, useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { ActionAnswer, CloneAnswer, CurvesView, ForecastView, JobRow, MetricPoint } from "../../../kinds/generated";
import { hasEnded } from "../kinds/jobs";
import { get, post } from "../../../api/client";
import { forecast } from "../../../api/forecast";

export interface JobKey {
  kind: string;
  namespace: string;
  name: string;
}

const pathOf = ({ kind, namespace, name }: JobKey, rest: string): string =>
  `/api/jobs/${[kind, namespace, name].map(encodeURIComponent).join("/")}/${rest}`;

const CURVES_EVERY_MS = 5_000;
const METRICS_EVERY_MS = 10_000;

const curvesQuery = (job: JobKey, isRunning: boolean, everyMs = CURVES_EVERY_MS) => ({
  queryKey: ["curves", job.kind, job.namespace, job.name],
  queryFn: ({ signal }: { signal: AbortSignal }) => get<CurvesView>(pathOf(job, "curves"), signal),
  refetchInterval: isRunning ? everyMs : (false as const),
  staleTime: everyMs,
  retry: false,
});

/** What the job has reported; read again every few seconds while it runs. */
export const useCurves = (job: JobKey, isRunning: boolean, everyMs?: number): UseQueryResult<CurvesView> => useQuery(curvesQuery(job, isRunning, everyMs));

/** Each list in the order of the jobs. */
export interface CurvesOfJobs {
  views: (CurvesView | undefined)[];
  errors: (Error | null)[];
  retries: (() => unknown)[];
  isPending: boolean;
}

/** The same of several jobs; `rowOf` answers a job that is listed. */
export function useCurvesOf(jobs: JobKey[], rowOf: (job: JobKey) => JobRow | undefined): CurvesOfJobs {
  const isRunning = (row: JobRow | undefined): boolean => row !== undefined && !hasEnded(row);
  return useQueries({ queries: jobs.map((job) => curvesQuery(job, isRunning(rowOf(job)))), combine: curvesOfJobs });
}

const curvesOfJobs = (results: UseQueryResult<CurvesView>[]): CurvesOfJobs => ({
  views: results.map(({ data }) => data),
  errors: results.map(({ error }) => error),
  retries: results.map(({ refetch }) => refetch),
  isPending: results.some(({ isPending }) => isPending),
});

export type Interval = "Last5m" | "Last15m" | "Last30m" | "Last60m" | "Last180m";

/** Use of CPU (cores) or memory (bytes) of the pods of a namespace, labelled `namespace/pod`. */
export function usePodMetrics(series: "podcpu" | "podmem", namespace: string, interval: Interval): UseQueryResult<MetricPoint[]> {
  return useQuery({
    queryKey: ["metrics", series, namespace, interval],
    queryFn: ({ signal }) => get<MetricPoint[]>(`/api/metrics/${series}?interval=${interval}&namespace=${encodeURIComponent(namespace)}`, signal),
    refetchInterval: METRICS_EVERY_MS,
    retry: false,
  });
}

/** Whether a job that does not exist yet would start now, and if not, what is short and when it would. */
export function useForecast(manifest: unknown, namespace: string): UseQueryResult<ForecastView> {
  return useQuery({
    queryKey: ["forecast", namespace, JSON.stringify(manifest)],
    enabled: manifest !== undefined && namespace !== "",
    queryFn: () => forecast(namespace, manifest),
    placeholderData: (before) => before,
    refetchInterval: 15_000,
    retry: false,
  });
}

export const suspendJob = (job: JobKey): Promise<ActionAnswer> => post(pathOf(job, "suspend"));
export const resumeJob = (job: JobKey): Promise<ActionAnswer> => post(pathOf(job, "resume"));
/** With `force` also one that has not ended. */
export const restartJob = (job: JobKey, force: boolean): Promise<ActionAnswer> => post(pathOf(job, "restart"), { force });

/** A manifest like the job's, to edit and create. */
export const useClone = (job: JobKey | undefined): UseQueryResult<CloneAnswer> =>
  useQuery({
    queryKey: ["clone", job?.kind, job?.namespace, job?.name],
    enabled: job !== undefined,
    queryFn: () => post<CloneAnswer>(pathOf(job ?? { kind: "", namespace: "", name: "" }, "clone")),
    staleTime: Infinity,
    retry: false,
  });

/** Pipelines' REST API (`/pipeline/apis/v2beta1`), and what components use of it. */
import { useQueries, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useMemo } from "react";
import type {
  Artifact,
  Experiment,
  Pipeline,
  PipelineTask,
  PipelineVersion,
  RecurringRun,
  Run,
  StorageState,
} from "../kinds/pipelines";
import { hasEnded } from "../kinds/pipelines";
import { get, post, request, stream } from "../../../api/client";
import type { Live } from "../../../api/hooks";
import { BASE, PAGE_SIZE, at, storageFilter, useAllRows, useNamespaces, withQuery, type ListWanted } from "./pipelinesLists";

export { useLive, useNamespaces, useRefresh } from "./pipelinesLists";

export const KEYS = {
  pipelines: ["pipelines", "pipelines"],
  versions: (pipeline: string) => ["pipelines", "versions", pipeline],
  version: (pipeline: string, version: string) => ["pipelines", "versions", pipeline, version],
  experiments: ["pipelines", "experiments"],
  experiment: (id: string) => ["pipelines", "experiments", "one", id],
  runs: ["pipelines", "runs"],
  run: (id: string) => ["pipelines", "runs", "one", id],
  formats: (run: string) => ["pipelines", "formats", run],
  recurring: ["pipelines", "recurring"],
  artifacts: ["pipelines", "artifacts"],
  artifact: (id: string) => ["pipelines", "artifacts", "one", id],
  links: (artifact: string) => ["pipelines", "artifacts", "links", artifact],
  executions: ["pipelines", "executions"],
  execution: (id: string) => ["pipelines", "executions", "one", id],
  content: (namespace: string, uri: string) => ["pipelines", "content", namespace, uri],
};

const NEWEST = "created_at desc";

/** Of the chosen namespaces, or of those given. */
export function usePipelines(given?: string[]): Live<Pipeline[]> {
  const chosen = useNamespaces();
  const namespaces = given ?? chosen;
  const own = useAllRows<Pipeline>({
    key: [...KEYS.pipelines, "list", namespaces.join()],
    queries: namespaces.map((namespace) => ({ namespace, sort_by: NEWEST })),
    path: "/pipelines",
    itemsOf: (answer) => (answer["pipelines"] ?? []) as Pipeline[],
  });
  // Pipelines without a namespace are shared by all; a server that has none of these may refuse to list them.
  const shared = useQuery({
    queryKey: [...KEYS.pipelines, "shared"],
    queryFn: async ({ signal }) => (await get<{ pipelines?: Pipeline[] }>(withQuery("/pipelines", { page_size: String(PAGE_SIZE), sort_by: NEWEST }), signal)).pipelines ?? [],
    retry: false,
  }).data;
  const data = useMemo(() => {
    if (own.data === undefined) return undefined;
    const known = new Set(own.data.map((one) => one.pipeline_id));
    return [...own.data, ...(shared ?? []).filter((one) => !one.namespace && !known.has(one.pipeline_id))];
  }, [own.data, shared]);
  return useMemo(() => ({ ...own, data }), [own, data]);
}

export const usePipeline = (id: string): UseQueryResult<Pipeline> =>
  useQuery({ queryKey: [...KEYS.pipelines, "one", id], enabled: id !== "", queryFn: ({ signal }) => get<Pipeline>(`${BASE}/pipelines/${at(id)}`, signal) });

export function useVersions(pipeline: string): Live<PipelineVersion[]> {
  return useAllRows<PipelineVersion>({
    key: [...KEYS.versions(pipeline), "list"],
    queries: pipeline === "" ? [] : [{ sort_by: NEWEST }],
    path: `/pipelines/${at(pipeline)}/versions`,
    itemsOf: (answer) => (answer["pipeline_versions"] ?? []) as PipelineVersion[],
  });
}

const versionQuery = (pipeline: string, version: string, isThere = true) => ({
  queryKey: KEYS.version(pipeline, version),
  enabled: isThere && pipeline !== "" && version !== "",
  queryFn: ({ signal }: { signal: AbortSignal }) => get<PipelineVersion>(`${BASE}/pipelines/${at(pipeline)}/versions/${at(version)}`, signal),
  staleTime: 300_000,
});

export const useVersion = (pipeline: string, version: string): UseQueryResult<PipelineVersion> => useQuery(versionQuery(pipeline, version));

/** Versions that runs refer to. Runs outlive their pipelines. */
export interface VersionsOfRuns {
  byId: ReadonlyMap<string, PipelineVersion>;
  /** Ids of versions that were deleted. */
  gone: ReadonlySet<string>;
}

const versionIdsQuery = (pipeline: string) => ({
  queryKey: [...KEYS.versions(pipeline), "ids"],
  queryFn: async ({ signal }: { signal: AbortSignal }) => {
    const ids: string[] = [];
    let token = "";
    do {
      const answer = await get<{ pipeline_versions?: PipelineVersion[]; next_page_token?: string }>(withQuery(`/pipelines/${at(pipeline)}/versions`, { page_size: String(PAGE_SIZE), page_token: token }), signal);
      ids.push(...(answer.pipeline_versions ?? []).map((one) => one.pipeline_version_id));
      token = answer.next_page_token ?? "";
    } while (token !== "");
    return ids;
  },
  staleTime: 60_000,
  retry: false,
});

/** The versions that runs of these namespaces refer to; each is asked for once, and only where the lists have it. */
export function useVersionsOf(runs: Pick<Run, "pipeline_version_reference">[], namespaces?: string[]): VersionsOfRuns {
  const references = runs.flatMap(({ pipeline_version_reference: one }) => (one?.pipeline_id && one.pipeline_version_id ? [[one.pipeline_version_id, one.pipeline_id] as const] : []));
  const wanted = [...new Map(references)];
  const { data: pipelines, phase } = usePipelines(references.length === 0 ? [] : namespaces);
  // Where pipelines cannot be listed, the versions say themselves whether they are there.
  const there = [...new Set(wanted.map(([, pipeline]) => pipeline))].filter((id) => phase === "error" || pipelines?.some((one) => one.pipeline_id === id));
  const listed = useQueries({ queries: there.map(versionIdsQuery), combine: idsOf });
  const known = new Set(listed.flatMap((ids) => ids ?? []));
  const read = useQueries({ queries: wanted.map(([version, pipeline]) => versionQuery(pipeline, version, known.has(version))), combine: versionsById });
  const isGone = ([version, pipeline]: readonly [string, string]) =>
    pipelines !== undefined && !read.has(version) && (!there.includes(pipeline) || (listed[there.indexOf(pipeline)] !== undefined && !known.has(version)));
  const gone = wanted.filter(isGone).map(([version]) => version).join();
  return useMemo(() => ({ byId: read, gone: new Set(gone.split(",")) }), [read, gone]);
}

const idsOf = (results: UseQueryResult<string[]>[]): (string[] | undefined)[] => results.map(({ data }) => data);

const versionsById = (results: UseQueryResult<PipelineVersion>[]): Map<string, PipelineVersion> =>
  new Map(results.flatMap(({ data }) => (data === undefined ? [] : [[data.pipeline_version_id, data] as const])));

export function useExperiments(state: StorageState = "AVAILABLE"): Live<Experiment[]> {
  const namespaces = useNamespaces();
  return useAllRows<Experiment>({
    key: [...KEYS.experiments, "list", namespaces.join(), state],
    queries: namespaces.map((namespace) => ({ namespace, sort_by: NEWEST, filter: storageFilter(state) })),
    path: "/experiments",
    itemsOf: (answer) => (answer["experiments"] ?? []) as Experiment[],
  });
}

export const useExperiment = (id: string): UseQueryResult<Experiment> =>
  useQuery({ queryKey: KEYS.experiment(id), enabled: id !== "", queryFn: ({ signal }) => get<Experiment>(`${BASE}/experiments/${at(id)}`, signal), staleTime: 60_000 });

/** The list of the runs of some namespaces. */
export const runsOfNamespaces = (namespaces: string[], state: StorageState): ListWanted<Run> => ({
  key: [...KEYS.runs, "list", namespaces.join(), state],
  queries: namespaces.map((namespace) => ({ namespace, sort_by: NEWEST, filter: storageFilter(state) })),
  path: "/runs",
  itemsOf: runsOf,
});

/** The list of the runs of an experiment. */
export const runsOfExperiment = (experiment: string, state: StorageState): ListWanted<Run> => ({
  key: [...KEYS.runs, "experiment", experiment, state],
  queries: experiment === "" ? [] : [{ experiment_id: experiment, sort_by: NEWEST, filter: storageFilter(state) }],
  path: "/runs",
  itemsOf: runsOf,
});

const runsOf = (answer: Record<string, unknown>): Run[] => (answer["runs"] ?? []) as Run[];

export const useRuns = (state: StorageState = "AVAILABLE"): Live<Run[]> => useAllRows(runsOfNamespaces(useNamespaces(), state));

export const useRunsOfExperiment = (experiment: string, state: StorageState = "AVAILABLE"): Live<Run[]> => useAllRows(runsOfExperiment(experiment, state));

/** A run with its tasks. */
async function fetchRun(id: string, signal: AbortSignal): Promise<Run> {
  const run = await get<Run>(`${BASE}/runs/${at(id)}?view=FULL`, signal);
  if (run.tasks !== undefined && (run.task_count ?? 0) <= run.tasks.length) return run;
  if (run.tasks === undefined && run.run_details?.task_details !== undefined) return run;
  const tasks: PipelineTask[] = [];
  let token = "";
  do {
    const answer = await get<{ tasks?: PipelineTask[]; next_page_token?: string }>(withQuery(`/runs/${at(id)}/tasks`, { page_size: String(PAGE_SIZE), page_token: token }), signal);
    tasks.push(...(answer.tasks ?? []));
    token = answer.next_page_token ?? "";
  } while (token !== "");
  return { ...run, tasks };
}

const runQuery = (id: string) => ({
  queryKey: KEYS.run(id),
  enabled: id !== "",
  queryFn: ({ signal }: { signal: AbortSignal }) => fetchRun(id, signal),
  placeholderData: (before: Run | undefined) => (before?.run_id === id ? before : undefined),
});

export const useRun = (id: string): UseQueryResult<Run> => useQuery(runQuery(id));

/** Runs with their tasks, in the order asked for. Those that have ended are not read again. */
export function useFullRuns(ids: string[]): UseQueryResult<Run>[] {
  return useQueries({
    queries: ids.map((id) => ({
      ...runQuery(id),
      staleTime: (query: { state: { data?: Run | undefined } }) => (query.state.data !== undefined && hasEnded(query.state.data) ? Infinity : 2_000),
    })),
  });
}

export function useRecurringRuns(): Live<RecurringRun[]> {
  const namespaces = useNamespaces();
  return useAllRows<RecurringRun>({
    key: [...KEYS.recurring, "list", namespaces.join()],
    queries: namespaces.map((namespace) => ({ namespace, sort_by: NEWEST })),
    path: "/recurringruns",
    itemsOf: (answer) => (answer["recurringRuns"] ?? answer["recurring_runs"] ?? []) as RecurringRun[],
  });
}

export const useRecurringRun = (id: string): UseQueryResult<RecurringRun> =>
  useQuery({ queryKey: [...KEYS.recurring, "one", id], enabled: id !== "", queryFn: ({ signal }) => get<RecurringRun>(`${BASE}/recurringruns/${at(id)}`, signal) });

export function useArtifacts(): Live<Artifact[]> {
  const namespaces = useNamespaces();
  return useAllRows<Artifact>({
    key: [...KEYS.artifacts, "list", namespaces.join()],
    queries: namespaces.map((namespace) => ({ namespace, sort_by: NEWEST })),
    path: "/artifacts",
    itemsOf: (answer) => (answer["artifacts"] ?? []) as Artifact[],
  });
}

const artifactQuery = (id: string) => ({
  queryKey: KEYS.artifact(id),
  enabled: id !== "",
  queryFn: ({ signal }: { signal: AbortSignal }) => get<Artifact>(`${BASE}/artifacts/${at(id)}`, signal),
  staleTime: Infinity,
});

export const useArtifact = (id: string): UseQueryResult<Artifact> => useQuery(artifactQuery(id));

/** Artifacts of which only the id is known, read; the others as they are. */
export function useCompleted(artifacts: Artifact[]): Map<string, Artifact> {
  const bare = artifacts.filter((artifact) => artifact.uri === undefined && artifact.metadata === undefined);
  const read = useQueries({ queries: bare.map((artifact) => artifactQuery(artifact.artifact_id)), combine: artifactsById });
  return useMemo(() => new Map([...artifacts.map((artifact) => [artifact.artifact_id, artifact] as const), ...read]), [artifacts, read]);
}

const artifactsById = (results: UseQueryResult<Artifact>[]): Map<string, Artifact> =>
  new Map(results.flatMap(({ data }) => (data === undefined ? [] : [[data.artifact_id, data] as const])));

const SOURCES: Record<string, string> = { minio: "minio", s3: "s3", gs: "gcs", az: "az", http: "http", https: "https", volume: "volume" };

/** Where the content of an artifact is read; undefined for a URI that nothing here can read. */
export function contentPath(namespace: string, uri: string, peek?: number): string | undefined {
  const match = /^([a-z0-9]+):\/\/([^/?]+)\/?([^?]*)/.exec(uri);
  const source = SOURCES[match?.[1] ?? ""];
  if (match === null || source === undefined) return undefined;
  const query = new URLSearchParams({ source, bucket: match[2] ?? "", key: match[3] ?? "", namespace, ...(peek === undefined ? {} : { peek: String(peek) }) });
  return `/pipeline/artifacts/get?${query.toString()}`;
}

const MAX_SHOWN = 2_000_000;

/** The text of an artifact, at most its first 2 MB. */
export const useContent = (namespace: string, uri: string, enabled = true): UseQueryResult<string> =>
  useQuery({
    queryKey: KEYS.content(namespace, uri),
    enabled: enabled && contentPath(namespace, uri) !== undefined,
    staleTime: Infinity,
    retry: false,
    queryFn: async ({ signal }) => {
      let text = "";
      for await (const chunk of stream(contentPath(namespace, uri, MAX_SHOWN) ?? "", signal)) text += chunk;
      return text;
    },
  });

/** The log of a task's pod; it is there also when the pod is gone. */
export const taskLogPath = (run: string, pod: string): string => `/pipeline/apis/v1alpha1/runs/${at(run)}/nodes/${at(pod)}/log?follow=true`;

type RunVerb = "terminate" | "retry" | "archive" | "unarchive";
export const actOnRun = (id: string, verb: RunVerb): Promise<unknown> => post(`${BASE}/runs/${at(id)}:${verb}`);
/** With its artifacts: those that the run wrote and no other run uses. */
export const deleteRun = (id: string, withArtifacts = false): Promise<unknown> => request("DELETE", `${BASE}/runs/${at(id)}${withArtifacts ? "?delete_artifacts=true" : ""}`);
export const createRun = (run: unknown): Promise<Run> => post<Run>(`${BASE}/runs`, run);
export const createRecurringRun = (run: unknown): Promise<RecurringRun> => post<RecurringRun>(`${BASE}/recurringruns`, run);
export const setRecurringRun = (id: string, verb: "enable" | "disable"): Promise<unknown> => post(`${BASE}/recurringruns/${at(id)}:${verb}`);
export const deleteRecurringRun = (id: string): Promise<unknown> => request("DELETE", `${BASE}/recurringruns/${at(id)}`);
export const createExperiment = (experiment: Pick<Experiment, "display_name" | "description" | "namespace">): Promise<Experiment> =>
  post<Experiment>(`${BASE}/experiments`, experiment);
export const actOnExperiment = (id: string, verb: "archive" | "unarchive"): Promise<unknown> => post(`${BASE}/experiments/${at(id)}:${verb}`);
export const deleteExperiment = (id: string): Promise<unknown> => request("DELETE", `${BASE}/experiments/${at(id)}`);
export const deletePipeline = (id: string): Promise<unknown> => request("DELETE", `${BASE}/pipelines/${at(id)}?cascade=true`);
export const deleteVersion = (pipeline: string, version: string): Promise<unknown> => request("DELETE", `${BASE}/pipelines/${at(pipeline)}/versions/${at(version)}`);

/** A namespace of this name asks for a pipeline that all namespaces share; a query leaves an empty one out. */
const FOR_EVERYONE = "-";

export interface UploadWanted {
  name: string;
  description: string;
  namespace: string;
  /** The pipeline that gets a new version; "" makes a new pipeline. */
  pipeline: string;
}

function formOf(file: File): FormData {
  const form = new FormData();
  form.append("uploadfile", file, file.name);
  return form;
}

/** A new pipeline, or a new version of one, from a file. Answers the pipeline's id. */
export async function uploadFile(file: File, { name, description, namespace, pipeline }: UploadWanted): Promise<string> {
  const path =
    pipeline === ""
      ? withQuery("/pipelines/upload", { name, description, namespace: namespace === "" ? FOR_EVERYONE : namespace })
      : withQuery("/pipelines/upload_version", { name, description, pipelineid: pipeline });
  return (await request<{ pipeline_id: string }>("POST", path, { body: formOf(file) })).pipeline_id;
}

/** The same from an address that the server reads. */
export async function uploadUrl(url: string, { name, description, namespace, pipeline }: UploadWanted): Promise<string> {
  const named = { display_name: name, ...(description === "" ? {} : { description }) };
  const version = { ...named, package_url: { pipeline_url: url } };
  const made =
    pipeline === ""
      ? await post<{ pipeline_id: string }>(`${BASE}/pipelines/create`, { pipeline: { ...named, namespace }, pipeline_version: version })
      : await post<{ pipeline_id: string }>(`${BASE}/pipelines/${at(pipeline)}/versions`, { ...version, pipeline_id: pipeline });
  return made.pipeline_id;
}

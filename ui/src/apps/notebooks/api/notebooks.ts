/** The REST APIs of the notebook, TensorBoard and volume apps. */
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { ForecastView, MetricPoint } from "../../../kinds/generated";
import type { SpawnerConfig } from "../kinds/notebookForm";
import { get, post, request } from "../../../api/client";
import type { KubeObject, ObjectKey } from "../../../api/k8s";

const inNamespace = (app: string, namespace: string, rest: string): string => `/${app}/api/namespaces/${encodeURIComponent(namespace)}/${rest}`;
const one = (app: string, plural: string, key: ObjectKey): string => inNamespace(app, key.namespace, `${plural}/${encodeURIComponent(key.name)}`);

export interface PodDefaultOption {
  /** The label that selects it. */
  label: string;
  desc: string;
  metadata: { name: string };
}

export interface ClaimOption {
  name: string;
  size: string;
  mode: string;
}

/** What the forms offer; it is asked again when a form is opened. */
export const useSpawnerConfig = (): UseQueryResult<SpawnerConfig> =>
  useQuery({ queryKey: ["spawner"], queryFn: async () => (await get<{ config: SpawnerConfig }>("/jupyter/api/config")).config });

export const useGpuVendors = (): UseQueryResult<string[]> =>
  useQuery({ queryKey: ["gpus"], queryFn: async () => (await get<{ vendors: string[] }>("/jupyter/api/gpus")).vendors });

export const useStorageClasses = (): UseQueryResult<{ names: string[]; preset: string }> =>
  useQuery({
    queryKey: ["storageclasses"],
    queryFn: async () => {
      const [all, preset] = await Promise.all([
        get<{ storageClasses: string[] }>("/volumes/api/storageclasses"),
        get<{ defaultStorageClass: string }>("/volumes/api/storageclasses/default"),
      ]);
      return { names: all.storageClasses, preset: preset.defaultStorageClass };
    },
  });

export const usePodDefaults = (namespace: string): UseQueryResult<PodDefaultOption[]> =>
  useQuery({
    queryKey: ["poddefaults", namespace],
    enabled: namespace !== "",
    queryFn: async () => (await get<{ poddefaults: PodDefaultOption[] }>(inNamespace("jupyter", namespace, "poddefaults"))).poddefaults,
  });

export const useClaims = (namespace: string): UseQueryResult<ClaimOption[]> =>
  useQuery({
    queryKey: ["claims", namespace],
    enabled: namespace !== "",
    queryFn: async () => (await get<{ pvcs: ClaimOption[] }>(inNamespace("jupyter", namespace, "pvcs"))).pvcs,
  });

export const createNotebook = (namespace: string, body: unknown): Promise<unknown> => post(inNamespace("jupyter", namespace, "notebooks"), body);

/** What the server would make of the form; refused as the real thing would be. */
export const tryNotebook = async (namespace: string, body: unknown): Promise<KubeObject[]> =>
  (await post<{ objects: KubeObject[] }>(inNamespace("jupyter", namespace, "notebooks?dryRun=All"), body)).objects;

export const setStopped = (key: ObjectKey, stopped: boolean): Promise<unknown> =>
  request("PATCH", one("jupyter", "notebooks", key), { body: { stopped } });

export const deleteNotebook = (key: ObjectKey): Promise<unknown> => request("DELETE", one("jupyter", "notebooks", key));

export const createTensorboard = (namespace: string, body: unknown): Promise<unknown> =>
  post(inNamespace("tensorboards", namespace, "tensorboards"), body);

export const deleteTensorboard = (key: ObjectKey): Promise<unknown> => request("DELETE", one("tensorboards", "tensorboards", key));

export const createVolume = (namespace: string, body: unknown): Promise<unknown> => post(inNamespace("volumes", namespace, "pvcs"), body);

export const resizeVolume = (key: ObjectKey, size: string): Promise<unknown> =>
  request("PATCH", one("volumes", "pvcs", key), { body: { size } });

export const deleteVolume = (key: ObjectKey): Promise<unknown> => request("DELETE", one("volumes", "pvcs", key));

export const openViewer = (key: ObjectKey): Promise<unknown> => post(inNamespace("volumes", key.namespace, "viewers"), { name: key.name });

export const closeViewer = (key: ObjectKey): Promise<unknown> => request("DELETE", one("volumes", "viewers", key));

/** Whether something would start now, by the scheduler's own rules. */
export const forecast = (namespace: string, manifest: unknown): Promise<ForecastView> => post("/api/forecast", { manifest, namespace });

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

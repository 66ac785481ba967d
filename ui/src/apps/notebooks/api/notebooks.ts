/** The REST API of the notebook app. */
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { SpawnerConfig } from "../kinds/notebookForm";
import { get, post, request } from "../../../api/client";
import type { KubeObject, ObjectKey } from "../../../api/k8s";
import { inWebApp, objectInWebApp } from "../../../api/webApps";

export interface PodDefaultOption {
  /** The label that selects it. */
  label: string;
  desc: string;
  metadata: { name: string };
}

/** What the forms offer; it is asked again when a form is opened. */
export const useSpawnerConfig = (): UseQueryResult<SpawnerConfig> =>
  useQuery({ queryKey: ["spawner"], queryFn: async () => (await get<{ config: SpawnerConfig }>("/jupyter/api/config")).config });

export const useGpuVendors = (): UseQueryResult<string[]> =>
  useQuery({ queryKey: ["gpus"], queryFn: async () => (await get<{ vendors: string[] }>("/jupyter/api/gpus")).vendors });

export const usePodDefaults = (namespace: string): UseQueryResult<PodDefaultOption[]> =>
  useQuery({
    queryKey: ["poddefaults", namespace],
    enabled: namespace !== "",
    queryFn: async () => (await get<{ poddefaults: PodDefaultOption[] }>(inWebApp("jupyter", namespace, "poddefaults"))).poddefaults,
  });

export const createNotebook = (namespace: string, body: unknown): Promise<unknown> => post(inWebApp("jupyter", namespace, "notebooks"), body);

/** What the server would make of the form; refused as the real thing would be. */
export const tryNotebook = async (namespace: string, body: unknown): Promise<KubeObject[]> =>
  (await post<{ objects: KubeObject[] }>(inWebApp("jupyter", namespace, "notebooks?dryRun=All"), body)).objects;

export const setStopped = (key: ObjectKey, stopped: boolean): Promise<unknown> =>
  request("PATCH", objectInWebApp("jupyter", "notebooks", key), { body: { stopped } });

export const deleteNotebook = (key: ObjectKey): Promise<unknown> => request("DELETE", objectInWebApp("jupyter", "notebooks", key));

/** The REST API of the volume app, and the claims that forms offer. */
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { get, post, request } from "../../../api/client";
import type { ObjectKey } from "../../../api/k8s";
import { inWebApp, objectInWebApp } from "../../../api/webApps";

export interface ClaimOption {
  name: string;
  size: string;
  mode: string;
}

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

export const useClaims = (namespace: string): UseQueryResult<ClaimOption[]> =>
  useQuery({
    queryKey: ["claims", namespace],
    enabled: namespace !== "",
    queryFn: async () => (await get<{ pvcs: ClaimOption[] }>(inWebApp("jupyter", namespace, "pvcs"))).pvcs,
  });

export const createVolume = (namespace: string, body: unknown): Promise<unknown> => post(inWebApp("volumes", namespace, "pvcs"), body);

export const resizeVolume = (key: ObjectKey, size: string): Promise<unknown> =>
  request("PATCH", objectInWebApp("volumes", "pvcs", key), { body: { size } });

export const deleteVolume = (key: ObjectKey): Promise<unknown> => request("DELETE", objectInWebApp("volumes", "pvcs", key));

export const openViewer = (key: ObjectKey): Promise<unknown> => post(inWebApp("volumes", key.namespace, "viewers"), { name: key.name });

export const closeViewer = (key: ObjectKey): Promise<unknown> => request("DELETE", objectInWebApp("volumes", "viewers", key));

/** Schemas of kinds, from the server's OpenAPI document of their group and version. */
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { Components } from "../parts/form/schema";
import { get } from "./client";

export function useComponents(group: string, version: string): UseQueryResult<Components> {
  return useQuery({
    queryKey: ["openapi", group, version],
    enabled: version !== "",
    staleTime: Infinity,
    queryFn: async ({ signal }) => {
      const path = group === "" ? `api/${version}` : `apis/${group}/${version}`;
      const document = await get<{ components?: { schemas?: Components } }>(`/api/k8s/openapi/v3/${path}`, signal);
      return document.components?.schemas ?? {};
    },
  });
}

/** Schemas of kinds, from the server's OpenAPI document of their group and version. */
import { useQueries, useQuery, type UseQueryResult } from "@tanstack/react-query";
import { useMemo } from "react";
import { apiVersionParts, type Components } from "../parts/form/schema";
import { get } from "./client";

const schemasOf = (group: string, version: string) => ({
  queryKey: ["openapi", group, version],
  enabled: version !== "",
  staleTime: Infinity,
  queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Components> => {
    const path = group === "" ? `api/${version}` : `apis/${group}/${version}`;
    const document = await get<{ components?: { schemas?: Components } }>(`/api/k8s/openapi/v3/${path}`, signal);
    return document.components?.schemas ?? {};
  },
});

export const useComponents = (group: string, version: string): UseQueryResult<Components> => useQuery(schemasOf(group, version));

/** Schemas by `apiVersion`, of those that have been fetched. */
export type Schemas = Record<string, Components>;

/** The schemas that a text needs. One that is being typed (`kubeflow.or`) has none. */
export function useSchemas(apiVersions: string[]): Schemas {
  const wanted = [...new Set(apiVersions)].filter((one) => one !== "").sort();
  const answers = useQueries({
    queries: wanted.map((apiVersion) => ({ ...schemasOf(apiVersionParts(apiVersion).group, apiVersionParts(apiVersion).version), retry: false })),
    combine: (all) => all.map((one) => one.data),
  });
  const key = wanted.join();
  // The key says which are wanted; a new list of the same must not be a new answer.
  // eslint-disable-next-line react-hooks/exhaustive-deps
  return useMemo(() => Object.fromEntries(wanted.flatMap((apiVersion, index) => (answers[index] === undefined ? [] : [[apiVersion, answers[index]]]))), [key, answers]);
}

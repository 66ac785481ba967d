/** Which resources the server has, and their lists as the server prints them. */
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import { get, request } from "./client";
import { pathOf, type Resource } from "./k8s";

interface AggregatedDiscovery {
  items: {
    metadata?: { name?: string };
    versions: { version: string; resources?: { resource: string; responseKind: { kind: string }; scope: string; verbs: string[] }[] }[];
  }[];
}

const AGGREGATED = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList";

/** Every resource that can be listed, in its group's preferred version. Pure. */
export function resourcesOf(discovery: AggregatedDiscovery): Resource[] {
  return discovery.items.flatMap((group) => {
    const preferred = group.versions[0];
    return (preferred?.resources ?? [])
      .filter((one) => one.verbs.includes("list"))
      .map((one) => ({
        group: group.metadata?.name ?? "",
        version: preferred?.version ?? "",
        resource: one.resource,
        kind: one.responseKind.kind,
        namespaced: one.scope === "Namespaced",
      }));
  });
}

async function allResources(): Promise<Resource[]> {
  const lists = await Promise.all(
    ["/api/k8s/api", "/api/k8s/apis"].map((path) => request<AggregatedDiscovery>("GET", path, { accept: AGGREGATED })),
  );
  return lists.flatMap(resourcesOf);
}

export const useResources = (): UseQueryResult<Resource[]> =>
  useQuery({ queryKey: ["resources"], queryFn: allResources, staleTime: 300_000 });

interface ResourceList {
  resources: { name: string; kind: string; namespaced: boolean }[];
}

/** One resource by the words of its page's address; null if the server has none. `core` is the group without a name. */
export const useResource = (group: string, version: string, resource: string): UseQueryResult<Resource | null> =>
  useQuery({
    queryKey: ["resource", group, version, resource],
    staleTime: 300_000,
    queryFn: async () => {
      const name = group === "core" ? "" : group;
      const path = name === "" ? `/api/k8s/api/${version}` : `/api/k8s/apis/${name}/${version}`;
      const list = await get<ResourceList>(path);
      const known = list.resources.find((one) => one.name === resource);
      return known === undefined ? null : { group: name, version, resource, kind: known.kind, namespaced: known.namespaced };
    },
  });

/** A column of `kubectl get`. */
export interface PrintedColumn {
  name: string;
  type: string;
  format?: string;
  priority?: number;
}

const PRINTED = "application/json;as=Table;v=v1;g=meta.k8s.io";

/** The columns in which the server prints a resource, from a list of one row. `namespace` is one that the person may list; undefined asks for nothing. */
export const useColumns = (resource: Resource, namespace: string | undefined): UseQueryResult<PrintedColumn[]> =>
  useQuery({
    queryKey: ["columns", resource.group, resource.version, resource.resource, namespace],
    enabled: namespace !== undefined,
    staleTime: 300_000,
    retry: false,
    queryFn: async () => (await request<{ columnDefinitions: PrintedColumn[] }>("GET", `${pathOf(resource, namespace ?? "")}?limit=1&includeObject=None`, { accept: PRINTED })).columnDefinitions,
  });

/** The page of an object's list or, with a key, of the object. */
export function objectPath(resource: Resource, key?: { namespace: string; name: string }): string {
  const list = `/objects/${resource.group || "core"}/${resource.version}/${resource.resource}`;
  return key === undefined ? list : `${list}/${key.namespace || "-"}/${key.name}`;
}

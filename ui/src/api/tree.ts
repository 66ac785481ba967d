/** The owners and children of an object. */
import { useQuery, type UseQueryResult } from "@tanstack/react-query";
import type { ObjectTree } from "../kinds/generated";
import { get } from "./client";
import type { ObjectKey, Resource } from "./k8s";

const EVERY_MS = 10_000;

export const treeKey = ({ group, version, resource }: Resource, { namespace, name }: ObjectKey): string[] => ["tree", group, version, resource, namespace, name];

/** Read again every few seconds while it is shown: children come and go. */
export function useTree(resource: Resource, key: ObjectKey): UseQueryResult<ObjectTree> {
  const { group, version, resource: plural } = resource;
  const query = new URLSearchParams({ version, resource: plural, name: key.name, ...(group === "" ? {} : { group }), ...(resource.namespaced ? { namespace: key.namespace } : {}) });
  return useQuery({
    queryKey: treeKey(resource, key),
    queryFn: ({ signal }) => get<ObjectTree>(`/api/tree?${query.toString()}`, signal),
    refetchInterval: EVERY_MS,
    retry: false,
  });
}

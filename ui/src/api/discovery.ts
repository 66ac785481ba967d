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

export interface Table {
  columnDefinitions: { name: string; type: string; format?: string; priority?: number }[];
  /** Without their objects where the name says which one a row is about. */
  rows: { cells: unknown[]; object: { metadata: { name: string; namespace?: string } } | null }[];
}

/** A list as `kubectl get` prints it. */
export interface Printed {
  columns: Table["columnDefinitions"];
  /** By `printedKey` of the object. */
  cells: ReadonlyMap<string, unknown[]>;
}

const PRINTED = "application/json;as=Table;v=v1;g=meta.k8s.io";
const ROWS_AT_ONCE = 1_000;

/** `namespace/name` of an object, by which its printed row is found. */
export const printedKey = (metadata: { name: string; namespace?: string }): string => `${metadata.namespace ?? ""}/${metadata.name}`;

/** The list as printed. Of a list in which each name is there once, the cells alone are asked for; rows are read some at a time, so that the page continues. */
export async function getPrinted(resource: Resource, namespace: string, before: Printed | undefined): Promise<Printed> {
  const isUnique = !resource.namespaced || namespace !== "";
  const path = `${pathOf(resource, namespace)}?includeObject=${isUnique ? "None" : "Metadata"}`;
  const table = await request<Table>("GET", path, { accept: PRINTED });
  const cells = new Map<string, unknown[]>();
  for (let from = 0; from < table.rows.length; from += ROWS_AT_ONCE) {
    if (from > 0) await new Promise((resolve) => setTimeout(resolve));
    printRows(cells, { ...table, rows: table.rows.slice(from, from + ROWS_AT_ONCE) }, namespace, before?.cells);
  }
  return { columns: table.columnDefinitions, cells };
}

/** Adds the cells of each row by `printedKey`. Cells that say the same as `before` are the same array, ages aside. */
export function printRows(into: Map<string, unknown[]>, table: Table, namespace: string, before?: ReadonlyMap<string, unknown[]>): void {
  const nameAt = table.columnDefinitions.findIndex((column) => column.format === "name");
  const ageAt = table.columnDefinitions.findIndex((column) => column.name === "Age");
  const isSame = (old: unknown[] | undefined, cells: unknown[]): old is unknown[] =>
    old?.length === cells.length && cells.every((cell, index) => index === ageAt || cell === old[index]);
  for (const { cells, object } of table.rows) {
    const key = printedKey(object?.metadata ?? { name: String(cells[nameAt]), namespace });
    const old = before?.get(key);
    into.set(key, isSame(old, cells) ? old : cells);
  }
}

/** The page of an object's list or, with a key, of the object. */
export function objectPath(resource: Resource, key?: { namespace: string; name: string }): string {
  const list = `/objects/${resource.group || "core"}/${resource.version}/${resource.resource}`;
  return key === undefined ? list : `${list}/${key.namespace || "-"}/${key.name}`;
}

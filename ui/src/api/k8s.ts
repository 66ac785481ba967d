/** The Kubernetes API as the signed-in person, through the gateway. */
import { request, stream } from "./client";

/** Where a kind is served. */
export interface Resource {
  group: string;
  version: string;
  resource: string;
  kind: string;
  namespaced: boolean;
}

export interface ObjectMeta {
  name: string;
  namespace?: string;
  uid: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp: string;
  deletionTimestamp?: string;
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: { apiVersion: string; kind: string; name: string; uid: string; controller?: boolean }[];
}

/** Any Kubernetes object; kinds with declared fields have types of their own in `kinds/generated`. */
export interface KubeObject {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
}

export interface ObjectKey {
  namespace: string;
  name: string;
}

export function pathOf(resource: Resource, namespace = "", name = "", subresource = ""): string {
  const group = resource.group === "" ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  const scope = resource.namespaced && namespace !== "" ? `/namespaces/${encodeURIComponent(namespace)}` : "";
  const rest = name === "" ? "" : `/${encodeURIComponent(name)}${subresource === "" ? "" : `/${subresource}`}`;
  return `/api/k8s${group}${scope}/${resource.resource}${rest}`;
}

export const getObject = <T = KubeObject>(resource: Resource, key: ObjectKey): Promise<T> =>
  request<T>("GET", pathOf(resource, key.namespace, key.name));

export async function listObjects<T = KubeObject>(resource: Resource, namespace = "", query = ""): Promise<T[]> {
  const list = await request<{ items: T[] }>("GET", `${pathOf(resource, namespace)}${query === "" ? "" : `?${query}`}`);
  return list.items;
}

export const createObject = <T = KubeObject>(resource: Resource, namespace: string, object: unknown, dryRun = false): Promise<T> =>
  request<T>("POST", `${pathOf(resource, namespace)}${dryRun ? "?dryRun=All" : ""}`, { body: object });

export const replaceObject = <T = KubeObject>(resource: Resource, key: ObjectKey, object: unknown): Promise<T> =>
  request<T>("PUT", pathOf(resource, key.namespace, key.name), { body: object });

export const patchObject = <T = KubeObject>(resource: Resource, key: ObjectKey, patch: unknown, subresource = ""): Promise<T> =>
  request<T>("PATCH", pathOf(resource, key.namespace, key.name, subresource), {
    body: patch,
    contentType: "application/merge-patch+json",
  });

export const deleteObject = (resource: Resource, key: ObjectKey, propagation = "Background"): Promise<unknown> =>
  request("DELETE", pathOf(resource, key.namespace, key.name), { body: { propagationPolicy: propagation } });

export interface LogQuery {
  container?: string;
  follow?: boolean;
  timestamps?: boolean;
  tailLines?: number;
  previous?: boolean;
  sinceTime?: string;
}

/** A pod's log as it is written. */
export function podLog(key: ObjectKey, query: LogQuery, signal: AbortSignal): AsyncGenerator<string> {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined && value !== false && value !== "") search.set(name, String(value));
  }
  const path = `/api/k8s/api/v1/namespaces/${encodeURIComponent(key.namespace)}/pods/${encodeURIComponent(key.name)}/log`;
  return stream(`${path}?${search.toString()}`, signal);
}

/** What components use: objects and views that follow the server. */
import { createContext, useCallback, useContext, useMemo, useSyncExternalStore } from "react";
import type { KubeObject, ObjectMeta, Resource } from "./k8s";
import { LOADING, keyOf, type LiveConnection, type Params, type Snapshot } from "./live";

export const LiveContext = createContext<LiveConnection | undefined>(undefined);

export interface Live<T> extends Snapshot<T> {
  retry: () => void;
}

interface Selection {
  namespace?: string;
  name?: string;
  labelSelector?: string;
  fieldSelector?: string;
}

const NOTHING = (): (() => void) => () => undefined;

/** A computed view of the gateway; `undefined` params ask for nothing. */
export function useView<T>(topic: string, params: Params | undefined): Live<T> {
  const connection = useContext(LiveContext);
  const key = params === undefined ? "" : keyOf(topic, params);
  // The key says all that the parameters say; a new object with the same values must not subscribe again.
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const stable = useMemo(() => params, [key]);
  const subscribe = useCallback(
    (listener: () => void) =>
      connection === undefined || stable === undefined ? NOTHING() : connection.subscribe(topic, stable, listener),
    [connection, stable, topic],
  );
  const read = useCallback(
    () => (connection === undefined || stable === undefined ? LOADING : connection.snapshot(topic, stable)),
    [connection, stable, topic],
  );
  const snapshot = useSyncExternalStore(subscribe, read) as Snapshot<T>;
  const retry = useCallback(() => {
    if (stable !== undefined) connection?.retry(topic, stable);
  }, [connection, stable, topic]);
  return useMemo(() => ({ ...snapshot, retry }), [snapshot, retry]);
}

/** The objects of a resource, as they are now and as they change. */
export function useObjects<T = KubeObject>(resource: Resource | undefined, selection: Selection = {}): Live<T[]> {
  return useView<T[]>(
    "objects",
    resource && {
      group: resource.group,
      version: resource.version,
      resource: resource.resource,
      namespace: selection.namespace ?? "",
      name: selection.name ?? "",
      labelSelector: selection.labelSelector ?? "",
      fieldSelector: selection.fieldSelector ?? "",
    },
  );
}

/** A row of `kubectl get`, with what it is about. */
export interface PrintedRow {
  metadata: ObjectMeta;
  cells: unknown[];
}

/** The rows that the server prints of a resource's objects, and prints again when one changes. */
export function usePrintedRows(resource: Resource | undefined, namespace: string, labelSelector = ""): Live<PrintedRow[]> {
  return useView<PrintedRow[]>("objects", resource && { group: resource.group, version: resource.version, resource: resource.resource, namespace, labelSelector, form: "table" });
}

/** One object by its name; `data` is null once it is known that there is none. */
export function useObject<T = KubeObject>(resource: Resource | undefined, namespace: string, name: string): Live<T | null> {
  const objects = useObjects<T>(resource, { namespace, name });
  return useMemo(
    () => ({ ...objects, data: objects.data === undefined ? undefined : (objects.data[0] ?? null) }),
    [objects],
  );
}

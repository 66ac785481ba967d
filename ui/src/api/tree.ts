/** The owners and children of an object, as they come and go. */
import type { ObjectTree } from "../kinds/generated";
import { useView, type Live } from "./hooks";
import type { ObjectKey, Resource } from "./k8s";

export function useTree({ group, version, resource, namespaced }: Resource, { namespace, name }: ObjectKey): Live<ObjectTree> {
  return useView<ObjectTree>("tree", { group, version, resource, name, namespace: namespaced ? namespace : "" });
}

import { useView, type Live } from "./hooks";
import { useNamespace } from "./namespace";

/** A view of the chosen namespace, or of all where all are chosen. */
export function useNamespacedView<T>(topic: string): Live<T> {
  const { chosen, forLists } = useNamespace();
  return useView<T>(topic, chosen === "" ? undefined : { namespace: forLists });
}

import { useSyncExternalStore } from "react";

/** Light or dark as in force on the document: a canvas has to be drawn again when it changes. */
export function useSchemeVersion(): string {
  return useSyncExternalStore(subscribe, () => document.documentElement.dataset["scheme"] ?? "");
}

function subscribe(listener: () => void): () => void {
  const observer = new MutationObserver(listener);
  observer.observe(document.documentElement, { attributes: true, attributeFilter: ["data-scheme"] });
  return () => observer.disconnect();
}

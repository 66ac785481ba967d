/** Light, dark, or the same as the system; remembered. */
import { useCallback, useSyncExternalStore } from "react";

export type Scheme = "system" | "light" | "dark";

const STORED = "windlass.scheme";
const listeners = new Set<() => void>();

function stored(): Scheme {
  const value = localStorage.getItem(STORED);
  return value === "light" || value === "dark" ? value : "system";
}

function prefersDark(): MediaQueryList {
  return matchMedia("(prefers-color-scheme: dark)");
}

/** Puts the scheme in force on the document; called once at the start and after every change. */
export function applyScheme(): void {
  const scheme = stored();
  document.documentElement.dataset["scheme"] = scheme === "system" ? (prefersDark().matches ? "dark" : "light") : scheme;
  for (const listener of listeners) listener();
}

export function followSystem(): void {
  prefersDark().addEventListener("change", applyScheme);
  applyScheme();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

export function useScheme(): [Scheme, (scheme: Scheme) => void] {
  const scheme = useSyncExternalStore(subscribe, stored);
  const choose = useCallback((wanted: Scheme) => {
    localStorage.setItem(STORED, wanted);
    applyScheme();
  }, []);
  return [scheme, choose];
}

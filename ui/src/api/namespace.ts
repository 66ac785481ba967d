/** The chosen namespace: in the URL (`?ns=`), else the last choice, else the first that the person owns. */
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useEffect } from "react";
import { useSession, type Membership } from "./session";

export const ALL = "*";

const storedAt = (user: string): string => `/centraldashboard/selectedNamespace/.${user}`;

/** Pure: what is chosen, given the URL, the last choice and the memberships. `""` where there is no namespace at all. */
export function chosenNamespace(inUrl: string | undefined, stored: string | null, memberships: Membership[]): string {
  if (inUrl !== undefined && inUrl !== "") return inUrl;
  const known = (name: string | null): name is string => name === ALL || memberships.some((one) => one.namespace === name);
  if (known(stored)) return stored;
  return (memberships.find((one) => one.role === "owner") ?? memberships[0])?.namespace ?? "";
}

interface NamespaceChoice {
  /** A namespace, or `*` for all. */
  chosen: string;
  /** What lists ask for: "" means all namespaces that the person may list. */
  forLists: string;
  /** Where new objects go: the chosen one, or with all namespaces the person's first. */
  forNew: string;
  choose: (namespace: string) => void;
}

export function useNamespace(): NamespaceChoice {
  const { data: session } = useSession();
  const search: { ns?: string } = useSearch({ strict: false });
  const navigate = useNavigate();
  const user = session?.user ?? "";
  const memberships = session?.memberships ?? [];
  const chosen = chosenNamespace(search.ns, user === "" ? null : localStorage.getItem(storedAt(user)), memberships);
  useEffect(() => {
    if (user !== "" && search.ns !== undefined && search.ns !== "") localStorage.setItem(storedAt(user), search.ns);
  }, [user, search.ns]);
  const choose = useCallback(
    (namespace: string) =>
      void navigate({ to: ".", search: (before: Record<string, unknown>) => ({ ...before, ns: namespace }) }),
    [navigate],
  );
  return {
    chosen,
    forLists: chosen === ALL ? "" : chosen,
    forNew: chosen === ALL ? chosenNamespace(undefined, null, memberships) : chosen,
    choose,
  };
}

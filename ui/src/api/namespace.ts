/** The chosen namespace: in the URL (`?ns=`), else the last choice, else the first that the person owns. */
import { useRouter, useSearch, type RouterHistory } from "@tanstack/react-router";
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

/** Pure: an address with a namespace in it, and with `""` without one; everything else stays as it is written. */
export function inNamespace(href: string, namespace: string): string {
  const [address = "", ...hash] = href.split("#");
  const [path = "", ...query] = address.split("?");
  const others = query.join("?").split("&").filter((one) => one !== "" && !/^ns(=|$)/.test(one));
  const all = namespace === "" ? others : [...others, `ns=${encodeURIComponent(namespace)}`];
  return [[path, ...(all.length > 0 ? [all.join("&")] : [])].join("?"), ...hash].join("#");
}

interface NamespaceChoice {
  /** A namespace, or `*` for all. */
  chosen: string;
  /** What lists ask for: "" means all namespaces that the person may list. */
  forLists: string;
  /** Where new objects go: the chosen one, or with all namespaces the person's first. */
  forNew: string;
  /** Puts a namespace into the address, or with `""` takes out what is there; `replace` where the address before is no place to go back to. */
  choose: (namespace: string, how?: { replace?: boolean }) => void;
}

export function useNamespace(): NamespaceChoice {
  const { data: session } = useSession();
  const search: { ns?: string } = useSearch({ strict: false });
  const history = useRouter().history as RouterHistory;
  const user = session?.user ?? "";
  const memberships = session?.memberships ?? [];
  const chosen = chosenNamespace(search.ns, user === "" ? null : localStorage.getItem(storedAt(user)), memberships);
  useEffect(() => {
    if (user !== "" && search.ns !== undefined && search.ns !== "") localStorage.setItem(storedAt(user), search.ns);
  }, [user, search.ns]);
  const choose = useCallback(
    (namespace: string, { replace = false }: { replace?: boolean } = {}) => {
      // Not by a route: pages that there are not, and what others have in frames, keep their addresses too.
      const href = inNamespace(history.location.href, namespace);
      if (replace) history.replace(href);
      else history.push(href);
    },
    [history],
  );
  return {
    chosen,
    forLists: chosen === ALL ? "" : chosen,
    forNew: chosen === ALL ? chosenNamespace(undefined, null, memberships) : chosen,
    choose,
  };
}

/** Puts the chosen namespace into an address that has none, so that it is the same place in every tab. */
export function useNamespaceInUrl(): void {
  const { chosen, choose } = useNamespace();
  const search: { ns?: string } = useSearch({ strict: false });
  const isMissing = search.ns === undefined || search.ns === "";
  useEffect(() => {
    if (isMissing && chosen !== "") choose(chosen, { replace: true });
  }, [isMissing, chosen, choose]);
}

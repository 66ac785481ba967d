/** Menu entries of others: an administrator's ConfigMap, and plug-ins of installed packages. */
import { useQuery } from "@tanstack/react-query";
import { get } from "./client";

interface Link {
  type?: string;
  link?: string;
  text: string;
  iframe?: boolean;
  items?: Link[];
}

interface Links {
  menuLinks?: Link[];
  externalLinks?: Link[];
}

export interface ForeignEntry {
  text: string;
  /** A page of the dashboard (`/_/…`, in a frame), or an address outside of it. */
  href: string;
  external: boolean;
}

/** Addresses that the dashboard has pages for, or will have. */
const OWN = /^\/(jupyter|tensorboards|volumes|jobs|queues|cluster|objects|katib|kserve-endpoints|pipelines?|activity|manage-users)(\/|#|$)|^\/$/;

/** The entries that are not the dashboard's own, with the namespace put in. Pure. */
export function foreignEntries(links: Links, plugins: { text: string; link: string }[], namespace: string): ForeignEntry[] {
  const place = (link: string) => link.replaceAll("{ns}", encodeURIComponent(namespace));
  const items = (links.menuLinks ?? []).flatMap((one) => one.items ?? [one]);
  const framed = [...items, ...plugins]
    .filter((one) => one.link !== undefined && !OWN.test(one.link))
    .map((one) => ({ text: one.text, href: `/_${place(one.link ?? "")}`, external: false }));
  const external = (links.externalLinks ?? []).map((one) =>
    one.iframe ? { text: one.text, href: `/_${place(one.link ?? "")}`, external: false } : { text: one.text, href: place(one.link ?? ""), external: true },
  );
  return [...framed, ...external];
}

export function useForeignEntries(namespace: string): ForeignEntry[] {
  const links = useQuery({ queryKey: ["menu"], queryFn: () => get<Links>("/api/dashboard-links"), staleTime: 300_000 });
  const plugins = useQuery({ queryKey: ["plugins"], queryFn: () => get<{ menu: { text: string; link: string }[] }>("/api/plugins"), staleTime: 300_000 });
  return foreignEntries(links.data ?? {}, plugins.data?.menu ?? [], namespace);
}

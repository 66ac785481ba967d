/** Links of others: an administrator's ConfigMap, and plug-ins of installed packages. */
import { useQuery } from "@tanstack/react-query";
import { get } from "./client";

interface Link {
  type?: string;
  link?: string;
  text: string;
  desc?: string;
  iframe?: boolean;
  items?: Link[];
}

interface Links {
  menuLinks?: Link[];
  externalLinks?: Link[];
  quickLinks?: Link[];
  documentationItems?: Link[];
}

export interface ForeignEntry {
  text: string;
  /** A page of the dashboard (`/_/…`, in a frame), or an address outside of it. */
  href: string;
  external: boolean;
}

/** A link on the home page. */
export interface HomeLink extends ForeignEntry {
  detail: string;
}

/** Addresses that the dashboard has pages for, or will have. */
const OWN = /^\/(jupyter|tensorboards|volumes|jobs|queues|cluster|objects|katib|kserve-endpoints|pipelines?|activity|manage-users)(\/|#|\?|$)|^\/$/;
const OUTSIDE = /^https?:\/\//;

/** Where a link leads: to an own page, to a frame, or out of the dashboard; undefined for what is no address, such as a script. Pure. */
export function placeOf(link: string | undefined, namespace: string): Omit<ForeignEntry, "text"> | undefined {
  const address = link?.replaceAll("{ns}", encodeURIComponent(namespace)) ?? "";
  if (OUTSIDE.test(address)) return { href: address, external: true };
  if (!address.startsWith("/") || address.startsWith("//")) return undefined;
  return { href: OWN.test(address) || address.startsWith("/_/") ? address : `/_${address}`, external: false };
}

/** The entries that are not the dashboard's own, with the namespace put in. Pure. */
export function foreignEntries(links: Links, plugins: { text: string; link: string }[], namespace: string): ForeignEntry[] {
  const items: Link[] = (links.menuLinks ?? []).flatMap((one) => one.items ?? [one]);
  const framed = [...items, ...plugins].filter((one) => one.link !== undefined && !OWN.test(one.link));
  const outside = (links.externalLinks ?? []).map((one) => {
    const place = placeOf(one.link, namespace);
    // What does not ask for a frame opens beside the dashboard, be it of the same address.
    return one.iframe || place === undefined ? place && { text: one.text, ...place } : { text: one.text, href: place.href.replace(/^\/_\//, "/"), external: true };
  });
  return [...framed.map((one) => withPlace(one, namespace)), ...outside].filter((one) => one !== undefined);
}

function withPlace({ text, link }: Link, namespace: string): ForeignEntry | undefined {
  const place = placeOf(link, namespace);
  return place && { text, ...place };
}

/** Shortcuts or documentation, as the ConfigMap has them. Pure. */
export function homeLinks(links: Link[] | undefined, namespace: string): HomeLink[] {
  return (links ?? []).flatMap((one) => {
    const entry = withPlace(one, namespace);
    return entry === undefined ? [] : [{ ...entry, detail: one.desc ?? "" }];
  });
}

const useLinks = (): Links => useQuery({ queryKey: ["menu"], queryFn: () => get<Links>("/api/dashboard-links"), staleTime: 300_000 }).data ?? {};

export function useForeignEntries(namespace: string): ForeignEntry[] {
  const links = useLinks();
  const plugins = useQuery({ queryKey: ["plugins"], queryFn: () => get<{ menu: { text: string; link: string }[] }>("/api/plugins"), staleTime: 300_000 });
  return foreignEntries(links, plugins.data?.menu ?? [], namespace);
}

export function useHomeLinks(namespace: string): { quick: HomeLink[]; documentation: HomeLink[] } {
  const { quickLinks, documentationItems } = useLinks();
  return { quick: homeLinks(quickLinks, namespace), documentation: homeLinks(documentationItems, namespace) };
}

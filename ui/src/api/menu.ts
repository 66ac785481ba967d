/** Links of others: an administrator's ConfigMap, and plug-ins of installed packages. */
import { useQuery } from "@tanstack/react-query";
import type { App } from "../apps/app";
import { useApps } from "../apps/context";
import type { IconName } from "../parts/Icon";
import { get } from "./client";
import { iconOf } from "./menuIcons";
import { inNamespace } from "./namespace";

interface Link {
  type?: string;
  link?: string;
  text: string;
  desc?: string;
  /** As Kubeflow's dashboard names them: `book`, `device:storage`. */
  icon?: string;
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
  /** Where the set has one like that of the ConfigMap. */
  icon?: IconName;
  /** The title of the section that it is in. */
  section?: ForeignSection;
}

export interface ForeignSection {
  text: string;
  icon?: IconName;
}

/** A link on the home page. */
export interface HomeLink extends ForeignEntry {
  detail: string;
}

/** Paths of the platform, and of pages that it will have. */
const PLATFORM_ADDRESSES = ["cluster", "objects", "katib", "kserve-endpoints", "activity"];

/** A pattern for addresses that the dashboard has pages for, or will have. Pure. */
export const ownAddresses = (apps: readonly Pick<App, "addresses">[]): RegExp =>
  new RegExp(`^/(${[...PLATFORM_ADDRESSES, ...apps.flatMap((app) => app.addresses)].join("|")})(/|#|\\?|$)|^/$`);

const OUTSIDE = /^https?:\/\//;

/** Where a link leads: to an own page, to a frame, or out of the dashboard; undefined for what is no address, such as a script. Pure. */
export function placeOf(link: string | undefined, { forNew, own }: Pick<LinkedFrom, "forNew" | "own">): Pick<ForeignEntry, "href" | "external"> | undefined {
  const address = link?.replaceAll("{ns}", encodeURIComponent(forNew)) ?? "";
  if (OUTSIDE.test(address)) return { href: address, external: true };
  if (!address.startsWith("/") || address.startsWith("//")) return undefined;
  return { href: own.test(address) || address.startsWith("/_/") ? address : `/_${address}`, external: false };
}

/** The namespaces that links lead to. */
interface LinkedNamespaces {
  /** What `{ns}` stands for. */
  forNew: string;
  /** What the pages show: a namespace, or `*` for all. */
  chosen: string;
}

interface LinkedFrom extends LinkedNamespaces {
  /** Addresses of the dashboard's own pages. */
  own: RegExp;
}

/** An entry that keeps the chosen namespace, unless it names one. Pure. */
function kept<Entry extends ForeignEntry>(entry: Entry, { chosen }: LinkedNamespaces): Entry {
  const names = /^[^#]*[?&]ns=/.test(entry.href);
  return entry.external || names || chosen === "" ? entry : { ...entry, href: inNamespace(entry.href, chosen) };
}

/** The entries that are not the dashboard's own, with the namespace put in. Pure. */
export function foreignEntries(links: Links, plugins: { text: string; link: string }[], from: LinkedFrom): ForeignEntry[] {
  const items: (Link & { section?: ForeignSection })[] = (links.menuLinks ?? []).flatMap((one) => one.items?.map((item) => ({ ...item, section: { text: one.text, ...pictured(one) } })) ?? [one]);
  const framed = [...items, ...plugins].filter((one) => one.link !== undefined && !from.own.test(one.link));
  const outside = (links.externalLinks ?? []).map((one) => {
    const place = placeOf(one.link, from);
    // What does not ask for a frame opens beside the dashboard, be it of the same address.
    return one.iframe || place === undefined ? place && { text: one.text, ...place, ...pictured(one) } : { text: one.text, href: place.href.replace(/^\/_\//, "/"), external: true, ...pictured(one) };
  });
  return [...framed.map((one) => withPlace(one, from)), ...outside].filter((one) => one !== undefined).map((one) => kept(one, from));
}

function withPlace(link: Link & { section?: ForeignSection }, from: LinkedFrom): ForeignEntry | undefined {
  const place = placeOf(link.link, from);
  return place && { text: link.text, ...place, ...pictured(link), ...(link.section === undefined ? {} : { section: link.section }) };
}

function pictured({ icon }: Link): { icon?: IconName } {
  const known = iconOf(icon);
  return known === undefined ? {} : { icon: known };
}

/** Entries that belong to no section, then sections with theirs, in the order of the menu. Pure. */
export function bySection(entries: ForeignEntry[]): { alone: ForeignEntry[]; sections: [section: ForeignSection, entries: ForeignEntry[]][] } {
  const sections = new Map<string, [ForeignSection, ForeignEntry[]]>();
  const alone: ForeignEntry[] = [];
  for (const entry of entries) {
    if (entry.section === undefined) {
      alone.push(entry);
      continue;
    }
    const [section, inIt] = sections.get(entry.section.text) ?? [entry.section, []];
    sections.set(section.text, [section, [...inIt, entry]]);
  }
  return { alone, sections: [...sections.values()] };
}

/** Shortcuts or documentation, as the ConfigMap has them. Pure. */
export function homeLinks(links: Link[] | undefined, from: LinkedFrom): HomeLink[] {
  return (links ?? []).flatMap((one) => {
    const entry = withPlace(one, from);
    return entry === undefined ? [] : [{ ...kept(entry, from), detail: one.desc ?? "" }];
  });
}

const useLinks = (): Links => useQuery({ queryKey: ["menu"], queryFn: () => get<Links>("/api/dashboard-links"), staleTime: 300_000 }).data ?? {};

const useOwnAddresses = (): RegExp => ownAddresses(useApps());

export function useForeignEntries(namespaces: LinkedNamespaces): ForeignEntry[] {
  const own = useOwnAddresses();
  const links = useLinks();
  const plugins = useQuery({ queryKey: ["plugins"], queryFn: () => get<{ menu: { text: string; link: string }[] }>("/api/plugins"), staleTime: 300_000 });
  return foreignEntries(links, plugins.data?.menu ?? [], { ...namespaces, own });
}

export function useHomeLinks(namespaces: LinkedNamespaces): { quick: HomeLink[]; documentation: HomeLink[] } {
  const from = { ...namespaces, own: useOwnAddresses() };
  const { quickLinks, documentationItems } = useLinks();
  return { quick: homeLinks(quickLinks, from), documentation: homeLinks(documentationItems, from) };
}

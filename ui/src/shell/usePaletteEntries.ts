import { useCallback } from "react";
import { useResources } from "../api/discovery";
import { useForeignEntries } from "../api/menu";
import { ALL, useNamespace } from "../api/namespace";
import { missingAll, rightTo, useRights } from "../api/rights";
import { seesCluster, useSession } from "../api/session";
import { APPS } from "../apps";
import type { FoundObject } from "../apps/app";
import { useWords } from "../words";
import { actionEntries, foreignPages, kindEntries, namespaceEntries, pageEntries, type Entry, type LacksToCreate } from "./paletteEntries";

const SEARCHES = APPS.flatMap((app) => app.search ?? []);

/** The objects of all apps. `SEARCHES` never changes, so each render calls the same hooks in the same order. */
const useFoundObjects = (): FoundObject[] => SEARCHES.flatMap((search) => search.useObjects?.() ?? []);

/** Everything that the palette finds, in groups, and the objects among it. */
export function usePaletteEntries(): { objects: FoundObject[]; groups: [heading: string, entries: Entry[]][] } {
  const words = useWords();
  const { data: session } = useSession();
  const { chosen, forNew } = useNamespace();
  const objects = useFoundObjects();
  const resources = useResources().data;
  const foreign = useForeignEntries({ chosen, forNew });
  const missing = useRights(forNew);
  const lacks = useCallback<LacksToCreate>((...wanted) => missingAll(wanted.map((resource) => missing(rightTo("create", resource, forNew)))), [missing, forNew]);
  const heads = words.shell.searchGroups;
  const namespaces = [...(session?.memberships ?? []).map((one) => one.namespace), ALL];
  const groups: [string, Entry[]][] = [
    [heads.actions, actionEntries(words, lacks)],
    [heads.pages, [...pageEntries(words, seesCluster(session)), ...foreignPages(words, foreign)]],
    [heads.objects, objects],
    [heads.namespaces, namespaceEntries(words, namespaces, chosen)],
    [heads.kinds, kindEntries(words, resources ?? [])],
  ];
  return { objects, groups: groups.filter(([, entries]) => entries.length > 0) };
}

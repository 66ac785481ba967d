import { useCallback, useMemo } from "react";
import { useResources } from "../api/discovery";
import { useView } from "../api/hooks";
import { useForeignEntries } from "../api/menu";
import { ALL, useNamespace } from "../api/namespace";
import { useRecentPipelines, useRecentRuns } from "../apps/pipelines/api/pipelinesRecent";
import { missingAll, rightTo, useRights } from "../api/rights";
import { seesCluster, useSession } from "../api/session";
import type { JobsView, NotebooksView, QueuesView, TensorboardsView, VolumesView } from "../kinds/generated";
import { useWords } from "../words";
import { actionEntries, foreignPages, kindEntries, namespaceEntries, objectEntries, pageEntries, type Entry, type Known, type LacksToCreate } from "./paletteEntries";

/** Pipelines and runs that are found without their pages. */
const NEWEST = 50;
const NOTHING = {};

function useKnown(): Known {
  const { chosen, forLists } = useNamespace();
  const params = chosen === "" ? undefined : { namespace: forLists };
  const jobs = useView<JobsView>("jobs", params).data;
  const notebooks = useView<NotebooksView>("notebooks", params).data;
  const tensorboards = useView<TensorboardsView>("tensorboards", params).data;
  const volumes = useView<VolumesView>("volumes", params).data;
  const queues = useView<QueuesView>("queues", NOTHING).data;
  const pipelines = useRecentPipelines(NEWEST).data;
  const runs = useRecentRuns(NEWEST).data;
  return useMemo(() => ({ jobs, notebooks, tensorboards, volumes, queues, pipelines, runs }), [jobs, notebooks, tensorboards, volumes, queues, pipelines, runs]);
}

/** Everything that the palette finds, in groups, and the objects that have actions. */
export function usePaletteEntries(): { known: Known; groups: [heading: string, entries: Entry[]][] } {
  const words = useWords();
  const { data: session } = useSession();
  const { chosen, forNew } = useNamespace();
  const known = useKnown();
  const resources = useResources().data;
  const foreign = useForeignEntries({ chosen, forNew });
  const missing = useRights(forNew);
  const lacks = useCallback<LacksToCreate>((...wanted) => missingAll(wanted.map((resource) => missing(rightTo("create", resource, forNew)))), [missing, forNew]);
  const heads = words.shell.searchGroups;
  const namespaces = [...(session?.memberships ?? []).map((one) => one.namespace), ALL];
  const groups: [string, Entry[]][] = [
    [heads.actions, actionEntries(words, lacks)],
    [heads.pages, [...pageEntries(words, seesCluster(session)), ...foreignPages(words, foreign)]],
    [heads.objects, objectEntries(words, known)],
    [heads.namespaces, namespaceEntries(words, namespaces, chosen)],
    [heads.kinds, kindEntries(words, resources ?? [])],
  ];
  return { known, groups: groups.filter(([, entries]) => entries.length > 0) };
}

import { useParams } from "@tanstack/react-router";
import { useDeferredValue, useMemo } from "react";
import { KEYS, useExperiment, useLive, useRefresh, useRun, useVersionsOf } from "../../api/pipelines";
import { PATHS, RUN_ID_LABEL, WORKFLOWS } from "../../kinds/pipelines";
import { ButtonLink } from "../../../../parts/button/ButtonLink";
import { EmptyState } from "../../../../parts/feedback/EmptyState";
import { Loaded } from "../../../../parts/feedback/Loaded";
import { Page } from "../../../../parts/page/Page";
import { useWords } from "../../../../words";
import { RunPage } from "./RunPage";

const REFRESH_MS = 250;
const LARGE_REFRESH_MS = 1000;
/** A run of more tasks is megabytes: read four times a second, it would keep server and browser busy. */
const LARGE_RUN = 200;

/** A run: is it running, if not why, which of its tasks, and what they put out. */
export function RunDetails() {
  const words = useWords().pipelines;
  const { id = "" }: { id?: string } = useParams({ strict: false });
  const query = useRun(id);
  // Deferred: a large run is drawn between the frames of whatever moves on the page.
  const run = useDeferredValue(query.data);
  const live = useLive(query, run);
  const { data: experiment, isLoading: isReadingExperiment } = useExperiment(run?.experiment_id ?? "");
  const namespace = experiment?.namespace ?? "";
  // Every run is a Workflow object; whatever changes in the run changes it.
  useRefresh(namespace === "" ? undefined : WORKFLOWS, { namespace, labelSelector: `${RUN_ID_LABEL}=${id}` }, KEYS.run(id), (run?.tasks?.length ?? 0) > LARGE_RUN ? LARGE_REFRESH_MS : REFRESH_MS);
  const reference = run?.pipeline_version_reference;
  const versionId = reference?.pipeline_version_id ?? "";
  const versions = useVersionsOf(run === undefined || isReadingExperiment ? [] : [run], namespace === "" ? undefined : [namespace]);
  const version = versions.byId.get(versionId);
  const spec = useMemo(() => run?.pipeline_spec ?? version?.pipeline_spec, [run?.pipeline_spec, version]);
  const isSpecKnown = reference === undefined || version !== undefined || versions.gone.has(versionId);
  if (live.data !== undefined) return <Loaded live={live}>{(known) => <RunPage run={known} spec={spec} isSpecKnown={isSpecKnown} namespace={namespace} version={version} />}</Loaded>;
  return (
    <Page title={words.sections.runs} parent={{ to: PATHS.runs, label: words.runs.title }}>
      {live.problem?.status === 404 ? (
        <EmptyState icon="pipeline" sentence={words.runs.gone} action={<ButtonLink to={PATHS.runs}>{words.runs.title}</ButtonLink>} />
      ) : (
        <Loaded live={live}>{() => null}</Loaded>
      )}
    </Page>
  );
}

import { useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { useNamespace } from "../../../../api/namespace";
import { useExperiment, useExperiments, usePipelines, useRecurringRun, useRun, useVersion, useVersions, useVersionsOf } from "../../api/pipelines";
import { messageOf } from "../../../../api/errors";
import { PATHS, nameOf, type Run } from "../../kinds/pipelines";
import type { RunSource } from "../../kinds/pipelinesForm";
import { readSpec } from "../../kinds/graph/pipelinesSpec";
import { EmptyState } from "../../../../parts/feedback/EmptyState";
import { Failure } from "../../../../parts/feedback/Loaded";
import { Skeleton } from "../../../../parts/feedback/Skeleton";
import { Page } from "../../../../parts/page/Page";
import { useWords } from "../../../../words";
import { UploadButton } from "../catalogue/PipelineList";
import { RunFormView } from "./RunForm";
import type { RunOffers } from "./useRunForm";

interface NewRunSearch {
  pipeline?: string;
  version?: string;
  experiment?: string;
  /** A run to clone. */
  from?: string;
  /** `yes` for a schedule, or the id of one to clone. */
  recurring?: string;
}

/** A new run or schedule, from a version or as a copy. What it starts from is in the URL. */
export function NewRun() {
  const words = useWords().pipelines;
  const search: NewRunSearch = useSearch({ strict: false });
  const navigate = useNavigate();
  const { forNew } = useNamespace();
  const pipelines = usePipelines();
  const experiments = useExperiments().data;
  const copied = useRun(search.from ?? "");
  const schedule = useRecurringRun(search.recurring === undefined || search.recurring === "yes" ? "" : search.recurring);
  const original: Pick<Run, "pipeline_version_reference" | "pipeline_spec" | "runtime_config" | "display_name" | "experiment_id" | "service_account" | "description" | "plugins_input"> | undefined = copied.data ?? schedule.data;
  const isCopy = search.from !== undefined || schedule.data !== undefined;
  // Without a choice, the newest pipeline; a copy has its own, or none.
  const proposed = isCopy || search.from !== undefined ? "" : (pipelines.data?.[0]?.pipeline_id ?? "");
  const { reference, isSettled } = useCopiedReference(search.pipeline === undefined ? original : undefined);
  const pipeline = search.pipeline ?? reference?.pipeline_id ?? proposed;
  const versions = useVersions(pipeline).data;
  const version = search.version ?? reference?.pipeline_version_id ?? versions?.[0]?.pipeline_version_id ?? "";
  const reading = useVersion(pipeline, version);
  const read = reading.data;
  const inline = pipeline === "" ? original?.pipeline_spec : undefined;
  const specSource = inline ?? read?.pipeline_spec;
  const spec = useMemo(() => readSpec(specSource), [specSource]);
  const source: RunSource | undefined = useMemo(
    () => (inline !== undefined ? { pipeline_spec: inline } : version === "" ? undefined : { pipeline_id: pipeline, pipeline_version_id: version }),
    [inline, pipeline, version],
  );
  const offers: RunOffers = { pipelines: pipelines.data ?? [], versions: versions ?? [], experiments: experiments ?? [], pipeline, version, isInline: inline !== undefined };
  const set = (change: NewRunSearch) => void navigate({ to: ".", search: (before: Record<string, unknown>) => ({ ...before, ...change }), replace: true });
  const failure = copied.error ?? schedule.error;
  // The form begins again when its parameters are known, so it is not shown before.
  const isReading = inline === undefined && version !== "" && reading.isPending;
  const isLoading = isReading || !isSettled || (search.from !== undefined && copied.isPending) || schedule.isLoading || (pipelines.data === undefined && pipelines.phase === "loading");
  return (
    <Page title={original === undefined || !isCopy ? words.newRun.title : words.newRun.cloneTitle(nameOf(original))} sentence={words.newRun.sentence} parent={{ to: PATHS.runs, label: words.runs.title }}>
      {failure ? (
        <Failure message={messageOf(failure)} />
      ) : isLoading ? (
        <Skeleton lines={8} />
      ) : pipelines.data?.length === 0 && inline === undefined ? (
        <EmptyState icon="pipeline" sentence={words.newRun.noPipelines} action={<UploadButton />} />
      ) : (
        <RunFormView
          // Another version has other parameters: the form begins again.
          key={`${pipeline}/${version}/${spec === undefined ? "" : "read"}/${isCopy && original === undefined ? "" : "known"}`}
          namespace={forNew}
          offers={offers}
          spec={spec}
          source={source}
          original={isCopy ? original : undefined}
          experiment={search.experiment ?? (isCopy ? original?.experiment_id : undefined)}
          schedule={schedule.data}
          isRecurring={search.recurring !== undefined}
          onPipeline={(id) => set({ pipeline: id, version: undefined })}
          onVersion={(id) => set({ pipeline, version: id })}
        />
      )}
    </Page>
  );
}

/** The version that a copy starts from, once it is known to be there; none where it was deleted: another has to be chosen. */
function useCopiedReference(original: Pick<Run, "pipeline_version_reference" | "experiment_id"> | undefined): { reference: Run["pipeline_version_reference"]; isSettled: boolean } {
  const reference = original?.pipeline_version_reference;
  const id = reference?.pipeline_version_id ?? "";
  const { data: experiment, isLoading } = useExperiment(id === "" ? "" : (original?.experiment_id ?? ""));
  const { byId, gone } = useVersionsOf(original === undefined || isLoading ? [] : [original], experiment?.namespace === undefined ? undefined : [experiment.namespace]);
  if (id === "") return { reference, isSettled: true };
  return byId.has(id) ? { reference, isSettled: true } : { reference: undefined, isSettled: gone.has(id) };
}

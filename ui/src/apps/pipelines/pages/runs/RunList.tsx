import { useNavigate } from "@tanstack/react-router";
import { useMemo } from "react";
import { KEYS, runsOfNamespaces, useExperiments, useNamespaces, useRefresh } from "../../api/pipelines";
import type { RunsLeft } from "../../api/pipelinesHistory";
import type { Live } from "../../../../api/hooks";
import { useMissingToCreate } from "../../../../api/rights";
import { MAX_COMPARED, PATHS, RIGHTS, WORKFLOWS, type Experiment, type Run } from "../../kinds/pipelines";
import { Button } from "../../../../parts/button/Button";
import { ButtonLink } from "../../../../parts/button/ButtonLink";
import { EmptyState } from "../../../../parts/feedback/EmptyState";
import { Loaded } from "../../../../parts/feedback/Loaded";
import { Page } from "../../../../parts/page/Page";
import { useChosen } from "../../../../parts/table/useChosen";
import { useWords } from "../../../../words";
import { ArchiveSwitch, useStorageState } from "../ArchiveSwitch";
import { MoreRuns } from "./MoreRuns";
import { RunTable } from "./RunTable";
import { Sections } from "../Sections";
import { useShownHistory } from "./useShownHistory";

/** Runs of all pipelines of the namespace. */
export function RunList() {
  const state = useStorageState();
  const namespaces = useNamespaces();
  useRefresh(namespaces.length === 0 ? undefined : WORKFLOWS, { namespace: namespaces.length === 1 ? (namespaces[0] ?? "") : "" }, KEYS.runs);
  const { live, left } = useShownHistory(runsOfNamespaces(namespaces, state), state);
  return <RunListView live={live} left={left} experiments={useExperimentsById()} isArchive={state === "ARCHIVED"} />;
}

/** Experiments by id; those that are archived too, as their runs are listed. */
export function useExperimentsById(): Map<string, Experiment> {
  const available = useExperiments("AVAILABLE").data;
  const archived = useExperiments("ARCHIVED").data;
  return useMemo(() => new Map([...(available ?? []), ...(archived ?? [])].map((one) => [one.experiment_id, one])), [available, archived]);
}

interface RunListViewProps {
  live: Live<Run[]>;
  /** What is said of runs that are not listed. */
  left?: RunsLeft | undefined;
  experiments: ReadonlyMap<string, Experiment>;
  isArchive: boolean;
}

export function RunListView({ live, left, experiments, isArchive }: RunListViewProps) {
  const words = useWords().pipelines.runs;
  const { chosen, choose } = useChosen();
  return (
    <Page
      title={words.title}
      full
      actions={
        <>
          <ArchiveSwitch />
          <CompareButton chosen={chosen} />
          <NewRunButton />
        </>
      }
    >
      <Sections current="runs" />
      <Loaded live={live}>
        {(runs) =>
          runs.length > 0 ? (
            <>
              <RunTable rows={runs} experiments={experiments} chosen={chosen} onChoose={choose} />
              <MoreRuns left={left} />
            </>
          ) : isArchive ? (
            <EmptyState icon="archive" sentence={words.emptyArchive} />
          ) : (
            <EmptyState icon="pipeline" sentence={words.empty} action={<NewRunButton />} command="kfp run create --experiment-name Default --package-file pipeline.yaml" />
          )
        }
      </Loaded>
    </Page>
  );
}

export function CompareButton({ chosen }: { chosen: ReadonlySet<string> }) {
  const words = useWords().pipelines.runs;
  const navigate = useNavigate();
  const count = chosen.size;
  return (
    <Button
      icon="compare"
      label={count < 2 ? words.compare : words.compareCount(count)}
      disabledReason={count < 2 ? words.compareHint(MAX_COMPARED) : undefined}
      onPress={() => void navigate({ to: PATHS.compare, search: { runs: [...chosen].join() } })}
    />
  );
}

export function NewRunButton({ search }: { search?: Record<string, string> }) {
  return (
    <ButtonLink to={PATHS.newRun} search={(search ?? {})} look="primary" icon="plus" missing={useMissingToCreate(RIGHTS.runs)}>
      {useWords().pipelines.runs.new}
    </ButtonLink>
  );
}

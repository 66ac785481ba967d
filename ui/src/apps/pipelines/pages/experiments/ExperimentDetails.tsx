import { useNavigate, useParams } from "@tanstack/react-router";
import { useMemo } from "react";
import { KEYS, runsOfExperiment, useExperiment, useLive, useRefresh } from "../../api/pipelines";
import type { RunsLeft } from "../../api/pipelinesHistory";
import type { Live } from "../../../../api/hooks";
import { PATHS, WORKFLOWS, nameOf, type Experiment, type Run } from "../../kinds/pipelines";
import { ButtonLink } from "../../../../parts/button/ButtonLink";
import { EmptyState } from "../../../../parts/feedback/EmptyState";
import { Loaded } from "../../../../parts/feedback/Loaded";
import { ActionMenu } from "../../../../parts/overlay/ActionMenu";
import { Page, Stack } from "../../../../parts/page/Page";
import { Pill } from "../../../../parts/pill/Pill";
import { useChosen } from "../../../../parts/table/useChosen";
import { useWords } from "../../../../words";
import { ArchiveSwitch, useStorageState } from "../ArchiveSwitch";
import { MoreRuns } from "../runs/MoreRuns";
import { RunGridCard } from "../runs/PastRuns";
import { CompareButton, NewRunButton } from "../runs/RunList";
import { RunTable } from "../runs/RunTable";
import { useExperimentActions } from "./useExperimentActions";
import { useShownHistory } from "../runs/useShownHistory";

/** An experiment: its runs as a grid and as a list. */
export function ExperimentDetails() {
  const words = useWords().pipelines;
  const { id = "" }: { id?: string } = useParams({ strict: false });
  const state = useStorageState();
  const query = useExperiment(id);
  const live = useLive(query, query.data);
  const namespace = query.data?.namespace ?? "";
  useRefresh(namespace === "" ? undefined : WORKFLOWS, { namespace }, KEYS.runs);
  const { live: runs, left } = useShownHistory(runsOfExperiment(id, state), state);
  if (live.data !== undefined) return <Loaded live={live}>{(experiment) => <ExperimentPage experiment={experiment} runs={runs} left={left} />}</Loaded>;
  return (
    <Page title={words.experiment} parent={{ to: PATHS.experiments, label: words.experiments.title }}>
      {live.problem?.status === 404 ? (
        <EmptyState icon="experiment" sentence={words.experiments.gone} action={<ButtonLink to={PATHS.experiments}>{words.experiments.title}</ButtonLink>} />
      ) : (
        <Loaded live={live}>{() => null}</Loaded>
      )}
    </Page>
  );
}

export function ExperimentPage({ experiment, runs, left }: { experiment: Experiment; runs: Live<Run[]>; left?: RunsLeft | undefined }) {
  const words = useWords().pipelines;
  const navigate = useNavigate();
  const { chosen, choose } = useChosen();
  const actions = useExperimentActions(experiment, () => void navigate({ to: PATHS.experiments }));
  const known = useMemo(() => new Map([[experiment.experiment_id, experiment]]), [experiment]);
  const newRun = { experiment: experiment.experiment_id };
  return (
    <Page
      title={nameOf(experiment)}
      isName
      badge={experiment.storage_state === "ARCHIVED" ? <Pill state="stopped" label={words.archived} /> : undefined}
      sentence={experiment.description ?? ""}
      parent={{ to: PATHS.experiments, label: words.experiments.title }}
      full
      actions={
        <>
          <ArchiveSwitch />
          <CompareButton chosen={chosen} />
          <NewRunButton search={newRun} />
          <ActionMenu actions={actions} />
        </>
      }
    >
      <Loaded live={runs}>
        {(rows) =>
          rows.length === 0 ? (
            <EmptyState icon="pipeline" sentence={words.experiments.noRuns} action={<NewRunButton search={newRun} />} />
          ) : (
            <Stack>
              <RunGridCard runs={rows} />
              <div>
                <RunTable rows={rows} experiments={known} chosen={chosen} onChoose={choose} hideExperiment />
                <MoreRuns left={left} />
              </div>
            </Stack>
          )
        }
      </Loaded>
    </Page>
  );
}

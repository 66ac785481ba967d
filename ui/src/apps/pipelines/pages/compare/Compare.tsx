import { useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { messageOf } from "../../../../api/errors";
import { useCompleted, useFullRuns } from "../../api/pipelines";
import { usePercentages } from "../../api/pipelinesMetrics";
import { MAX_COMPARED, PATHS, type Experiment, type Run } from "../../kinds/pipelines";
import { artifactsOf, compareRuns, type RunArtifact } from "../../kinds/pipelinesCompare";
import { ButtonLink } from "../../../../parts/button/ButtonLink";
import { EmptyState } from "../../../../parts/feedback/EmptyState";
import { Failure } from "../../../../parts/feedback/Loaded";
import { Skeleton } from "../../../../parts/feedback/Skeleton";
import { Page } from "../../../../parts/page/Page";
import { useWords } from "../../../../words";
import { ComparisonView } from "./Comparison";
import { useExperimentsById } from "../runs/RunList";

/** Up to ten runs (`?runs=a,b`) beside each other. */
export function Compare() {
  const { compare: words, runs: list } = useWords().pipelines;
  const search: { runs?: string } = useSearch({ strict: false });
  const ids = useMemo(() => [...new Set((search.runs ?? "").split(",").filter(Boolean))].slice(0, MAX_COMPARED), [search.runs]);
  const results = useFullRuns(ids);
  const failure = results.find((result) => result.error !== null);
  const runs = results.flatMap(({ data }) => (data === undefined ? [] : [data]));
  const experiments = useExperimentsById();
  return (
    <Page title={words.title} sentence={ids.length < 2 ? undefined : words.sentence(ids.length)} parent={{ to: PATHS.runs, label: list.title }} full>
      {failure && <Failure message={messageOf(failure.error)} onRetry={() => void failure.refetch()} />}
      {ids.length < 2 ? (
        <EmptyState icon="compare" sentence={words.tooFew} action={<ButtonLink to={PATHS.runs}>{list.title}</ButtonLink>} />
      ) : runs.length < ids.length && !failure ? (
        <Skeleton lines={8} />
      ) : (
        <Compared runs={runs} experiments={experiments} />
      )}
    </Page>
  );
}

/** Reads what is missing of the artifacts, then compares. */
function Compared({ runs, experiments }: { runs: Run[]; experiments: ReadonlyMap<string, Experiment> }) {
  const key = runs.map((run) => `${run.run_id}/${run.state ?? ""}/${run.tasks?.length ?? 0}`).join();
  // The same runs in the same state have the same artifacts; the array itself is a new one each time.
  // eslint-disable-next-line react-hooks/exhaustive-deps
  const found = useMemo(() => runs.flatMap(artifactsOf), [key]);
  const bare = useMemo(() => found.map((one) => one.artifact), [found]);
  const completed = useCompleted(bare);
  const artifacts: RunArtifact[] = useMemo(() => found.map((one) => ({ ...one, artifact: completed.get(one.artifact.artifact_id) ?? one.artifact })), [found, completed]);
  const percentages = usePercentages(runs, runs.flatMap((run) => Object.keys(run.metrics ?? {})));
  const comparison = useMemo(() => compareRuns(runs, artifacts, percentages), [runs, artifacts, percentages]);
  return <ComparisonView runs={runs} comparison={comparison} experiments={experiments} />;
}

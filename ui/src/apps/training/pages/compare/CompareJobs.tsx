import { useNavigate, useSearch } from "@tanstack/react-router";
import { useCallback, useMemo } from "react";
import { messageOf } from "../../../../api/errors";
import { useView } from "../../../../api/hooks";
import { useCurvesOf } from "../../api/jobs";
import type { JobsView } from "../../../../kinds/generated";
import { comparedJobs, jobId } from "../../kinds/jobsCompare";
import { ButtonLink } from "../../../../parts/button/ButtonLink";
import { EmptyState } from "../../../../parts/feedback/EmptyState";
import { Failure } from "../../../../parts/feedback/Loaded";
import { Skeleton } from "../../../../parts/feedback/Skeleton";
import { Page, Stack } from "../../../../parts/page/Page";
import { useWords } from "../../../../words";
import { JobComparison } from "./JobComparison";

/** The learning curves of several jobs (`?jobs=Kind/namespace/name,…`) over each other. */
export function CompareJobs() {
  const { jobs: words } = useWords();
  const search: { jobs?: string } = useSearch({ strict: false });
  const keys = useMemo(() => comparedJobs(search.jobs), [search.jobs]);
  const namespaces = new Set(keys.map((key) => key.namespace));
  const live = useView<JobsView>("jobs", keys.length < 2 ? undefined : { namespace: namespaces.size === 1 ? (keys[0]?.namespace ?? "") : "" });
  const rows = useMemo(() => new Map((live.data?.rows ?? []).map((row) => [jobId(row), row])), [live.data]);
  const { views, errors, retries, isPending } = useCurvesOf(keys, (key) => rows.get(jobId(key)));
  const jobs = useMemo(() => keys.map((key, place) => ({ ...key, series: views[place]?.series ?? [], row: rows.get(jobId(key)) })), [keys, rows, views]);
  const leaveOut = useLeaveOut();
  return (
    <Page title={words.compare.title} sentence={keys.length < 2 ? undefined : words.compare.sentence(keys.length)} parent={{ to: "/jobs/", label: words.title }}>
      {keys.length < 2 ? (
        <EmptyState icon="compare" sentence={words.compare.tooFew} action={<ButtonLink to="/jobs/">{words.title}</ButtonLink>} />
      ) : (
        <Stack>
          {keys.map((key, place) => {
            const error = errors[place];
            return error && <Failure key={jobId(key)} message={`${key.name}: ${messageOf(error)}`} onRetry={() => void retries[place]?.()} />;
          })}
          {isPending ? <Skeleton lines={8} /> : <JobComparison jobs={jobs} onLeaveOut={leaveOut} />}
        </Stack>
      )}
    </Page>
  );
}

/** Takes a job out of the comparison; which jobs these are is in the URL. */
function useLeaveOut(): (id: string) => void {
  const navigate = useNavigate();
  return useCallback(
    (id: string) =>
      void navigate({
        to: ".",
        search: (before: Record<string, string>) => ({ ...before, jobs: (before["jobs"] ?? "").split(",").filter((one) => one !== id).join() }),
        replace: true,
      }),
    [navigate],
  );
}

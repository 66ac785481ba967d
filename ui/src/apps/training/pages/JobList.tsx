import { useNavigate } from "@tanstack/react-router";
import { useView, type Live } from "../../../api/hooks";
import { useNamespace } from "../../../api/namespace";
import { useMissingToCreate } from "../../../api/rights";
import type { JobsView } from "../../../kinds/generated";
import { NEW_JOBS } from "../kinds/jobs";
import { MAX_COMPARED_JOBS } from "../kinds/jobsCompare";
import { Button } from "../../../parts/button/Button";
import { ButtonLink } from "../../../parts/button/ButtonLink";
import { EmptyState } from "../../../parts/feedback/EmptyState";
import { Loaded } from "../../../parts/feedback/Loaded";
import { Page } from "../../../parts/page/Page";
import { useChosen } from "../../../parts/table/useChosen";
import { useWords } from "../../../words";
import { JobTable } from "./JobTable";

/** Training jobs of all kinds in one list. */
export function JobList() {
  const { forLists, chosen } = useNamespace();
  const live = useView<JobsView>("jobs", chosen === "" ? undefined : { namespace: forLists });
  return <JobListPage live={live} hasNamespace={forLists === ""} />;
}

export function JobListPage({ live, hasNamespace }: { live: Live<JobsView>; hasNamespace: boolean }) {
  const words = useWords().jobs;
  const { chosen: compared, choose } = useChosen();
  return (
    <Page
      title={words.title}
      full
      actions={
        <>
          <CompareJobsButton chosen={compared} />
          <NewJobButton />
        </>
      }
    >
      <Loaded live={live}>
        {(view) =>
          view.rows.length === 0 ? (
            <EmptyState icon="jobs" sentence={words.empty} action={<NewJobButton />} command="windlass run --workers 2 train.py" />
          ) : (
            <JobTable rows={view.rows} hasNamespace={hasNamespace} chosen={{ ids: compared, onChoose: choose }} />
          )
        }
      </Loaded>
    </Page>
  );
}

/** Opens the comparison of the chosen jobs; says how many are needed before. */
function CompareJobsButton({ chosen }: { chosen: ReadonlySet<string> }) {
  const words = useWords().jobs.compare;
  const navigate = useNavigate();
  const isEnough = chosen.size >= 2;
  return (
    <Button
      icon="compare"
      label={isEnough ? words.buttonCount(chosen.size) : words.button}
      disabledReason={isEnough ? undefined : words.hint(MAX_COMPARED_JOBS)}
      onPress={() => void navigate({ to: "/jobs/compare", search: { jobs: [...chosen].join() } })}
    />
  );
}

export function NewJobButton() {
  return (
    <ButtonLink to="/jobs/new" look="primary" icon="plus" missing={useMissingToCreate(...NEW_JOBS)}>
      {useWords().jobs.new}
    </ButtonLink>
  );
}

import { useView } from "../../api/hooks";
import { useNamespace } from "../../api/namespace";
import { useMissingToCreate } from "../../api/rights";
import type { JobsView } from "../../kinds/generated";
import { NEW_JOBS } from "../../kinds/jobs";
import { ButtonLink } from "../../parts/button/ButtonLink";
import { EmptyState } from "../../parts/feedback/EmptyState";
import { Loaded } from "../../parts/feedback/Loaded";
import { Page } from "../../parts/page/Page";
import { useWords } from "../../words";
import { JobTable } from "./JobTable";

/** Training jobs of all kinds in one list. */
export function JobList() {
  const words = useWords().jobs;
  const { forLists, chosen } = useNamespace();
  const live = useView<JobsView>("jobs", chosen === "" ? undefined : { namespace: forLists });
  return (
    <Page title={words.title} full actions={<NewJobButton />}>
      <Loaded live={live}>
        {(view) =>
          view.rows.length === 0 ? (
            <EmptyState icon="jobs" sentence={words.empty} action={<NewJobButton />} command="windlass run --workers 2 train.py" />
          ) : (
            <JobTable rows={view.rows} hasNamespace={forLists === ""} />
          )
        }
      </Loaded>
    </Page>
  );
}

export function NewJobButton() {
  return (
    <ButtonLink to="/jobs/new" look="primary" icon="plus" missing={useMissingToCreate(...NEW_JOBS)}>
      {useWords().jobs.new}
    </ButtonLink>
  );
}

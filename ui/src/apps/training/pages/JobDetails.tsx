import { useParams } from "@tanstack/react-router";
import { useView } from "../../../api/hooks";
import type { JobView } from "../../../kinds/generated";
import { ButtonLink } from "../../../parts/button/ButtonLink";
import { EmptyState } from "../../../parts/feedback/EmptyState";
import { Loaded } from "../../../parts/feedback/Loaded";
import { Page } from "../../../parts/page/Page";
import { useWords } from "../../../words";
import { JobPage } from "./JobPage";

/** A training job: is it running, if not why, how well does it learn, what did it say. */
export function JobDetails() {
  const words = useWords();
  const key: { kind?: string; namespace?: string; name?: string } = useParams({ strict: false });
  const params = { kind: key.kind ?? "", namespace: key.namespace ?? "", name: key.name ?? "" };
  const live = useView<JobView>("job", params);
  if (live.data !== undefined) return <Loaded live={live}>{(view) => <JobPage view={view} />}</Loaded>;
  return (
    <Page title={params.name} parent={{ to: "/jobs/", label: words.jobs.title }}>
      {live.problem?.status === 404 ? (
        <EmptyState icon="jobs" sentence={words.jobs.gone} action={<ButtonLink to="/jobs/">{words.jobs.title}</ButtonLink>} />
      ) : (
        <Loaded live={live}>{() => null}</Loaded>
      )}
    </Page>
  );
}

import { Suspense, lazy } from "react";
import { retrying } from "../../api/chunks";
import { useNamespace } from "../../api/namespace";
import { useMissingToCreate } from "../../api/rights";
import { useSession, type Session } from "../../api/session";
import { useView } from "../../api/hooks";
import type { HomeView } from "../../kinds/generated";
import { NEW_JOBS } from "../../apps/training/kinds/jobs";
import { NOTEBOOKS } from "../../apps/notebooks/kinds/notebooks";
import { ButtonLink } from "../../parts/button/ButtonLink";
import { EmptyState } from "../../parts/feedback/EmptyState";
import { Loaded } from "../../parts/feedback/Loaded";
import { Columns, Page, Stack } from "../../parts/page/Page";
import { useWords } from "../../words";
import { AskForNamespace } from "../../apps/profiles/pages/register/AskForNamespace";
import { Attention } from "./Attention";
import { Capacity } from "./Capacity";
import { HomeLinks } from "./HomeLinks";
import { RecentFiles, RecentJobs } from "./Recent";
import { RecentPipelines, RecentRuns } from "./RecentRuns";
import { RunningNow } from "./RunningNow";

const Usage = lazy(retrying(() => import("./Usage").then((module) => ({ default: module.Usage }))));

/** What runs, what needs attention, what is free, and recent work. */
export function Home() {
  const words = useWords().home;
  const { data: session } = useSession();
  const { chosen, forLists } = useNamespace();
  const home = useView<HomeView>("home", chosen === "" ? undefined : { namespace: forLists });
  const missingJob = useMissingToCreate(...NEW_JOBS);
  const missingNotebook = useMissingToCreate(NOTEBOOKS);
  if (session !== undefined && session.memberships.length === 0 && !session.isClusterAdmin) return <NoNamespace session={session} />;
  const name = session?.user.split("@")[0] ?? "";
  const attention = home.data?.attention.length;
  return (
    <Page
      title={session === undefined ? words.title : words.greeting(name)}
      sentence={attention === undefined ? undefined : attention === 0 ? words.allWell : words.attentionCount(attention)}
      actions={
        <>
          <ButtonLink to="/jobs/new" icon="plus" missing={missingJob}>
            {words.newJob}
          </ButtonLink>
          <ButtonLink to="/jupyter/new" look="primary" icon="plus" missing={missingNotebook}>
            {words.newNotebook}
          </ButtonLink>
        </>
      }
    >
      <Loaded live={home}>{(data) => <HomeContent home={data} />}</Loaded>
    </Page>
  );
}

export function HomeContent({ home }: { home: HomeView }) {
  return (
    <Columns>
      <Stack>
        {home.attention.length > 0 && <Attention items={home.attention} />}
        <RunningNow home={home} />
        <RecentJobs jobs={home.recentJobs} />
        <RecentRuns />
      </Stack>
      <Stack>
        <Capacity capacity={home.capacity} quotas={home.quotas} />
        <Suspense>
          <Usage />
        </Suspense>
        <RecentFiles files={home.recentFiles} />
        <RecentPipelines />
        <HomeLinks />
      </Stack>
    </Columns>
  );
}

function NoNamespace({ session }: { session: Session }) {
  const words = useWords().home;
  const register = (
    <ButtonLink to="/register" look="primary">
      {words.makeNamespace}
    </ButtonLink>
  );
  return (
    <Page title={words.noNamespaceTitle}>
      {session.registrationAllowed ? <EmptyState icon="people" sentence={words.noNamespaceTitle} action={register} /> : <AskForNamespace user={session.user} />}
    </Page>
  );
}

import { Suspense, lazy } from "react";
import { retrying } from "../../api/chunks";
import { useNamespacedView } from "../../api/namespacedView";
import { useMissingToCreate } from "../../api/rights";
import { useSession } from "../../api/session";
import type { AppHome } from "../../apps/app";
import { HOME_PARTS } from "../../apps/home";
import type { HomeView } from "../../kinds/generated";
import { ButtonLink } from "../../parts/button/ButtonLink";
import { Loaded } from "../../parts/feedback/Loaded";
import { Columns, Page, Stack } from "../../parts/page/Page";
import { useWords } from "../../words";
import { Attention } from "./Attention";
import { Capacity } from "./Capacity";
import { HomeLinks } from "./HomeLinks";
import { RunningNow } from "./RunningNow";

const Usage = lazy(retrying(() => import("./Usage").then((module) => ({ default: module.Usage }))));

const WithoutNamespace = HOME_PARTS.find((part) => part.WithoutNamespace !== undefined)?.WithoutNamespace;

/** What runs, what needs attention, what is free, and recent work. */
export function Home() {
  const words = useWords().home;
  const { data: session } = useSession();
  const home = useNamespacedView<HomeView>("home");
  if (session !== undefined && session.memberships.length === 0 && !session.isClusterAdmin) return WithoutNamespace && <WithoutNamespace session={session} />;
  const name = session?.user.split("@")[0] ?? "";
  const attention = home.data?.attention.length;
  return (
    <Page
      title={session === undefined ? words.title : words.greeting(name)}
      sentence={attention === undefined ? undefined : attention === 0 ? words.allWell : words.attentionCount(attention)}
      actions={HOME_PARTS.map((part) => part.creation && <CreationLink key={part.creation.id} {...part} creation={part.creation} />)}
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
        {cardsOf("wide", home)}
      </Stack>
      <Stack>
        <Capacity capacity={home.capacity} quotas={home.quotas} />
        <Suspense>
          <Usage />
        </Suspense>
        {cardsOf("narrow", home)}
        <HomeLinks />
      </Stack>
    </Columns>
  );
}

const cardsOf = (column: "wide" | "narrow", home: HomeView) => HOME_PARTS.flatMap((part) => part[column] ?? []).map((AppCard, index) => <AppCard key={index} home={home} />);

function CreationLink({ creation: { to, icon, label, resources }, isPrimary = false }: Pick<AppHome, "isPrimary"> & Required<Pick<AppHome, "creation">>) {
  const words = useWords();
  const missing = useMissingToCreate(...resources);
  return (
    <ButtonLink to={to} look={isPrimary ? "primary" : "secondary"} icon={icon} missing={missing}>
      {label(words)}
    </ButtonLink>
  );
}

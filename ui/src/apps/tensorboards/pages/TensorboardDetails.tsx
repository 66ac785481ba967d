import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useObject, useObjects, useView } from "../../../api/hooks";
import type { Pod, Tensorboard, TensorboardRow, TensorboardsView } from "../../../kinds/generated";
import { PODS } from "../../../kinds/pods";
import { TENSORBOARDS, boardState, hasNoEvents } from "../kinds/tensorboards";
import { volumePath } from "../../volumes/kinds/volumes";
import { Card, Facts } from "../../../parts/card/Card";
import { EmptyState } from "../../../parts/feedback/EmptyState";
import { Loaded } from "../../../parts/feedback/Loaded";
import { WhyCard } from "../../../parts/feedback/WhyCard";
import { Columns, Page, Stack } from "../../../parts/page/Page";
import { PageTabs } from "../../../parts/page/PageTabs";
import { Time } from "../../../parts/text/Time";
import { useWords } from "../../../words";
import { ObjectEvents } from "../../../pages/details/ObjectEvents";
import { ObjectYaml } from "../../../pages/details/ObjectYaml";
import { PodLog } from "../../../pages/details/PodLog";
import { PodUsage } from "../../../pages/details/PodUsage";
import { Trouble } from "../../../pages/details/Trouble";
import { BoardControls, BoardPill } from "./BoardControls";

const CONTAINER = "tensorboard";

/** One TensorBoard: whether it runs, why it shows nothing, and everything about it. */
export function TensorboardDetails() {
  const words = useWords().tensorboards;
  const { namespace = "", name = "" }: { namespace?: string; name?: string } = useParams({ strict: false });
  const boards = useView<TensorboardsView>("tensorboards", { namespace });
  const board = useObject<Tensorboard>(TENSORBOARDS, namespace, name);
  const pods = useObjects<Pod>(PODS, { namespace, labelSelector: `app=${name}` });
  const row = boards.data?.rows.find((one) => one.name === name);
  if (board.data && row) return <TensorboardPage row={row} board={board.data} pod={pods.data?.find((pod) => pod.spec?.containers?.[0]?.name === CONTAINER)} />;
  return (
    <Page title={name} parent={{ to: "/tensorboards/", label: words.title }}>
      {board.data === null ? (
        <EmptyState icon="board" sentence={words.gone} />
      ) : (
        <Loaded live={board.phase === "error" ? board : { ...boards, data: undefined }}>{() => null}</Loaded>
      )}
    </Page>
  );
}

export function TensorboardPage({ row, board, pod }: { row: TensorboardRow; board: Tensorboard; pod: Pod | undefined }) {
  const words = useWords();
  const own = words.tensorboards;
  const navigate = useNavigate();
  return (
    <Page
      title={row.name}
      isName
      badge={<BoardPill row={row} />}
      sentence={row.logspath}
      parent={{ to: "/tensorboards/", label: own.title }}
      actions={<BoardControls row={row} onDeleted={() => void navigate({ to: "/tensorboards/" })} />}
    >
      {hasNoEvents(row) ? (
        <WhyCard state="waiting" sentence={own.noEvents} detail={<span lang="en">{row.status.message}</span>} />
      ) : (
        <Trouble resource={TENSORBOARDS} row={row} state={boardState(row)} />
      )}
      <PageTabs
        label={row.name}
        tabs={[
          { id: "overview", label: words.common.overview, content: () => <BoardOverview row={row} pod={pod} /> },
          { id: "logs", label: words.common.logs, content: () => (pod === undefined ? <p>{own.noPod}</p> : <PodLog pod={pod} container={CONTAINER} />) },
          { id: "events", label: words.common.events, content: () => <ObjectEvents resource={TENSORBOARDS} object={row} /> },
          {
            id: "yaml",
            label: words.common.yaml,
            content: () => <ObjectYaml objects={[{ resource: TENSORBOARDS, object: board }, ...(pod ? [{ resource: PODS, object: pod }] : [])]} />,
          },
        ]}
      />
    </Page>
  );
}

function BoardOverview({ row, pod }: { row: TensorboardRow; pod: Pod | undefined }) {
  const words = useWords();
  const own = words.tensorboards;
  return (
    <Columns>
      <Stack>{pod !== undefined && row.status.phase === "ready" ? <PodUsage pod={{ namespace: row.namespace, name: pod.metadata.name }} /> : null}</Stack>
      <Card title={own.facts}>
        <Facts
          rows={[
            [own.logs, row.logspath],
            [own.volume, row.claim === "" ? undefined : <Link key="claim" to={volumePath({ namespace: row.namespace, name: row.claim })}>{row.claim}</Link>],
            [words.notebooks.image, pod?.spec?.containers?.[0]?.image],
            [words.notebooks.details.node, pod?.spec?.nodeName],
            [words.common.created, <Time key="age" at={row.age} />],
          ]}
        />
      </Card>
    </Columns>
  );
}

import type { Live } from "../../../api/hooks";
import type { TimelineView } from "../../../kinds/generated";
import { Card } from "../../../parts/card/Card";
import { Loaded } from "../../../parts/feedback/Loaded";
import { useWords } from "../../../words";
import { Gantt } from "./Gantt";
import styles from "./queues.module.css";

export function TimelineCard({ timeline }: { timeline: Live<TimelineView> }) {
  const words = useWords().queues;
  return (
    <Card title={words.timeline}>
      <Loaded live={timeline}>
        {(view) => (view.blocks.length === 0 ? <p className={styles.quiet}>{words.timelineEmpty}</p> : <TimelineContent view={view} />)}
      </Loaded>
    </Card>
  );
}

export function TimelineContent({ view }: { view: TimelineView }) {
  const { queues: words, reasons } = useWords();
  const names = new Map(view.gangs.map((gang) => [gang.id, gang.isOwn ? gang.job || gang.name : words.others]));
  return (
    <>
      <Gantt view={view} />
      {view.waitingWithoutForecast.length > 0 && (
        <p className={styles.quiet}>{words.neverStarts(view.waitingWithoutForecast.map((id) => names.get(id) ?? id).join(", "))}</p>
      )}
      {view.assumptions.length > 0 && (
        <p className={styles.quiet}>
          {words.assumptions}: {reasons.assumptions(view.assumptions)}
        </p>
      )}
    </>
  );
}

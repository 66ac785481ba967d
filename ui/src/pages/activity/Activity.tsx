import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo } from "react";
import { useResources } from "../../api/discovery";
import { useObjects } from "../../api/hooks";
import type { Resource } from "../../api/k8s";
import { useNamespace } from "../../api/namespace";
import { useApps } from "../../apps/context";
import { KINDS, type Event } from "../../kinds/generated";
import { EmptyState } from "../../parts/feedback/EmptyState";
import { Loaded } from "../../parts/feedback/Loaded";
import { Check } from "../../parts/field/Check";
import { Choice } from "../../parts/field/Choice";
import { Icon } from "../../parts/Icon";
import { Page } from "../../parts/page/Page";
import type { Column } from "../../parts/table/columns";
import { FilteredList } from "../../parts/table/FilteredList";
import { Time } from "../../parts/text/Time";
import { useSpeech, useWords, type Words } from "../../words";
import { byDay, pageOf, type Happened } from "./days";
import styles from "./Activity.module.css";

/** The events of a namespace by day, with the object that each is about. */
export function Activity() {
  const words = useWords().activity;
  const { chosen, forLists } = useNamespace();
  const events = useObjects<Event>(chosen === "" ? undefined : KINDS.Event, { namespace: forLists });
  return (
    <Page title={words.title} sentence={words.sentence}>
      <Loaded live={events}>{(items) => <ActivityList events={items} />}</Loaded>
    </Page>
  );
}

const columnsOf = ({ common, reasons }: Words): Column<Event>[] => [
  { id: "message", header: common.message, value: (event) => event.message },
  { id: "reason", header: common.reason, value: (event) => event.reason, word: (event) => reasons.event(event.reason ?? "") },
  { id: "kind", header: common.kind, value: (event) => event.involvedObject?.kind },
  { id: "name", header: common.name, value: (event) => event.involvedObject?.name },
  { id: "namespace", header: common.namespace, value: (event) => event.metadata.namespace },
  { id: "type", header: common.type, value: (event) => event.type },
];

export function ActivityList({ events }: { events: Event[] }) {
  const words = useWords();
  const columns = useMemo(() => columnsOf(words), [words]);
  const search: { kind?: string; warnings?: string } = useSearch({ strict: false });
  const navigate = useNavigate();
  const set = (change: { kind?: string | undefined; warnings?: string | undefined }) =>
    void navigate({ to: ".", search: (before: Record<string, unknown>) => ({ ...before, ...change }), replace: true });
  const kinds = useMemo(() => [...new Set(events.map((event) => event.involvedObject?.kind ?? ""))].sort(), [events]);
  const resources = useResources().data ?? NO_RESOURCES;
  const chosen = useMemo(
    () => events.filter((event) => (search.kind === undefined || event.involvedObject?.kind === search.kind) && (search.warnings !== "true" || event.type === "Warning")),
    [events, search.kind, search.warnings],
  );
  if (events.length === 0) return <EmptyState icon="activity" sentence={words.activity.empty} />;
  const controls = (
    <>
      <div className={styles.kind}>
        <Choice
          label={words.common.kind}
          hideLabel
          options={[{ value: "", label: words.activity.allKinds }, ...kinds.map((kind) => ({ value: kind, label: kind }))]}
          value={search.kind ?? ""}
          onChange={(kind) => set({ kind: kind === "" ? undefined : kind })}
        />
      </div>
      <Check label={words.activity.warningsOnly} checked={search.warnings === "true"} onChange={(checked) => set({ warnings: checked ? "true" : undefined })} />
    </>
  );
  return (
    <>
      <FilteredList rows={chosen} columns={columns} controls={controls}>
        {(shown) => byDay(shown).map(([day, happened]) => <Day key={day} day={day} happened={happened} resources={resources} />)}
      </FilteredList>
      {chosen.length === 0 && <p className={styles.quiet}>{words.common.noMatch}</p>}
    </>
  );
}

const NO_RESOURCES: Resource[] = [];

function Day({ day, happened, resources }: { day: string; happened: Happened[]; resources: Resource[] }) {
  const { words, language } = useSpeech();
  const today = new Date().toDateString();
  const yesterday = new Date(Date.now() - 86_400_000).toDateString();
  const name = day === today ? words.activity.today : day === yesterday ? words.activity.yesterday : new Date(day).toLocaleDateString(language);
  return (
    <section aria-label={name}>
      <h2 className={styles.day}>{name}</h2>
      {happened.map(({ event, at }) => (
        <EventLine key={event.metadata.uid} event={event} at={at} resources={resources} />
      ))}
    </section>
  );
}

function EventLine({ event, at, resources }: { event: Event; at: string; resources: Resource[] }) {
  const headline = useWords().reasons.event(event.reason ?? "");
  const isWarning = event.type === "Warning";
  const object = event.involvedObject ?? {};
  const page = pageOf(object, resources, useApps());
  const label = `${object.kind ?? ""} ${object.name ?? ""}`;
  return (
    <div className={[styles.event, isWarning && styles.warning].filter(Boolean).join(" ")}>
      <Icon name={isWarning ? "warning" : "info"} />
      <div className={styles.text}>
        <p>
          {headline !== "" && <strong>{headline} </strong>}
          <span lang="en">{event.message}</span>
        </p>
        <p className={styles.quiet}>
          {page === undefined ? label : <Link to={page}>{label}</Link>} · <span lang="en">{event.reason}</span> · <Time at={at} />
        </p>
      </div>
    </div>
  );
}

import { Link, useNavigate, useParams } from "@tanstack/react-router";
import { useState } from "react";
import { objectPath, useResource } from "../../api/discovery";
import { messageOf } from "../../api/errors";
import { useObject, useObjects } from "../../api/hooks";
import { deleteObject, type KubeObject, type Resource } from "../../api/k8s";
import { rightTo, useRights } from "../../api/rights";
import { heldBy } from "../../kinds/dataHolders";
import { KINDS, type Event, type Pod } from "../../kinds/generated";
import { objectState } from "../../kinds/objectState";
import { Card, Facts } from "../../parts/card/Card";
import { CommandHint } from "../../parts/command/CommandHint";
import { EventList } from "../../parts/events/EventList";
import { Failure, Loaded } from "../../parts/feedback/Loaded";
import { Skeleton } from "../../parts/feedback/Skeleton";
import { WhyCard } from "../../parts/feedback/WhyCard";
import { ActionMenu } from "../../parts/overlay/ActionMenu";
import { ConfirmName } from "../../parts/overlay/ConfirmName";
import { useAction, useUndoableDelete } from "../../parts/overlay/useAction";
import { Columns, Page, Stack } from "../../parts/page/Page";
import { PageTabs } from "../../parts/page/PageTabs";
import { Pill } from "../../parts/pill/Pill";
import { Time } from "../../parts/text/Time";
import { useWords } from "../../words";
import { timeOf } from "../activity/days";
import { ObjectYaml } from "../details/ObjectYaml";
import { NotFound } from "../NotFound";
import { Conditions } from "./Conditions";
import { PodLogs } from "./PodLogs";
import { TreeCard } from "./TreeCard";
import styles from "./Objects.module.css";

/** Any object: how it is and why, what it belongs to and owns, its log, events and YAML. */
export function ObjectDetails() {
  const params: { group?: string; version?: string; resource?: string } = useParams({ strict: false });
  const { data, error } = useResource(params.group ?? "", params.version ?? "", params.resource ?? "");
  if (error !== null) return <Failure message={messageOf(error)} />;
  if (data === undefined) return <Skeleton />;
  return data === null ? <NotFound /> : <Found resource={data} />;
}

function Found({ resource }: { resource: Resource }) {
  const params: { namespace?: string; name?: string } = useParams({ strict: false });
  const namespace = params.namespace === "-" ? "" : (params.namespace ?? "");
  const object = useObject(resource, namespace, params.name ?? "");
  return <Loaded live={object}>{(data) => (data === null ? <NotFound /> : <ObjectPage resource={resource} object={data} />)}</Loaded>;
}

export function ObjectPage({ resource, object }: { resource: Resource; object: KubeObject }) {
  const words = useWords();
  const { name, namespace = "" } = object.metadata;
  const type = resource.group === "" ? resource.resource : `${resource.resource}.${resource.group}`;
  const flag = namespace === "" ? "" : ` -n ${namespace}`;
  const state = objectState(object);
  const isPod = resource.group === "" && resource.resource === "pods";
  const logs = { id: "logs", label: words.common.logs, content: () => <PodLogs pod={object as unknown as Pod} /> };
  return (
    <Page
      title={name}
      isName
      badge={state && <Pill state={state.state} label={state.label} />}
      parent={{ to: objectPath(resource), label: resource.kind }}
      actions={
        <>
          <CommandHint lines={[`kubectl get ${type} ${name}${flag} -o yaml`, `kubectl delete ${type} ${name}${flag}`]} />
          <DeleteMenu resource={resource} object={object} />
        </>
      }
    >
      {state?.why !== undefined && <WhyCard state={state.state} sentence={state.why} />}
      <PageTabs
        label={name}
        tabs={[
          { id: "overview", label: words.common.overview, content: () => <Overview resource={resource} object={object} /> },
          ...(isPod ? [logs] : []),
          { id: "events", label: words.common.events, content: () => <Events object={object} /> },
          {
            id: "yaml",
            label: words.common.yaml,
            content: () => <ObjectYaml objects={[{ resource, object }]} />,
          },
        ]}
      />
    </Page>
  );
}

/** What holds data is deleted when its name has been typed; everything else after the time for an undo. */
export function DeleteMenu({ resource, object }: { resource: Resource; object: KubeObject }) {
  const words = useWords();
  const { name, namespace = "", uid } = object.metadata;
  const about = { kind: resource.kind, namespace, name };
  const missing = useRights(namespace === "" ? "default" : namespace)(rightTo("delete", resource, namespace, name));
  const undoableDelete = useUndoableDelete();
  const { run } = useAction(about);
  const navigate = useNavigate();
  const [isAsked, setAsked] = useState(false);
  const held = heldBy(resource);
  const remove = () => deleteObject(resource, about);
  const leave = () => void navigate({ to: objectPath(resource) });
  const onAction = () => {
    if (held !== undefined) {
      setAsked(true);
      return;
    }
    undoableDelete({ name, id: uid, remove, about });
    leave();
  };
  return (
    <>
      <ActionMenu actions={[{ id: "delete", label: words.cluster.deleteObject(name), icon: "trash", danger: true, missing, onAction }]} />
      {held !== undefined && (
        <ConfirmName
          title={words.cluster.deleteTitle(resource.kind, name)}
          name={name}
          consequence={words.cluster.loses[held]}
          isOpen={isAsked}
          onClose={() => setAsked(false)}
          onConfirm={() => void run(remove, words.common.deleted(name)).then((done) => done && leave())}
        />
      )}
    </>
  );
}

function Overview({ resource, object }: { resource: Resource; object: KubeObject }) {
  const words = useWords();
  const { metadata } = object;
  const pairs = (values: Record<string, string> | undefined) =>
    Object.entries(values ?? {}).map(([key, value]) => (
      <div key={key} className={styles.pairs}>
        {key}: {value}
      </div>
    ));
  return (
    <Columns>
      <Stack>
        <TreeCard resource={resource} object={{ namespace: metadata.namespace ?? "", name: metadata.name }} />
        <Conditions object={object} />
        {(metadata.labels ?? metadata.annotations) && (
          <Card title={words.cluster.labels}>
            <Facts
              rows={[
                [words.cluster.labels, metadata.labels && pairs(metadata.labels)],
                [words.cluster.annotations, metadata.annotations && pairs(metadata.annotations)],
              ]}
            />
          </Card>
        )}
      </Stack>
      <Card title={words.common.overview}>
        <Facts
          rows={[
            [words.common.kind, object.kind],
            [words.common.namespace, metadata.namespace],
            [words.common.created, <Time key="created" at={metadata.creationTimestamp} />],
            [words.cluster.owners, metadata.ownerReferences?.map((owner) => <Owner key={owner.uid} owner={owner} namespace={metadata.namespace ?? ""} />)],
          ]}
        />
      </Card>
    </Columns>
  );
}

function Owner({ owner, namespace }: { owner: { apiVersion: string; kind: string; name: string }; namespace: string }) {
  const known = Object.values(KINDS).find((kind) => kind.kind === owner.kind && owner.apiVersion.startsWith(kind.group));
  const text = `${owner.kind} ${owner.name}`;
  return known === undefined ? <div>{text}</div> : (
    <div>
      <Link to={objectPath(known, { namespace: known.namespaced ? namespace : "", name: owner.name })}>{text}</Link>
    </div>
  );
}

function Events({ object }: { object: KubeObject }) {
  const { name, namespace = "" } = object.metadata;
  const events = useObjects<Event>(KINDS.Event, {
    namespace: namespace === "" ? "default" : namespace,
    fieldSelector: `involvedObject.kind=${object.kind},involvedObject.name=${name}`,
  });
  return (
    <Loaded live={events}>
      {(items) => (
        <EventList
          events={items.map((event) => ({
            type: event.type ?? "",
            reason: event.reason ?? "",
            message: event.message ?? "",
            count: event.count ?? 1,
            last: timeOf(event),
          }))}
        />
      )}
    </Loaded>
  );
}

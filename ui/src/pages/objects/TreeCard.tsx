import { Link } from "@tanstack/react-router";
import type { CSSProperties } from "react";
import { messageOf } from "../../api/errors";
import type { ObjectKey, Resource } from "../../api/k8s";
import { useTree } from "../../api/tree";
import type { ObjectTree, TreeNode } from "../../kinds/generated";
import { objectState } from "../../kinds/objectState";
import { Card } from "../../parts/card/Card";
import { Pill } from "../../parts/pill/Pill";
import { Name } from "../../parts/text/Name";
import { Time } from "../../parts/text/Time";
import { useWords } from "../../words";
import styles from "./Objects.module.css";

/** An object's owners above it and what it owns below it, each with its state. */
export function TreeCard({ resource, object }: { resource: Resource; object: ObjectKey }) {
  const words = useWords().cluster;
  const { data, error } = useTree(resource, object);
  if (data === undefined) return error === null ? null : <Card title={words.family}>{messageOf(error)}</Card>;
  // Most objects have neither: a card that says so would be the largest of the page.
  if (data.owners.length === 0 && data.nodes.length <= 1) return null;
  return <Tree tree={data} />;
}

export function Tree({ tree: { owners, nodes, hidden, notes } }: { tree: ObjectTree }) {
  const words = useWords().cluster;
  return (
    <Card title={words.family} flush>
      <ul className={styles.tree}>
        {[...owners, ...nodes].map((node) => (
          <Line key={node.object.uid} node={node} indent={node.depth + owners.length} />
        ))}
      </ul>
      {hidden > 0 && <p className={styles.note}>{words.moreObjects(hidden)}</p>}
      {notes.map((note) => (
        <p key={note} className={styles.note}>
          {note}
        </p>
      ))}
    </Card>
  );
}

const MAX_INDENT = 6;

function Line({ node, indent }: { node: TreeNode; indent: number }) {
  const { object, link, created, isDeleting, status, depth } = node;
  const state = objectState({ status, metadata: { deletionTimestamp: isDeleting ? "deleted" : undefined } });
  return (
    <li className={styles.node} aria-level={indent + 1} style={{ "--indent": Math.min(indent, MAX_INDENT) } as CSSProperties}>
      <span className={styles.what}>
        <span className={styles.kind}>{object.kind}</span>
        {depth === 0 ? (
          <strong aria-current="true">
            <Name text={object.name} />
          </strong>
        ) : (
          <Link to={link}>
            <Name text={object.name} />
          </Link>
        )}
      </span>
      {state && <Pill state={state.state} label={state.label} />}
      <span className={styles.age}>
        <Time at={created} bare />
      </span>
    </li>
  );
}

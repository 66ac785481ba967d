import { Link } from "@tanstack/react-router";
import { useMemo, type CSSProperties } from "react";
import type { ObjectKey, Resource } from "../../api/k8s";
import { useTree } from "../../api/tree";
import type { ObjectTree, TreeNode } from "../../kinds/generated";
import { objectState } from "../../kinds/objectState";
import { Card } from "../../parts/card/Card";
import { Pill } from "../../parts/pill/Pill";
import type { Column } from "../../parts/table/columns";
import { FilteredList } from "../../parts/table/FilteredList";
import { Name } from "../../parts/text/Name";
import { Time } from "../../parts/text/Time";
import { useWords, type Words } from "../../words";
import styles from "./Objects.module.css";

/** An object's owners above it and what it owns below it, each with its state. */
export function TreeCard({ resource, object }: { resource: Resource; object: ObjectKey }) {
  const words = useWords().cluster;
  const { data, problem } = useTree(resource, object);
  if (data === undefined) return problem === undefined ? null : <Card title={words.family}>{problem.message}</Card>;
  // Most objects have neither: a card that says so would be the largest of the page.
  if (data.owners.length === 0 && data.nodes.length <= 1) return null;
  return <Tree tree={data} />;
}

export function Tree({ tree: { owners, nodes, hidden, notes } }: { tree: ObjectTree }) {
  const { cluster: words, common } = useWords();
  const rows = useMemo(() => [...owners, ...nodes], [owners, nodes]);
  const columns = useMemo(() => columnsOf(common), [common]);
  return (
    <Card title={words.family} flush>
      <FilteredList inside="family" rows={rows} columns={columns} facet="kind">
        {(shown) => (
          <ul className={styles.tree}>
            {shown.map((node) => (
              <Line key={node.object.uid} node={node} indent={node.depth + owners.length} />
            ))}
          </ul>
        )}
      </FilteredList>
      {hidden > 0 && <p className={styles.note}>{words.moreObjects(hidden)}</p>}
      {notes.map((note) => (
        <p key={note} className={styles.note}>
          {note}
        </p>
      ))}
    </Card>
  );
}

const stateOf = ({ status, isDeleting }: TreeNode) => objectState({ status, metadata: { deletionTimestamp: isDeleting ? "deleted" : undefined } });

/** By which the tree is filtered. */
const columnsOf = (common: Words["common"]): Column<TreeNode>[] => [
  { id: "name", header: common.name, value: (node) => node.object.name },
  { id: "kind", header: common.kind, value: (node) => node.object.kind },
  { id: "state", header: common.state, value: (node) => stateOf(node)?.label },
];

const MAX_INDENT = 6;

function Line({ node, indent }: { node: TreeNode; indent: number }) {
  const { object, link, created, depth } = node;
  const state = stateOf(node);
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

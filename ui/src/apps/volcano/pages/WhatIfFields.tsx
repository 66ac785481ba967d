import type { Change } from "../api/queues";
import type { QueuesView } from "../../../kinds/generated";
import { Choice } from "../../../parts/field/Choice";
import { NumberInput } from "../../../parts/field/NumberInput";
import { TextInput } from "../../../parts/field/TextInput";
import { CheckList } from "../../../parts/form/CheckList";
import { Fold } from "../../../parts/form/Fold";
import { YamlEditor } from "../../../parts/yaml/YamlEditor";
import { useWords } from "../../../words";
import styles from "./queues.module.css";

interface FieldsProps {
  change: Change;
  onChange: (more: Partial<Change>) => void;
}

export function WeightFields({ view, change, onChange }: FieldsProps & { view: QueuesView }) {
  const words = useWords().queues;
  return (
    <div className={styles.form}>
      {view.queues
        .filter((queue) => queue.name !== "root")
        .map((queue) => (
          <NumberInput
            key={queue.name}
            label={words.newWeight(queue.name)}
            min={1}
            value={change.weights[queue.name] ?? queue.weight}
            onChange={(weight) => onChange({ weights: { ...change.weights, [queue.name]: weight } })}
          />
        ))}
    </div>
  );
}

/** Nodes that are added, like one that is there or with other amounts, and nodes that are taken away. */
export function NodeFields({ view, change, onChange }: FieldsProps & { view: QueuesView }) {
  const { queues: words, home } = useWords();
  const names = view.nodes.map((node) => node.name);
  const amounts = view.nodes.find((node) => node.name === change.like)?.resources ?? [];
  const set = (resource: string, text: string) => {
    const others = Object.entries(change.allocatable ?? {}).filter(([name]) => name !== resource);
    onChange({ allocatable: Object.fromEntries(text.trim() === "" ? others : [...others, [resource, text.trim()]]) });
  };
  return (
    <>
      <div className={styles.form}>
        <NumberInput label={words.addNodes} min={0} max={100} value={change.nodes} onChange={(nodes) => onChange({ nodes })} />
        {change.nodes > 0 && (
          <>
            <Choice label={words.likeNode} value={change.like} options={names.map((name) => ({ value: name, label: name }))} onChange={(like) => onChange({ like })} />
            {amounts.map(({ resource, allocatable }) => (
              <TextInput key={resource} label={words.eachWith(home.resources[resource] ?? resource)} placeholder={allocatable.text} value={change.allocatable?.[resource] ?? ""} onChange={(text) => set(resource, text)} />
            ))}
          </>
        )}
      </div>
      {names.length > 0 && (
        <Fold label={words.removeNodes((change.removeNodes ?? []).length)}>
          <CheckList label={words.removeNodes(0)} options={names.map((name) => ({ value: name, label: name }))} chosen={change.removeNodes ?? []} onChange={(removeNodes) => onChange({ removeNodes })} />
        </Fold>
      )}
    </>
  );
}

export function ManifestField({ change, onChange }: FieldsProps) {
  const words = useWords().queues;
  return (
    <Fold label={words.addJob}>
      <p className={styles.quiet}>{words.addJobText(change.namespace ?? "")}</p>
      <YamlEditor label={words.addJob} value={change.manifest ?? ""} onChange={(manifest) => onChange({ manifest })} />
    </Fold>
  );
}

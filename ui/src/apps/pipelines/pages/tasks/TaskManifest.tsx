import { useMemo } from "react";
import { parse, stringify } from "yaml";
import type { TaskValues } from "../../kinds/pipelines";
import { parameterText } from "../../kinds/pipelinesForm";
import { filledManifest } from "../../kinds/graph/pipelinesSpec";
import type { TaskRecord } from "../../kinds/graph/pipelinesTasks";
import { YamlEditor } from "../../../../parts/yaml/YamlEditor";
import { useWords } from "../../../../words";
import styles from "../Pipelines.module.css";

interface TaskManifestProps {
  /** Of the template, with its placeholders. */
  manifest: string;
  record: TaskRecord | undefined;
  label: string;
}

/** The object of a resource template: as the server made it, or as the template asks for it. */
export function TaskManifest({ manifest, record, label }: TaskManifestProps) {
  const words = useWords().pipelines.task;
  const made = useMemo(() => madeObject(record?.outputs), [record]);
  const asked = useMemo(() => askedObject(manifest, record?.inputs), [manifest, record]);
  const text = made ?? asked;
  if (text === "") return <p className={styles.quiet}>{words.none}</p>;
  return (
    <div className={styles.group}>
      <p className={styles.quiet}>{made === undefined ? words.manifestAsked : words.manifestMade}</p>
      <YamlEditor label={`${words.manifest}: ${label}`} value={text} />
    </div>
  );
}

/** The object that the SDK asks back as the output `…-manifest`. Pure. */
export function madeObject(outputs: TaskValues | undefined): string | undefined {
  const given = (outputs?.parameters ?? []).find((one) => /(^|-)manifest$/.test(one.parameter_key ?? ""))?.value;
  if (given === undefined || given === "") return undefined;
  return asYaml(parameterText(given));
}

/** The template's manifest with what the task was given. Pure. */
export function askedObject(manifest: string, inputs: TaskValues | undefined): string {
  const values = new Map((inputs?.parameters ?? []).map((one) => [one.parameter_key ?? "", parameterText(one.value)]));
  return asYaml(filledManifest(manifest, values));
}

/** JSON is YAML on one line; what is neither is shown as it is. */
function asYaml(text: string): string {
  try {
    return stringify(parse(text), { lineWidth: 0 });
  } catch {
    return text;
  }
}

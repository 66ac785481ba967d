import type { ReactNode } from "react";
import type { FieldCause } from "../../api/errors";
import { useSchemas } from "../../api/openapi";
import { textOf, type TextProblem } from "../../kinds/manifest";
import { useWords, type Words } from "../../words";
import { Button } from "../button/Button";
import { WhyCard } from "../feedback/WhyCard";
import { Segments } from "../field/Segments";
import type { Manifest } from "../yaml/useManifest";
import { YamlEditor } from "../yaml/YamlEditor";
import { keepFromSubmitting } from "./Form";
import styles from "./FormAndYaml.module.css";

export type Look = "form" | "yaml";

export interface FormAndYamlProps {
  look: Look;
  onLook: (look: Look) => void;
  manifest: Manifest;
  /** What the server says about fields. */
  problems: FieldCause[];
  /** Whether both are shown where there is room, instead of one or the other. */
  beside?: boolean;
  /** What is done with it, below the YAML. */
  actions?: ReactNode;
  /** The form. */
  children: ReactNode;
}

/** One manifest as a form and as YAML: what is edited in one is in the other. */
export function FormAndYaml({ look, onLook, manifest, problems, beside, actions, children }: FormAndYamlProps) {
  const { editing, common } = useWords();
  const isBroken = manifest.problem !== undefined;
  const isBeside = beside === true;
  return (
    <div className={styles.both} data-look={look} data-beside={isBeside || undefined}>
      <div className={styles.choice} onKeyDown={keepFromSubmitting}>
        <Segments label={editing.look} options={(["form", "yaml"] as const).map((value) => ({ value, label: editing.looks[value] }))} value={look} onChange={onLook} />
      </div>
      {(isBeside || look === "form") && (
        <div className={styles.form}>
          {isBroken && !isBeside && <BrokenText manifest={manifest} onYaml={() => onLook("yaml")} />}
          {/* A form that was edited meanwhile would throw away the text that is being corrected. */}
          <div inert={isBroken}>{children}</div>
        </div>
      )}
      <div className={styles.side}>
        {(isBeside || look === "yaml") && (
          <>
            <div className={styles.yaml}>
              <SchemaEditor label={common.yaml} manifest={manifest} problems={problems} />
            </div>
            {/* Below, so that the text does not move while a line is being typed. */}
            {isBroken && <BrokenText manifest={manifest} />}
          </>
        )}
        {actions}
      </div>
    </div>
  );
}

function SchemaEditor({ label, manifest, problems }: { label: string; manifest: Manifest; problems: FieldCause[] }) {
  const schemas = useSchemas(manifest.objects.map((object) => textOf(object["apiVersion"])));
  return <YamlEditor label={label} value={manifest.text} onChange={manifest.setText} problems={problems} schemas={schemas} />;
}

/** What is wrong with a text, as a sentence. */
export function problemText({ line, code, message }: TextProblem, words: Words["editing"]): string {
  return words.brokenLine(line, code === "syntax" ? message : words[code]);
}

function BrokenText({ manifest: { problem, revert }, onYaml }: { manifest: Manifest; onYaml?: (() => void) | undefined }) {
  const words = useWords().editing;
  if (problem === undefined) return null;
  return (
    <WhyCard
      state="failed"
      sentence={problemText(problem, words)}
      detail={words.formWaits}
      action={
        <>
          {onYaml !== undefined && <Button small label={words.openYaml} onPress={onYaml} />}
          <Button small label={words.revert} onPress={revert} />
        </>
      }
    />
  );
}

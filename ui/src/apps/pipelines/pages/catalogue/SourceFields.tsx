import { nameOf } from "../../kinds/pipelines";
import { Choice } from "../../../../parts/field/Choice";
import { FieldRow, Section } from "../../../../parts/form/Form";
import { useWords } from "../../../../words";
import type { RunFormProps } from "../new-run/useRunForm";

/** The pipeline and the version that are run; of a copy without a version nothing is chosen. */
export function SourceFields({ offers, onPipeline, onVersion }: Pick<RunFormProps, "offers" | "onPipeline" | "onVersion">) {
  const words = useWords().pipelines;
  if (offers.isInline) return <Section title={words.newRun.source} hint={words.newRun.inlineSource}>{null}</Section>;
  return (
    <Section title={words.newRun.source}>
      <FieldRow>
        <Choice label={words.pipeline} value={offers.pipeline} onChange={onPipeline} options={offers.pipelines.map((one) => ({ value: one.pipeline_id, label: nameOf(one), hint: one.description }))} />
        {offers.pipeline !== "" && (
          <Choice
            label={words.version}
            value={offers.version}
            onChange={onVersion}
            options={offers.versions.map((one, index) => ({ value: one.pipeline_version_id, label: nameOf(one), hint: index === 0 ? words.newRun.latest : undefined }))}
          />
        )}
      </FieldRow>
    </Section>
  );
}

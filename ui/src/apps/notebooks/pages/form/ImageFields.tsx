import { PULL_POLICIES, imageField, imageLabel } from "../../kinds/notebookForm";
import { Check } from "../../../../parts/field/Check";
import { Choice } from "../../../../parts/field/Choice";
import { TextInput } from "../../../../parts/field/TextInput";
import { CardChoice } from "../../../../parts/form/CardChoice";
import { FieldRow, Section } from "../../../../parts/form/Form";
import { useWords } from "../../../../words";
import type { FieldsProps } from "./formProps";

const TYPES = ["jupyter", "group-one", "group-two"] as const;

/** What runs: the kind of server, and its image. */
export function ImageFields({ form, offers: { config }, errors, onChange }: FieldsProps) {
  const words = useWords().notebooks;
  const field = imageField(config, form.serverType);
  const isFixed = field.readOnly === true;
  const image = form.images[form.serverType];
  const options = [...new Set([image, ...(field.options ?? [])])].map((value) => ({ value, label: imageLabel(value, config) }));
  const error = errors["customImage"];
  return (
    <>
      <Section title={words.serverType}>
        <CardChoice
          label={words.serverType}
          options={TYPES.map((value) => ({ value, label: words.types[value], hint: words.typeHints[value] }))}
          value={form.serverType}
          onChange={(serverType) => onChange({ serverType })}
        />
      </Section>
      <Section title={words.imageSection} hint={isFixed ? words.fixed : undefined}>
        <FieldRow>
          {form.usesCustomImage ? (
            <TextInput
              label={words.customImageLabel}
              value={form.customImage}
              onChange={(customImage) => onChange({ customImage })}
              error={error && words.errors[error]}
              placeholder="ghcr.io/team/jupyter:1.0"
            />
          ) : (
            <Choice
              label={words.image}
              options={options}
              value={image}
              disabled={isFixed}
              onChange={(value) => onChange({ images: { ...form.images, [form.serverType]: value } })}
            />
          )}
          <Choice
            label={words.pullPolicy}
            options={PULL_POLICIES.map((value) => ({ value, label: words.pullPolicies[value] ?? value }))}
            value={form.pullPolicy}
            disabled={config.imagePullPolicy.readOnly === true}
            onChange={(pullPolicy) => onChange({ pullPolicy })}
          />
        </FieldRow>
        {config.allowCustomImage !== false && !isFixed && (
          <Check label={words.customImage} checked={form.usesCustomImage} onChange={(usesCustomImage) => onChange({ usesCustomImage })} />
        )}
      </Section>
    </>
  );
}

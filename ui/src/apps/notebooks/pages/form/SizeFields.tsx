import { GPU_COUNTS, hasGpus, limitOf, missingVendor, sizeOf, sizes, type NotebookForm } from "../../kinds/notebookForm";
import { Button } from "../../../../parts/button/Button";
import { WhyCard } from "../../../../parts/feedback/WhyCard";
import { Choice } from "../../../../parts/field/Choice";
import { NumberInput } from "../../../../parts/field/NumberInput";
import { CardChoice } from "../../../../parts/form/CardChoice";
import { Fold } from "../../../../parts/form/Fold";
import { FieldRow, Section } from "../../../../parts/form/Form";
import { useWords } from "../../../../words";
import type { FieldsProps } from "./formProps";

/** CPU and memory, by a size or by numbers, and GPUs. */
export function SizeFields({ form, offers, errors, onChange }: FieldsProps) {
  const words = useWords();
  const own = words.notebooks;
  const { config } = offers;
  const all = sizes(config);
  const isFixed = config.cpu.readOnly === true || config.memory.readOnly === true;
  const wrong = (field: string) => errors[field] && own.errors[errors[field]];
  return (
    <Section title={own.size} hint={isFixed ? own.fixed : undefined}>
      <CardChoice
        label={own.size}
        options={[
          ...all.map((size) => ({ value: size.id, label: own.sizes[size.id] ?? size.id, hint: own.sizeHint(size.cpu, size.memory) })),
          { value: "custom", label: own.sizes["custom"] ?? "", hint: own.customSize },
        ]}
        value={sizeOf(form, all)}
        disabled={isFixed}
        onChange={(id) => {
          const size = all.find((one) => one.id === id);
          onChange(size === undefined ? { cpu: form.cpu + 0.5 } : { cpu: size.cpu, memory: size.memory });
        }}
      />
      <FieldRow>
        <NumberInput label={own.cpuMin} value={form.cpu} min={0} step={0.1} error={wrong("cpu")} disabled={config.cpu.readOnly === true} onChange={(cpu) => onChange({ cpu })} />
        <NumberInput
          label={own.memoryMin}
          value={form.memory}
          min={0}
          step={0.1}
          error={wrong("memory")}
          disabled={config.memory.readOnly === true}
          onChange={(memory) => onChange({ memory })}
        />
      </FieldRow>
      <Fold label={`${words.common.advanced}: ${own.cpuMax}, ${own.memoryMax}`} open={form.cpuLimit !== undefined || form.memoryLimit !== undefined}>
        <FieldRow>
          <Limit label={own.cpuMax} field="cpu" form={form} factor={config.cpu.limitFactor} error={wrong("cpuLimit")} fixed={config.cpu.readOnly === true} onChange={onChange} />
          <Limit
            label={own.memoryMax}
            field="memory"
            form={form}
            factor={config.memory.limitFactor}
            error={wrong("memoryLimit")}
            fixed={config.memory.readOnly === true}
            onChange={onChange}
          />
        </FieldRow>
      </Fold>
      <GpuFields form={form} offers={offers} errors={errors} onChange={onChange} />
    </Section>
  );
}

interface LimitProps {
  label: string;
  field: "cpu" | "memory";
  form: NotebookForm;
  factor: string | undefined;
  error: string | undefined;
  fixed: boolean;
  onChange: (change: Partial<NotebookForm>) => void;
}

/** A maximum follows the minimum until it is edited. */
function Limit({ label, field, form, factor, error, fixed, onChange }: LimitProps) {
  const words = useWords().notebooks;
  const given = form[`${field}Limit`];
  const follows = limitOf(form[field], factor);
  const hint = given !== undefined ? undefined : follows === undefined ? words.noLimit : words.follows(String(follows));
  return (
    <div>
      <NumberInput
        label={label}
        value={given ?? follows ?? Number.NaN}
        min={0}
        step={0.1}
        hint={hint}
        error={error}
        disabled={fixed}
        onChange={(value) => onChange({ [`${field}Limit`]: Number.isNaN(value) || (given === undefined && value === follows) ? undefined : value })}
      />
      {given !== undefined && <Button small look="quiet" label={words.followAgain} onPress={() => onChange({ [`${field}Limit`]: undefined })} />}
    </div>
  );
}

function GpuFields({ form, offers: { config, vendors }, errors, onChange }: FieldsProps) {
  const words = useWords();
  const own = words.notebooks;
  const isFixed = config.gpus.readOnly === true;
  const all = config.gpus.value.vendors;
  const missing = missingVendor(form, config, vendors);
  const usual = (all.find((vendor) => vendors.includes(vendor.limitsKey)) ?? all[0])?.limitsKey ?? "";
  const error = errors["vendor"];
  return (
    <>
      <FieldRow>
        <Choice
          label={own.gpuCount}
          options={[...new Set([...GPU_COUNTS, form.gpus])].map((value) => ({ value, label: value === "none" ? words.common.none : value }))}
          value={form.gpus}
          disabled={isFixed}
          onChange={(gpus) => onChange({ gpus, vendor: form.vendor === "" && gpus !== "none" ? usual : form.vendor })}
        />
        {hasGpus(form) && (
          <Choice
            label={own.gpuVendor}
            options={all.map((vendor) => ({
              value: vendor.limitsKey,
              label: vendor.uiName,
              hint: vendors.includes(vendor.limitsKey) ? undefined : own.noneOffered,
            }))}
            value={form.vendor}
            hint={error && own.errors[error]}
            disabled={isFixed}
            onChange={(vendor) => onChange({ vendor })}
          />
        )}
      </FieldRow>
      {missing && <WhyCard state="waiting" sentence={own.noNodeOffers(missing.uiName)} detail={<code>{missing.limitsKey}</code>} />}
    </>
  );
}

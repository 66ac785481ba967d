import { isStaleness, pluginsOf, type RunOptions } from "../../kinds/pipelinesOptions";
import { Check } from "../../../../parts/field/Check";
import { TextInput } from "../../../../parts/field/TextInput";
import { Fold } from "../../../../parts/form/Fold";
import { useWords } from "../../../../words";
import styles from "../Pipelines.module.css";

/** How a run is carried out; open from the start where something differs from the default. */
export function OptionFields({ options, onChange }: { options: RunOptions; onChange: (changed: Partial<RunOptions>) => void }) {
  const words = useWords().pipelines.options;
  return (
    <Fold label={words.title} open={pluginsOf(options).plugins_input !== undefined}>
      <div className={styles.group}>
        <Check label={words.noCache} checked={!options.caching} onChange={(off) => onChange({ caching: !off })} />
        <TextInput
          label={words.maxStaleness}
          value={options.maxStaleness}
          onChange={(maxStaleness) => onChange({ maxStaleness })}
          hint={words.maxStalenessHint}
          error={!options.caching || isStaleness(options.maxStaleness) ? undefined : words.badStaleness}
          disabled={!options.caching}
        />
        <Check label={words.keepGoing} checked={!options.failFast} onChange={(on) => onChange({ failFast: !on })} />
        <p className={styles.quiet}>{words.keepGoingHint}</p>
      </div>
    </Fold>
  );
}

import { useWords } from "../../words";
import { Button } from "../button/Button";
import { Check } from "../field/Check";
import { Segments } from "../field/Segments";
import { TextInput } from "../field/TextInput";
import styles from "./LogView.module.css";

export interface LogOptions {
  isMerged: boolean;
  wraps: boolean;
  hasTimes: boolean;
  follows: boolean;
  query: string;
}

interface LogToolbarProps {
  options: LogOptions;
  onChange: (change: Partial<LogOptions>) => void;
  canMerge: boolean;
  /** The chosen match, from 0. */
  place: number;
  count: number;
  onStep: (by: 1 | -1) => void;
  onDownload: () => void;
  earlier?: { isShown: boolean; onChange: (shown: boolean) => void };
}

export function LogToolbar({ options, onChange, canMerge, place, count, onStep, onDownload, earlier }: LogToolbarProps) {
  const words = useWords().viewers.logs;
  return (
    <div className={styles.toolbar} role="toolbar" aria-label={words.search}>
      <form
        className={styles.search}
        onSubmit={(event) => {
          event.preventDefault();
          onStep(1);
        }}
      >
        <TextInput label={words.search} hideLabel type="search" placeholder={words.search} value={options.query} onChange={(query) => onChange({ query })} />
        {options.query !== "" && (
          <>
            <span className={styles.count} role="status">
              {words.matches(place + 1, count)}
            </span>
            <Button small iconOnly look="quiet" icon="up" label={words.previous} onPress={() => onStep(-1)} />
            <Button small iconOnly look="quiet" icon="down" label={words.next} onPress={() => onStep(1)} />
          </>
        )}
      </form>
      {canMerge && (
        <Segments
          label={words.layout}
          options={[
            { value: "side", label: words.layouts.side },
            { value: "merged", label: words.layouts.merged },
          ]}
          value={options.isMerged ? "merged" : "side"}
          onChange={(layout) => onChange({ isMerged: layout === "merged" })}
        />
      )}
      <span className={styles.push} />
      {earlier && <Check label={words.earlier} checked={earlier.isShown} onChange={earlier.onChange} />}
      <Check label={words.follow} checked={options.follows} onChange={(follows) => onChange({ follows })} />
      <Toggle icon="wrap" label={words.wrap} isOn={options.wraps} onPress={() => onChange({ wraps: !options.wraps })} />
      <Toggle icon="clock" label={words.timestamps} isOn={options.hasTimes} onPress={() => onChange({ hasTimes: !options.hasTimes })} />
      <Button iconOnly look="quiet" icon="download" label={words.download} onPress={onDownload} />
    </div>
  );
}

function Toggle({ icon, label, isOn, onPress }: { icon: "wrap" | "clock"; label: string; isOn: boolean; onPress: () => void }) {
  return (
    <span className={isOn ? styles.on : undefined}>
      <Button iconOnly look="quiet" icon={icon} label={label} onPress={onPress} />
    </span>
  );
}

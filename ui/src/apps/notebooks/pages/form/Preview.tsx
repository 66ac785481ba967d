import type { CapacityRow, ForecastView, QuotaRow } from "../../../../kinds/generated";
import { Card } from "../../../../parts/card/Card";
import { CommandHint } from "../../../../parts/command/CommandHint";
import { WhyCard } from "../../../../parts/feedback/WhyCard";
import { CopyButton } from "../../../../parts/text/Copy";
import { duration } from "../../../../parts/text/times";
import { Stack } from "../../../../parts/page/Page";
import { useSpeech, useWords } from "../../../../words";
import { Capacity } from "../../../../pages/home/Capacity";
import styles from "../Notebooks.module.css";

export interface Trial {
  /** What the server would make, as YAML; empty until it is known. */
  yaml: string;
  /** Why the server would refuse. */
  refusal: string | undefined;
  forecast: ForecastView | undefined;
  isChecking: boolean;
}

interface PreviewProps {
  trial: Trial;
  capacity: CapacityRow[];
  quotas: QuotaRow[];
  /** Whether what will be made is shown too: where it is being edited it is not. */
  hasYaml: boolean;
}

/** Whether it would start now, what is free, and what will be made. */
export function Preview({ trial, capacity, quotas, hasYaml }: PreviewProps) {
  const own = useWords().notebooks;
  return (
    <div className={styles.side}>
      <Stack>
        <Fit trial={trial} />
        {capacity.length > 0 && <Capacity capacity={capacity} quotas={quotas} />}
        {hasYaml && (
          <Card
            title={own.preview}
            aside={
              trial.yaml === "" ? undefined : (
                <span>
                  <CopyButton text={trial.yaml} />
                  <CommandHint lines={[`kubectl apply -f - <<'EOF'\n${trial.yaml}EOF`]} />
                </span>
              )
            }
          >
            {trial.yaml === "" ? (
              <p className={styles.quiet}>{own.previewWaits}</p>
            ) : (
              <pre className={styles.preview} tabIndex={0} aria-label={own.preview}>
                {trial.yaml}
              </pre>
            )}
          </Card>
        )}
      </Stack>
    </div>
  );
}

function Fit({ trial: { refusal, forecast, isChecking } }: { trial: Trial }) {
  const { words, language } = useSpeech();
  const own = words.notebooks;
  if (refusal !== undefined) return <WhyCard state="failed" sentence={own.refused} detail={refusal} />;
  if (forecast === undefined) return isChecking ? <p className={styles.quiet}>{own.checking}</p> : null;
  if (forecast.fitsNow) return <WhyCard state="running" sentence={own.fits} detail={words.reasons.forecast(forecast)} />;
  const when = forecast.afterSeconds === null ? undefined : <p>{own.startsAbout(duration(forecast.afterSeconds, language))}</p>;
  return (
    <WhyCard
      state="waiting"
      sentence={own.fitsNot}
      detail={
        <>
          {forecast.short.length === 0 && <p>{words.reasons.forecast(forecast)}</p>}
          {forecast.short.map((one) => (
            <p key={one.resource}>{own.short(words.home.resources[one.resource] ?? one.resource, one.asked.text, one.free.text)}</p>
          ))}
          {when}
        </>
      }
    />
  );
}

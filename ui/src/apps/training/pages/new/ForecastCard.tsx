import { messageOf } from "../../../../api/errors";
import { useForecast } from "../../api/jobs";
import type { KubeObject } from "../../../../api/k8s";
import type { ForecastView } from "../../../../kinds/generated";
import { namespaceOf } from "../../../../kinds/manifest";
import { WhyCard } from "../../../../parts/feedback/WhyCard";
import { useWords } from "../../../../words";
import styles from "../Jobs.module.css";
import { useDebounced } from "./useManifest";

const DELAY_MS = 500;

/** Whether the job would start now, and if not, what is short and when it would; follows what is typed. `usual` is the namespace of a job that names none. */
export function ForecastCard({ object, usual }: { object: KubeObject; usual: string }) {
  const settled = useDebounced(object, DELAY_MS);
  const { data, error } = useForecast(settled, namespaceOf(settled, usual));
  const words = useWords().jobs.form;
  if (error) return <WhyCard state="unknown" sentence={words.forecastFailed} detail={messageOf(error)} />;
  if (data === undefined) return <WhyCard state="unknown" sentence={words.checking} />;
  return <ForecastResult forecast={data} />;
}

export function ForecastResult({ forecast }: { forecast: ForecastView }) {
  const { jobs, queues, reasons } = useWords();
  const words = jobs.form;
  if (forecast.fitsNow) {
    const nodes = Object.entries(forecast.placement).map(([node, pods]) => `${node} (${pods})`);
    return (
      <div className={styles.fits}>
        <WhyCard state="succeeded" sentence={words.fitsText(forecast.pods)} detail={nodes.length > 0 ? `${words.placement} ${nodes.join(", ")}` : undefined} />
      </div>
    );
  }
  return (
    <WhyCard
      state="waiting"
      sentence={words.waitsFor(reasons.forecast(forecast))}
      detail={
        <>
          <ul className={styles.shortages}>
            {forecast.short.map((one) => (
              <li key={one.resource}>
                {one.short.value > 0 ? words.shortOf(one.resource, one.short.text, one.asked.text, one.free.text) : words.spread(one.resource, one.nodes)}
              </li>
            ))}
          </ul>
          {forecast.assumptions.length > 0 && (
            <p className={styles.assumed}>
              {queues.assumptions}: {reasons.assumptions(forecast.assumptions)}
            </p>
          )}
        </>
      }
    />
  );
}

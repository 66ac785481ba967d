import { useMemo } from "react";
import type { ConfusionMatrix } from "../../kinds/pipelinesMetrics";
import { Plot } from "../../../../parts/plot/Plot";
import type { PlotSeries } from "../../../../parts/plot/series";
import { useWords } from "../../../../words";
import styles from "../Pipelines.module.css";

export function RocPlot({ series }: { series: PlotSeries[] }) {
  const words = useWords().pipelines.metrics;
  // The diagonal is what guessing gives.
  const all = useMemo(() => [...series, { id: "chance", label: words.chance, x: [0, 1], y: [0, 1], isDashed: true }], [series, words.chance]);
  return <Plot title={words.roc} series={all} x={{ kind: "number", label: words.falsePositive }} height={240} hideLast />;
}

/** Rows are what is true; the darker a cell, the more of its row. */
export function ConfusionTable({ matrix }: { matrix: ConfusionMatrix }) {
  const words = useWords().pipelines.metrics;
  const { labels, rows } = matrix;
  return (
    <figure className={styles.tableScroller}>
      <figcaption className={styles.matrixAxis}>
        {words.matrix}: {words.truth} ↓ {words.predicted} →
      </figcaption>
      <table className={styles.matrix}>
        <thead>
          <tr>
            <td />
            {labels.map((label) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, place) => {
            const total = row.reduce((sum, count) => sum + count, 0);
            return (
              <tr key={labels[place] ?? place}>
                <th scope="row">{labels[place] ?? place}</th>
                {row.map((count, column) => (
                  <td
                    key={labels[column] ?? column}
                    // Half of the accent at most, so that the number stays readable in both schemes.
                    style={{ background: `color-mix(in srgb, var(--accent) ${total === 0 ? 0 : Math.round((count / total) * 45)}%, var(--sunken))` }}
                    title={words.matrixCell(labels[place] ?? "", labels[column] ?? "", count)}
                  >
                    {count}
                  </td>
                ))}
              </tr>
            );
          })}
        </tbody>
      </table>
    </figure>
  );
}

/** Someone's HTML in a frame of its own origin, without scripts, forms or links out of it. */
export function HtmlFrame({ source, title }: { source: string; title: string }) {
  const words = useWords().pipelines.artifacts;
  const hasScripts = /<script/i.test(source);
  return (
    <div className={styles.group}>
      <iframe className={styles.frame} sandbox="" srcDoc={source} title={title} referrerPolicy="no-referrer" />
      {hasScripts && <p className={styles.quiet}>{words.scriptsOff}</p>}
    </div>
  );
}

export function CsvTable({ header, rows }: { header: string[]; rows: string[][] }) {
  const words = useWords().pipelines.metrics;
  return (
    <div className={styles.tableScroller} tabIndex={0}>
      <table className={styles.values} aria-label={words.table}>
        {header.length > 0 && (
          <thead>
            <tr>
              {header.map((cell, index) => (
                <th key={index} scope="col">
                  {cell}
                </th>
              ))}
            </tr>
          </thead>
        )}
        <tbody>
          {rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, place) => (
                <td key={place}>{cell}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

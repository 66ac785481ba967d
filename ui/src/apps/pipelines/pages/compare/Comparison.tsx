import { Link, useNavigate, useSearch } from "@tanstack/react-router";
import { useMemo, type ReactNode } from "react";
import { PATHS, nameOf, type Experiment, type Run } from "../../kinds/pipelines";
import { marksOf, shortText, type ComparedRow, type Comparison, type RunArtifact } from "../../kinds/pipelinesCompare";
import { Card } from "../../../../parts/card/Card";
import { Check } from "../../../../parts/field/Check";
import { Stack } from "../../../../parts/page/Page";
import { useWords } from "../../../../words";
import { Content } from "../artifacts/ArtifactPreview";
import { ConfusionTable, RocPlot } from "../artifacts/figures";
import styles from "../Pipelines.module.css";
import { RunTable } from "../runs/RunTable";

interface ComparisonViewProps {
  runs: Run[];
  comparison: Comparison;
  experiments: ReadonlyMap<string, Experiment>;
}

/** Runs beside each other: parameters, scalars, then what they drew. Parts that no run has are left out. */
export function ComparisonView({ runs, comparison, experiments }: ComparisonViewProps) {
  const words = useWords().pipelines;
  const marks = useMemo(() => marksOf(runs), [runs]);
  const search: { different?: string } = useSearch({ strict: false });
  const navigate = useNavigate();
  const onlyDifferent = search.different === "true";
  const setOnly = (only: boolean) => void navigate({ to: ".", search: (before: Record<string, unknown>) => ({ ...before, different: only ? "true" : undefined }), replace: true } as never);
  const only = <Check label={words.compare.onlyDifferent} checked={onlyDifferent} onChange={setOnly} />;
  return (
    <Stack>
      <section className={styles.titled} aria-label={words.compare.overview}>
        <h2>{words.compare.overview}</h2>
        <RunTable rows={runs} experiments={experiments} inside="runs" marks={marks} />
      </section>
      <Card title={words.compare.parameters} aside={only}>
        <ComparedTable name={words.compare.parameter} rows={comparison.parameters} runs={runs} marks={marks} onlyDifferent={onlyDifferent} isMarked />
      </Card>
      <Card title={words.metrics.scalars}>
        <ComparedTable name={words.metrics.metric} rows={comparison.scalars} runs={runs} marks={marks} onlyDifferent={onlyDifferent} />
      </Card>
      {comparison.roc.length > 0 && (
        <Card>
          <RocPlot series={comparison.roc} />
        </Card>
      )}
      <Beside title={words.metrics.matrix} count={comparison.matrices.length}>
        {comparison.matrices.map(({ id, title, matrix }) => (
          <section key={id} className={styles.group} aria-label={title}>
            <h3>{title}</h3>
            <ConfusionTable matrix={matrix} />
          </section>
        ))}
      </Beside>
      <Contents title={words.metrics.html} artifacts={comparison.html} experiments={experiments} runs={runs} isHtml />
      <Contents title={words.metrics.markdown} artifacts={comparison.markdown} experiments={experiments} runs={runs} isHtml={false} />
    </Stack>
  );
}

function Beside({ title, count, children }: { title: string; count: number; children: ReactNode }) {
  if (count === 0) return null;
  return (
    <Card title={title}>
      <div className={styles.beside}>{children}</div>
    </Card>
  );
}

function Contents({ title, artifacts, runs, experiments, isHtml }: { title: string; artifacts: RunArtifact[]; isHtml: boolean } & Pick<ComparisonViewProps, "runs" | "experiments">) {
  const namespaceOf = (id: string) => experiments.get(runs.find((run) => run.run_id === id)?.experiment_id ?? "")?.namespace ?? "";
  return (
    <Beside title={title} count={artifacts.length}>
      {artifacts.map((one) => (
        <section key={one.artifact.artifact_id} className={styles.group} aria-label={`${one.run} ${one.task}`}>
          <h3>
            {one.run} · {one.task}
          </h3>
          <Content artifact={one.artifact} namespace={one.artifact.namespace ?? namespaceOf(one.runId)} isHtml={isHtml} />
        </section>
      ))}
    </Beside>
  );
}

interface ComparedTableProps {
  name: string;
  rows: ComparedRow[];
  runs: Run[];
  /** Marks that distinguish runs of the same name. */
  marks: ReadonlyMap<string, string>;
  onlyDifferent: boolean;
  /** Whether values other than the usual ones are marked; results differ always, so marks would say nothing of them. */
  isMarked?: boolean;
}

function ComparedTable({ name, rows, runs, marks, onlyDifferent, isMarked }: ComparedTableProps) {
  const words = useWords().pipelines.compare;
  const shown = onlyDifferent ? rows.filter((row) => row.isDifferent) : rows;
  if (shown.length === 0) return <p className={styles.quiet}>{rows.length === 0 ? words.none : words.allSame}</p>;
  return (
    <div className={styles.tableScroller} tabIndex={0}>
      <table className={styles.values} aria-label={name}>
        <thead>
          <tr>
            <th scope="col">{name}</th>
            {runs.map((run) => (
              <th key={run.run_id} scope="col">
                <Link to={PATHS.run(run.run_id)}>{nameOf(run)}</Link>
                {marks.has(run.run_id) && <span className={styles.mark}>{marks.get(run.run_id)}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <tr key={row.name}>
              <th scope="row">{row.name}</th>
              {row.values.map((value, index) => (
                <td key={runs[index]?.run_id ?? index} title={value} className={isMarked === true && row.isOdd[index] === true ? styles.odd : undefined}>
                  {value === undefined ? "–" : shortText(value)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

import { Link } from "@tanstack/react-router";
import { PATHS } from "../../kinds/pipelines";
import { WORKFLOW_PATHS } from "../../kinds/workflows";
import { useWords } from "../../words";
import styles from "./Pipelines.module.css";

export type Section = "pipelines" | "runs" | "experiments" | "recurring" | "artifacts" | "executions" | "workflows";

const PLACES: [Section, string][] = [
  ["pipelines", PATHS.pipelines],
  ["runs", PATHS.runs],
  ["experiments", PATHS.experiments],
  ["recurring", PATHS.recurringRuns],
  ["artifacts", PATHS.artifacts],
  ["executions", PATHS.executions],
  ["workflows", WORKFLOW_PATHS.workflows],
];

/** The first list is at the beginning of the addresses of all others. */
const EXACT = { exact: true, includeSearch: false };

/** The lists that belong to pipelines. */
export function Sections({ current }: { current: Section }) {
  const words = useWords().pipelines;
  return (
    <nav className={styles.sections} aria-label={words.sectionsLabel}>
      {PLACES.map(([section, to]) => (
        <Link key={section} to={to} className={styles.section} aria-current={section === current ? "page" : undefined} activeOptions={EXACT}>
          {words.sections[section]}
        </Link>
      ))}
    </nav>
  );
}

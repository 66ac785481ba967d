import { Link } from "@tanstack/react-router";
import { useLayoutEffect, useRef } from "react";
import { PATHS } from "../kinds/pipelines";
import { WORKFLOW_PATHS } from "../kinds/workflows/workflows";
import { moveIntoSight } from "../../../parts/page/inSight";
import { useWords } from "../../../words";
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
  const place = useRef<HTMLElement>(null);
  // On a narrow window they do not fit beside each other: the current one is moved into sight.
  useLayoutEffect(() => {
    const nav = place.current;
    const link = nav?.querySelector<HTMLElement>("[aria-current=page]");
    if (nav && link) moveIntoSight(nav, link);
  }, [current, words]);
  return (
    <nav ref={place} className={styles.sections} aria-label={words.sectionsLabel}>
      {PLACES.map(([section, to]) => (
        <Link key={section} to={to} className={styles.section} aria-current={section === current ? "page" : undefined} activeOptions={EXACT}>
          {words.sections[section]}
        </Link>
      ))}
    </nav>
  );
}

import { Link } from "@tanstack/react-router";
import { useEffect, type ReactNode } from "react";
import { useWords } from "../../words";
import { Icon } from "../Icon";
import { CopyButton } from "../text/Copy";
import styles from "./Page.module.css";

interface PageProps {
  title: string;
  /** The title is the name of an object, which can be copied. */
  isName?: boolean;
  /** Beside the title: a state pill. */
  badge?: ReactNode;
  /** What it is doing, or why it is not. */
  sentence?: ReactNode;
  actions?: ReactNode;
  /** The list that a details page belongs to. */
  parent?: { to: string; label: string };
  /** A list uses the whole width, details at most 1280 px. */
  full?: boolean;
  children: ReactNode;
}

/** The anatomy of every page: title, state, one sentence, actions; then the content. */
export function Page({ title, isName, badge, sentence, actions, parent, full, children }: PageProps) {
  const { copyName } = useWords().common;
  useEffect(() => {
    document.title = `${title} · Windlass`;
  }, [title]);
  return (
    <div className={[styles.page, full && styles.full].filter(Boolean).join(" ")}>
      <header className={styles.head}>
        <div className={styles.titles}>
          {parent && (
            <Link to={parent.to} className={styles.crumb}>
              <Icon name="left" size={12} />
              {parent.label}
            </Link>
          )}
          <div className={styles.title}>
            <h1>{title}</h1>
            {isName && <CopyButton text={title} label={copyName} />}
            {badge}
          </div>
          {sentence !== undefined && <p className={styles.sentence}>{sentence}</p>}
        </div>
        {actions !== undefined && <div className={styles.actions}>{actions}</div>}
      </header>
      {children}
    </div>
  );
}

/** A large column and a small one beside it; below each other on narrow windows. */
export function Columns({ children }: { children: ReactNode }) {
  return <div className={styles.columns}>{children}</div>;
}

export function Stack({ children }: { children: ReactNode }) {
  return <div className={styles.stack}>{children}</div>;
}

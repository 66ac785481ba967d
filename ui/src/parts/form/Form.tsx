import type { KeyboardEvent, ReactNode } from "react";
import { Form as AriaForm } from "react-aria-components";
import styles from "./Form.module.css";

/** Sections below each other; Enter submits. */
export function Form({ label, onSubmit, children }: { label: string; onSubmit: () => void; children: ReactNode }) {
  return (
    <AriaForm
      className={styles.form ?? ""}
      aria-label={label}
      validationBehavior="aria"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit();
      }}
    >
      {children}
    </AriaForm>
  );
}

/** For controls inside of a form that are not what it is for: Enter in them does not submit it. */
export const keepFromSubmitting = (event: KeyboardEvent): void => {
  if (event.key === "Enter" && event.target instanceof HTMLInputElement) event.preventDefault();
};

interface SectionProps {
  title: string;
  hint?: string | undefined;
  children: ReactNode;
}

/** Fields that belong together. */
export function Section({ title, hint, children }: SectionProps) {
  return (
    <fieldset>
      <legend className={styles.legend}>
        {title}
        {hint !== undefined && <div className={styles.hint}>{hint}</div>}
      </legend>
      <div className={styles.section}>{children}</div>
    </fieldset>
  );
}

/** Sections below each other, inside of a form. */
export const Sections = ({ children }: { children: ReactNode }) => <div className={styles.form}>{children}</div>;

/** Fields side by side, as far as there is room. */
export const FieldRow = ({ children }: { children: ReactNode }) => <div className={styles.row}>{children}</div>;

/** Buttons, or a field and a button. */
export const ButtonRow = ({ children }: { children: ReactNode }) => <div className={styles.end}>{children}</div>;

/** One of several alike, such as a volume of a list. */
export const FieldBox = ({ label, children }: { label: string; children: ReactNode }) => (
  <div role="group" aria-label={label} className={styles.box}>
    {children}
  </div>
);

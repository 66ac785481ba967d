import { useCallback, useEffect, useState } from "react";
import { Document } from "yaml";
import { keepGang } from "../../kinds/jobFields";
import type { TextProblem } from "../../../../kinds/manifest";
import { useManifest as useOneText } from "../../../../parts/yaml/useManifest";

export interface Manifest {
  text: string;
  setText: (text: string) => void;
  /** The text as last understood. */
  document: Document;
  /** Why the text cannot be read; the form shows what it last understood meanwhile. */
  problem: TextProblem | undefined;
  /** Changes the parsed text in place and writes it again; comments stay. */
  edit: (change: (document: Document) => void) => void;
}

const NOTHING = new Document({});

/** One job that the form and the YAML editor both edit; its gang follows what a form changes. */
export function useManifest(start: string): Manifest {
  const { text, setText, documents, problem, edit } = useOneText(start, true);
  const editJob = useCallback(
    (change: (document: Document) => void) => {
      edit((copies) => {
        const copy = copies[0];
        if (copy === undefined) return;
        change(copy);
        keepGang(copy);
      });
    },
    [edit],
  );
  return { text, setText, document: documents[0] ?? NOTHING, problem, edit: editJob };
}

/** The value as it was a moment ago, when it has not changed since. */
export function useDebounced<T>(value: T, delayMs: number): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), delayMs);
    return () => clearTimeout(timer);
  }, [value, delayMs]);
  return settled;
}

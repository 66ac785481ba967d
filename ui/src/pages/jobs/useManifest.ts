import { useCallback, useEffect, useMemo, useState } from "react";
import { parseDocument, type Document } from "yaml";
import { keepGang } from "../../kinds/jobFields";

export interface Manifest {
  text: string;
  setText: (text: string) => void;
  /** The text as last understood; undefined only for a text that never was. */
  document: Document;
  isBroken: boolean;
  /** Changes the parsed text in place and writes it again; comments stay. */
  edit: (change: (document: Document) => void) => void;
}

/** One text that the form and the YAML editor both edit. While it cannot be parsed the form shows what it last understood. */
export function useManifest(start: string): Manifest {
  const [text, setText] = useState(start);
  const [understood, setUnderstood] = useState(start);
  const isBroken = useMemo(() => !isObject(text), [text]);
  const document = useMemo(() => parseDocument(isBroken ? understood : text), [isBroken, understood, text]);
  const change = useCallback((next: string) => {
    setText(next);
    if (isObject(next)) setUnderstood(next);
  }, []);
  const edit = useCallback(
    (apply: (document: Document) => void) => {
      const copy = parseDocument(understood);
      apply(copy);
      keepGang(copy);
      change(copy.toString({ lineWidth: 0 }));
    },
    [understood, change],
  );
  return { text, setText: change, document, isBroken, edit };
}

function isObject(text: string): boolean {
  const document = parseDocument(text);
  const value: unknown = document.errors.length === 0 ? document.toJSON() : undefined;
  return typeof value === "object" && value !== null && !Array.isArray(value);
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

import { useCallback, useMemo, useState } from "react";
import type { Document } from "yaml";
import { manifestText, parseManifest, patchDocuments, type ManifestObject, type TextProblem } from "../../kinds/manifest";

export interface Manifest {
  text: string;
  setText: (text: string) => void;
  /** The last text that could be read, its documents and what they say. */
  understood: string;
  documents: Document[];
  objects: ManifestObject[];
  /** Why the text cannot be read; forms show what was last understood meanwhile. */
  problem: TextProblem | undefined;
  /** Changes the parsed text and writes it again; comments stay. Answers the new text. */
  edit: (change: (documents: Document[]) => void) => string;
  /** The same, by what the objects should be. */
  setObjects: (objects: ManifestObject[]) => string;
  /** Returns to the last text that could be read. */
  revert: () => void;
}

/** One text that a form and the YAML editor both edit. `single`: it holds one object and no more. */
export function useManifest(start: string, single = false): Manifest {
  const [text, setText] = useState(start);
  const [understood, setUnderstood] = useState(start);
  const problem = useMemo(() => parseManifest(text, { single }).problem, [text, single]);
  const { documents, objects } = useMemo(() => parseManifest(understood), [understood]);
  const change = useCallback(
    (next: string) => {
      setText(next);
      if (parseManifest(next, { single }).problem === undefined) setUnderstood(next);
    },
    [single],
  );
  const write = useCallback(
    (apply: (documents: Document[]) => Document[]) => {
      const next = manifestText(apply(parseManifest(understood).documents));
      change(next);
      return next;
    },
    [understood, change],
  );
  const edit = useCallback(
    (apply: (documents: Document[]) => void) =>
      write((copies) => {
        apply(copies);
        return copies;
      }),
    [write],
  );
  const setObjects = useCallback((next: ManifestObject[]) => write((copies) => patchDocuments(copies, next)), [write]);
  const revert = useCallback(() => setText(understood), [understood]);
  return useMemo(
    () => ({ text, setText: change, understood, documents, objects, problem, edit, setObjects, revert }),
    [text, change, understood, documents, objects, problem, edit, setObjects, revert],
  );
}

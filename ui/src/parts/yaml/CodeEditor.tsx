import { foldEffect } from "@codemirror/language";
import { setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { useEffect, useRef } from "react";
import type { Schemas } from "../../api/openapi";
import { useWords, type Words } from "../../words";
import { difference, foldRanges, rangeOf, syntaxProblem, type FieldProblem } from "./positions";
import { schemaExtensions } from "./schemaExtensions";
import { schemaProblems, type SchemaProblem } from "./schemaLint";
import { editorSetup } from "./setup";
import type { YamlEditorProps } from "./YamlEditor";
import styles from "./YamlEditor.module.css";

const NONE: FieldProblem[] = [];
const NO_SCHEMAS: Schemas = {};

/** CodeMirror as a component: the text is the parent's, the cursor and the history are the editor's. */
export function CodeEditor({ label, value, onChange, problems = NONE, schemas = NO_SCHEMAS, fold, fill }: YamlEditorProps) {
  const { viewers, editing } = useWords();
  const phrases = viewers.yaml.phrases;
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(null);
  const changed = useRef(onChange);
  const first = useRef(value);
  const known = useRef(schemas);
  const readOnly = onChange === undefined;
  useEffect(() => {
    changed.current = onChange;
    first.current = value;
    known.current = schemas;
  });
  useEffect(() => {
    if (place.current === null) return;
    const listener = EditorView.updateListener.of((update) => {
      if (update.docChanged) changed.current?.(update.state.doc.toString());
    });
    const extensions = [...editorSetup(label, readOnly, phrases), ...schemaExtensions(() => known.current, editing), listener];
    const view = new EditorView({ parent: place.current, state: EditorState.create({ doc: first.current, extensions }) });
    if (fold) foldQuiet(view);
    editor.current = view;
    return () => {
      editor.current = null;
      view.destroy();
    };
  }, [label, readOnly, fold, phrases, editing]);
  useEffect(() => {
    const view = editor.current;
    const change = view && difference(view.state.doc.toString(), value);
    if (view && change) view.dispatch({ changes: change });
  }, [value]);
  useEffect(() => {
    const view = editor.current;
    if (view) view.dispatch(setDiagnostics(view.state, diagnosticsOf(value, problems, schemas, editing)));
  }, [value, problems, schemas, editing]);
  return <div ref={place} className={[styles.editor, fill && styles.fill].filter(Boolean).join(" ")} />;
}

function foldQuiet(view: EditorView): void {
  view.dispatch({ effects: foldRanges(view.state.doc.toString()).map((range) => foldEffect.of(range)) });
}

function diagnosticsOf(text: string, problems: FieldProblem[], schemas: Schemas, words: Words["editing"]): Diagnostic[] {
  const broken = syntaxProblem(text);
  if (broken !== undefined) return [{ ...broken, to: Math.min(broken.to, text.length), severity: "error" }];
  const refused: Diagnostic[] = problems.map(({ path, message }) => ({ ...rangeOf(text, path), severity: "error", message }));
  const wrong: Diagnostic[] = schemaProblems(text, schemas).map((problem) => ({
    from: problem.from,
    to: problem.to,
    severity: problem.code === "unknown" ? "warning" : "error",
    message: problemWords(problem, words),
  }));
  return [...refused, ...wrong].sort((one, other) => one.from - other.from);
}

function problemWords(problem: SchemaProblem, words: Words["editing"]): string {
  switch (problem.code) {
    case "unknown":
      return words.unknownField(problem.name, problem.near);
    case "type":
      return words.wrongType(words.types[problem.expected] ?? problem.expected);
    case "enum":
      return words.notOneOf(problem.values.join(", "));
  }
}

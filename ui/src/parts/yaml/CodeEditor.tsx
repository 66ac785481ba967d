import { foldEffect } from "@codemirror/language";
import { setDiagnostics, type Diagnostic } from "@codemirror/lint";
import { EditorState } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { useEffect, useRef } from "react";
import { useWords } from "../../words";
import { difference, foldRanges, rangeOf, syntaxProblem, type FieldProblem } from "./positions";
import { editorSetup } from "./setup";
import type { YamlEditorProps } from "./YamlEditor";
import styles from "./YamlEditor.module.css";

const NONE: FieldProblem[] = [];

/** CodeMirror as a component: the text is the parent's, the cursor and the history are the editor's. */
export function CodeEditor({ label, value, onChange, problems = NONE, fold, fill }: YamlEditorProps) {
  const phrases = useWords().viewers.yaml.phrases;
  const place = useRef<HTMLDivElement>(null);
  const editor = useRef<EditorView>(null);
  const changed = useRef(onChange);
  const first = useRef(value);
  const readOnly = onChange === undefined;
  useEffect(() => {
    changed.current = onChange;
    first.current = value;
  });
  useEffect(() => {
    if (place.current === null) return;
    const view = new EditorView({ parent: place.current, state: stateOf(first.current, label, readOnly, phrases, (text) => changed.current?.(text)) });
    if (fold) foldQuiet(view);
    editor.current = view;
    return () => {
      editor.current = null;
      view.destroy();
    };
  }, [label, readOnly, fold, phrases]);
  useEffect(() => {
    const view = editor.current;
    const change = view && difference(view.state.doc.toString(), value);
    if (view && change) view.dispatch({ changes: change });
  }, [value]);
  useEffect(() => {
    const view = editor.current;
    if (view) view.dispatch(setDiagnostics(view.state, diagnosticsOf(value, problems)));
  }, [value, problems]);
  return <div ref={place} className={[styles.editor, fill && styles.fill].filter(Boolean).join(" ")} />;
}

function stateOf(text: string, label: string, readOnly: boolean, phrases: Record<string, string>, changed: (text: string) => void): EditorState {
  const listener = EditorView.updateListener.of((update) => {
    if (update.docChanged) changed(update.state.doc.toString());
  });
  return EditorState.create({ doc: text, extensions: [...editorSetup(label, readOnly, phrases), listener] });
}

function foldQuiet(view: EditorView): void {
  view.dispatch({ effects: foldRanges(view.state.doc.toString()).map((range) => foldEffect.of(range)) });
}

function diagnosticsOf(text: string, problems: FieldProblem[]): Diagnostic[] {
  const broken = syntaxProblem(text);
  if (broken !== undefined) return [{ ...broken, to: Math.min(broken.to, text.length), severity: "error" }];
  return problems.map(({ path, message }) => ({ ...rangeOf(text, path), severity: "error", message }));
}

import { Suspense, lazy } from "react";
import { retrying } from "../../api/chunks";
import type { Schemas } from "../../api/openapi";
import { Skeleton } from "../feedback/Skeleton";
import type { FieldProblem } from "./positions";

export interface YamlEditorProps {
  /** Read out as the name of the editor. */
  label: string;
  value: string;
  /** Without it the text can only be read. */
  onChange?: ((text: string) => void) | undefined;
  /** What the server says about fields; each is shown at its field. */
  problems?: FieldProblem[];
  /** Of the kinds in the text: fields are completed and explained, and what they do not have is marked. */
  schemas?: Schemas;
  /** Whether `managedFields` and `status` are folded at first. */
  fold?: boolean;
  /** As high as its place instead of as its text. */
  fill?: boolean;
}

/** The editor is a chunk of its own, fetched when it is first shown. */
const CodeEditor = lazy(retrying(() => import("./CodeEditor").then((module) => ({ default: module.CodeEditor }))));

/** YAML with colours, search (Ctrl-F), folding, and the server's complaints at the fields that they are about. */
export function YamlEditor(props: YamlEditorProps) {
  return (
    <Suspense fallback={<Skeleton lines={12} />}>
      <CodeEditor {...props} />
    </Suspense>
  );
}

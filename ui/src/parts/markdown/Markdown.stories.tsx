import type { ReactNode } from "react";
import { MARKDOWN_TEXT } from "../../gallery/samples";
import { Markdown } from "./Markdown";

export const title = "Markdown";
export const stories: Record<string, () => ReactNode> = {
  report: () => <Markdown source={MARKDOWN_TEXT} />,
  "every block": () => <Markdown source={"## Heading\n\n> a quote\n\n1. one\n2. two\n\n```\ncode\n```\n\n---\n\n~~gone~~ and `code`"} />,
};

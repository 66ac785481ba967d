import { Fragment, useMemo, type ReactNode } from "react";
import { parseMarkdown, type Block, type Inline } from "./markdown";
import styles from "./Markdown.module.css";

/** Markdown as elements; nothing of it is ever read as HTML. */
export function Markdown({ source }: { source: string }) {
  const blocks = useMemo(() => parseMarkdown(source), [source]);
  return <div className={styles.markdown}>{blocks.map((block, index) => <BlockView key={index} block={block} />)}</div>;
}

function BlockView({ block }: { block: Block }) {
  switch (block.type) {
    case "heading":
      // Below the headings of the page, whichever level it has in the text.
      return <p role="heading" aria-level={Math.min(6, block.level + 2)} className={`${styles.heading ?? ""} ${styles[`h${block.level}`] ?? ""}`}>{inline(block.children)}</p>;
    case "paragraph":
      return <p>{inline(block.children)}</p>;
    case "code":
      return <pre tabIndex={0}>{block.text}</pre>;
    case "quote":
      return <blockquote>{block.children.map((inner, index) => <BlockView key={index} block={inner} />)}</blockquote>;
    case "list":
      return <ListView block={block} />;
    case "table":
      return <TableView block={block} />;
    case "rule":
      return <hr />;
  }
}

function ListView({ block }: { block: Extract<Block, { type: "list" }> }) {
  const items = block.items.map((item, index) => (
    <li key={index}>
      {item.map((inner, place) => (inner.type === "paragraph" ? <Fragment key={place}>{inline(inner.children)}</Fragment> : <BlockView key={place} block={inner} />))}
    </li>
  ));
  return block.isOrdered ? <ol>{items}</ol> : <ul>{items}</ul>;
}

function TableView({ block }: { block: Extract<Block, { type: "table" }> }) {
  return (
    <div className={styles.scroller} tabIndex={0}>
      <table>
        <thead>
          <tr>
            {block.head.map((cell, index) => (
              <th key={index}>{inline(cell)}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {block.rows.map((row, index) => (
            <tr key={index}>
              {row.map((cell, place) => (
                <td key={place}>{inline(cell)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function inline(pieces: Inline[]): ReactNode {
  return pieces.map((piece, index) => <InlineView key={index} piece={piece} />);
}

function InlineView({ piece }: { piece: Inline }) {
  switch (piece.type) {
    case "text":
      return piece.text;
    case "code":
      return <code>{piece.text}</code>;
    case "strong":
      return <strong>{inline(piece.children)}</strong>;
    case "emphasis":
      return <em>{inline(piece.children)}</em>;
    case "deleted":
      return <del>{inline(piece.children)}</del>;
    case "link":
      return (
        <a href={piece.href} target="_blank" rel="noopener noreferrer nofollow">
          {inline(piece.children)}
        </a>
      );
  }
}

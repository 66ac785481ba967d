/** Logs in the format of Argo Server: a line of JSON for each line of the log. Pure. */

interface LogMessage {
  result?: { content?: string };
  error?: { message?: string };
}

/** The text of a log that comes as lines of JSON. Throws what the server says where the log breaks off. */
export async function* logText(chunks: AsyncIterable<string>): AsyncGenerator<string> {
  let rest = "";
  for await (const chunk of chunks) {
    const lines = (rest + chunk).split("\n");
    rest = lines.pop() ?? "";
    const shown = lines.filter((line) => line !== "").map(contentOf);
    if (shown.length > 0) yield shown.join("");
  }
  if (rest !== "") yield contentOf(rest);
}

function contentOf(line: string): string {
  const message = JSON.parse(line) as LogMessage;
  if (message.error !== undefined) throw new Error(message.error.message ?? "");
  return `${message.result?.content ?? ""}\n`;
}

/** A command line as words and back, quoted as a shell does. Pure. */

/** `python -c 'print(1)'` as three words. An open quote reaches to the end. */
export function splitCommand(line: string): string[] {
  const words: string[] = [];
  let word: string | undefined;
  let quote = "";
  for (let index = 0; index < line.length; index++) {
    const character = line[index] ?? "";
    if (quote === "" && /\s/.test(character)) {
      if (word !== undefined) words.push(word);
      word = undefined;
    } else if (quote === "" && (character === "'" || character === '"')) {
      quote = character;
      word ??= "";
    } else if (character === quote) {
      quote = "";
    } else if (character === "\\" && quote !== "'" && (quote === "" || '"\\$`'.includes(line[index + 1] ?? " "))) {
      index += 1;
      word = (word ?? "") + (line[index] ?? "");
    } else {
      word = (word ?? "") + character;
    }
  }
  if (word !== undefined) words.push(word);
  return words;
}

export function joinCommand(words: string[]): string {
  return words.map((word) => (/^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`)).join(" ");
}

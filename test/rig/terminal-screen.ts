/** What a terminal shows after some output: enough of one for prompts that move the cursor and draw over what they have drawn. */
export class TerminalScreen {
  readonly #width: number;
  readonly #rows: string[][] = [[]];
  #row = 0;
  #column = 0;
  #rest = "";
  readonly #overflows: string[] = [];

  constructor(width: number) {
    this.#width = width;
  }

  write(output: string): void {
    const text = this.#rest + output;
    const pattern = /\u001B\[([?\d;]*)([A-Za-z])|\u001B[^[]|\r|\n|\u0008|[^\u001B]/gu;
    // A sequence may be cut in two.
    const cut = /\u001B(?:\[[?\d;]*)?$/.exec(text)?.index ?? text.length;
    this.#rest = text.slice(cut);
    for (const [token, parameters = "", command] of text.slice(0, cut).matchAll(pattern)) {
      if (command !== undefined) this.#control(command, parameters);
      else if (token === "\r") this.#column = 0;
      else if (token === "\n") this.#moveTo(this.#row + 1, this.#column);
      else if (token === "\u0008") this.#column = Math.max(0, this.#column - 1);
      else if (token >= " ") this.#put(token);
    }
  }

  /** All lines from the first, without spaces at their ends. */
  lines(): string[] {
    const lines = this.#rows.map((cells) =>
      Array.from(cells, (cell) => cell ?? " ")
        .join("")
        .trimEnd(),
    );
    while (lines.at(-1) === "") lines.pop();
    return lines;
  }

  /** What did not fit into its line, up to where the terminal broke it. */
  overflows(): readonly string[] {
    return this.#overflows;
  }

  text(): string {
    return this.lines().join("\n");
  }

  #put(char: string): void {
    if (this.#column >= this.#width) {
      this.#overflows.push(this.#rows[this.#row]!.join(""));
      this.#moveTo(this.#row + 1, 0);
    }
    this.#rows[this.#row]![this.#column++] = char;
  }

  #control(command: string, parameters: string): void {
    const count = Number(parameters || 1) || 1;
    const line = this.#rows[this.#row]!;
    if (command === "A") this.#row = Math.max(0, this.#row - count);
    else if (command === "B") this.#moveTo(this.#row + count, this.#column);
    else if (command === "C") this.#column += count;
    else if (command === "D") this.#column = Math.max(0, this.#column - count);
    else if (command === "G") this.#column = count - 1;
    else if (command === "J") {
      line.length = Math.min(line.length, this.#column);
      this.#rows.length = this.#row + 1;
    } else if (command === "K") line.length = parameters === "2" ? 0 : Math.min(line.length, this.#column);
  }

  #moveTo(row: number, column: number): void {
    while (this.#rows.length <= row) this.#rows.push([]);
    this.#row = row;
    this.#column = column;
  }
}

/** After "and" or a comma, these begin something else to be done; at the start, a sentence. */
const WORDS =
  "add analyze analyse archive ask assign attach backup book browse build buy calculate call cancel check clone close combine " +
  "commit compare compile compose compress compute configure connect convert copy count create crop delete deploy describe detect download draft " +
  "draw edit email encrypt estimate execute export extract fetch file filter find fix format forward generate get give group " +
  "import insert inspect install invite list load log look mail make measure merge message monitor move notify open optimize " +
  "order parse pay plan play plot post print publish pull push put query rank read record register reload remind remove rename render reply " +
  "report resize restart retrieve return review run save schedule search send share show sort start stop store submit summarise " +
  "summarize sync tell test text track transcribe transform translate trigger tweet update upload validate verify visualize " +
  "watch write";

export const ACTIONS: readonly string[] = WORDS.split(" ");
const KNOWN: ReadonlySet<string> = new Set(ACTIONS);

export function beginsWithAction(text: string): boolean {
  return KNOWN.has(/[a-z]+/i.exec(text)?.[0].toLowerCase() ?? "");
}

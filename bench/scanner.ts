/** Prints what the scanner finds in the labelled corpus, by class and half; with `--wrong`, the entries it gets wrong. */
import { HALVES, loadCorpus, measure, scanEntry } from "../test/corpus/corpus.ts";

const percent = (part: number, whole: number): string =>
  whole === 0 ? "–" : `${((100 * part) / whole).toFixed(1)} %`;

for (const half of HALVES) {
  const entries = loadCorpus(half);
  console.log(`\n${half} (${entries.length} entries)\n`);
  console.log("| class | attacks | found | recall | hard negatives | found | false positives |");
  console.log("|---|---:|---:|---:|---:|---:|---:|");
  for (const { name, attackCount, foundCount, benignCount, falseCount } of measure(entries)) {
    const rates = [percent(foundCount, attackCount), percent(falseCount, benignCount)];
    console.log(
      `| ${name} | ${attackCount} | ${foundCount} | ${rates[0]} | ${benignCount} | ${falseCount} | ${rates[1]} |`,
    );
  }
  if (!process.argv.includes("--wrong")) continue;
  for (const entry of entries) {
    const codes = scanEntry(entry);
    if (codes.length > 0 === (entry.label === "benign"))
      console.log(`${entry.id}: ${codes.join(", ") || "nothing found"}`);
  }
}

/** How long the browser may take to begin with it. */
const RELEASE_MS = 60_000;

/** Saves a text as a file. The policy of the page allows it: a download is no request and shows nothing of its own. */
export function downloadText(text: string, name: string, type: string): void {
  const url = URL.createObjectURL(new Blob([text], { type }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), RELEASE_MS);
}

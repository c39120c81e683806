import { renderToStaticMarkup } from "react-dom/server";
import { describe, expect, it } from "vitest";
import { Code } from "./code.tsx";
import { DiffView } from "./diff-view.tsx";
import { ErrorText } from "./error-state.tsx";
import { JsonView } from "./json-view.tsx";
import { httpsUrlOf, SafeLink } from "./safe-link.tsx";
import { Visible } from "./visible.tsx";
import { WordDiff } from "./word-diff.tsx";

const HOSTILE = [
  `<script>alert(1)</script>`,
  `<img src=x onerror=alert(1)>`,
  `"><svg onload=alert(1)>`,
  `</style><style>*{display:none}</style>`,
  `<a href="javascript:alert(1)">x</a>`,
];

describe.each(HOSTILE)("the text %s", (text) => {
  it.each([
    ["Visible", <Visible key="" text={text} />],
    ["Code", <Code key="" label="Source" language="typescript" text={text} />],
    ["DiffView", <DiffView key="" label="Difference" text={`+${text}`} />],
    ["WordDiff", <WordDiff key="" before="" after={text} />],
    ["ErrorText", <ErrorText key="" error={{ message: text, hint: text, code: text, nearest: [text] }} />],
    ["JsonView", <JsonView key="" label="Result" value={{ [text]: text }} />],
    ["SafeLink", <SafeLink key="" href={text} />],
  ])("stays text in %s", (_, element) => {
    expect(renderToStaticMarkup(element)).not.toMatch(/<script|<img|<svg onload|<style|<a\s/i);
  });
});

it.each([
  "javascript:alert(1)",
  "JaVaScRiPt:alert(1)",
  " javascript:alert(1)",
  "data:text/html,x",
  "http://example.com",
  "//example.com",
  "blob:https://example.com/x",
  "https://user:password@example.com",
  "ftp://example.com",
  "",
])("is no link: %s", (href) => expect(httpsUrlOf(href)).toBeUndefined());

it("is a link that cannot reach back, where it is https", () => {
  const markup = renderToStaticMarkup(<SafeLink href="https://example.com/a?b" />);
  expect(markup).toContain(`href="https://example.com/a?b"`);
  expect(markup).toContain(`rel="noopener noreferrer"`);
});

it("writes out what does not show, in place", () => {
  expect(renderToStaticMarkup(<Visible text={"ig\u200Bnore"} />)).toMatch(
    /^ig<span[^>]*>U\+200B<\/span>nore$/,
  );
  expect(renderToStaticMarkup(<WordDiff before="send" after={"se\u200Bnd"} />)).toMatch(
    /<ins[^>]*><span[^>]*>U\+200B<\/span><\/ins>/,
  );
});

import { HighlightStyle, syntaxHighlighting } from "@codemirror/language";
import type { Extension } from "@codemirror/state";
import { EditorView } from "@codemirror/view";
import { tags } from "@lezer/highlight";

/** The tokens of the theme reach into the shadow root as variables, so one look serves light and dark. */
const frame = EditorView.theme({
  "&": {
    height: "100%",
    backgroundColor: "var(--color-code-bg)",
    color: "var(--color-text)",
    fontSize: "0.75rem",
  },
  "&.cm-focused": { outline: "none" },
  ".cm-scroller": { fontFamily: "var(--font-mono)", lineHeight: "1.25rem" },
  ".cm-content": { padding: "4px 0", caretColor: "var(--color-text)" },
  ".cm-cursor": { borderLeftColor: "var(--color-text)" },
  ".cm-gutters": { backgroundColor: "var(--color-code-bg)", color: "var(--color-faint)", border: "none" },
  ".cm-activeLine, .cm-activeLineGutter": { backgroundColor: "var(--color-hover)" },
  "&.cm-focused > .cm-scroller > .cm-selectionLayer .cm-selectionBackground, .cm-selectionBackground": {
    backgroundColor: "light-dark(#d5d3f8, #423f7d)",
  },
  ".cm-selectionMatch": { backgroundColor: "var(--color-active)" },
  "&.cm-focused .cm-matchingBracket": {
    backgroundColor: "var(--color-active)",
    outline: "1px solid var(--color-line-strong)",
  },
  ".cm-tooltip": {
    backgroundColor: "var(--color-raised)",
    color: "var(--color-text)",
    border: "1px solid var(--color-line-strong)",
    borderRadius: "6px",
    boxShadow: "0 6px 24px rgb(0 0 0 / 16%)",
    overflow: "hidden",
  },
  ".cm-tooltip.cm-tooltip-autocomplete > ul": { fontFamily: "var(--font-mono)", maxHeight: "16rem" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li": { padding: "2px 8px", lineHeight: "1.25rem" },
  ".cm-tooltip.cm-tooltip-autocomplete > ul > li[aria-selected]": {
    backgroundColor: "var(--color-selected)",
    color: "var(--color-text)",
  },
  ".cm-completionMatchedText": { textDecoration: "none", color: "var(--color-accent)", fontWeight: "600" },
  ".cm-completionDetail": { color: "var(--color-muted)", fontStyle: "normal", marginLeft: "1em" },
  ".cm-tooltip.cm-completionInfo": {
    padding: "6px 8px",
    maxWidth: "24rem",
    whiteSpace: "pre-wrap",
    fontFamily: "var(--font-sans)",
  },
  ".cm-diagnostic": { fontFamily: "var(--font-sans)", padding: "4px 8px", whiteSpace: "pre-wrap" },
  ".cm-diagnostic-error": { borderLeftColor: "var(--color-fail-fill)" },
  ".cm-diagnostic-warning": { borderLeftColor: "var(--color-wait-fill)" },
  ".cm-lintRange-error": { backgroundImage: "none", textDecoration: "underline wavy var(--color-fail-fill)" },
  ".cm-lintRange-warning": {
    backgroundImage: "none",
    textDecoration: "underline wavy var(--color-wait-fill)",
  },
  // The marks that come with it are pictures in data: URLs, which say nothing in words either.
  ".cm-lint-marker": { width: "0.9em", height: "0.9em" },
  ".cm-lint-marker-error": {
    content: "none",
    backgroundColor: "var(--color-fail-fill)",
    borderRadius: "50%",
  },
  ".cm-lint-marker-warning": {
    content: "none",
    backgroundColor: "var(--color-wait-fill)",
    borderRadius: "2px",
  },
  ".cm-panels": { backgroundColor: "var(--color-sunken)", color: "var(--color-text)" },
  ".cm-panels.cm-panels-top": { borderBottom: "1px solid var(--color-line)" },
  ".cm-textfield": {
    backgroundColor: "var(--color-bg)",
    border: "1px solid var(--color-field)",
    borderRadius: "4px",
  },
  ".cm-button": {
    backgroundImage: "none",
    backgroundColor: "var(--color-raised)",
    border: "1px solid var(--color-line-strong)",
    borderRadius: "4px",
  },
  ".cm-searchMatch": { backgroundColor: "var(--color-wait-bg)", outline: "1px solid var(--color-wait-fill)" },
  ".cm-hidden-character": {
    border: "1px solid var(--color-wait-fill)",
    backgroundColor: "var(--color-wait-bg)",
    color: "var(--color-wait)",
    borderRadius: "4px",
    padding: "0 2px",
    fontSize: "0.6875rem",
  },
});

const colours = HighlightStyle.define([
  { tag: [tags.keyword, tags.modifier, tags.operatorKeyword], color: "var(--color-code-keyword)" },
  { tag: [tags.string, tags.special(tags.string), tags.regexp], color: "var(--color-code-string)" },
  { tag: [tags.number, tags.bool, tags.null, tags.atom], color: "var(--color-code-number)" },
  {
    tag: [tags.propertyName, tags.function(tags.variableName), tags.typeName, tags.className],
    color: "var(--color-code-name)",
  },
  { tag: [tags.comment, tags.meta], color: "var(--color-code-comment)", fontStyle: "italic" },
  { tag: tags.invalid, color: "var(--color-fail)" },
]);

export const editorLook: Extension = [frame, syntaxHighlighting(colours)];

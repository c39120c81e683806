/* In every page of the tests, before anything of the page itself: what a test asks the page, and what the page tells of itself. */
(() => {
  /** Words that the rig counts as a fault. */
  const tell = (text) => console.error(`fault of the page: ${text}`);

  // Also violations that the browser does not write to its console.
  document.addEventListener("securitypolicyviolation", (event) => {
    tell(`${event.violatedDirective} ${event.blockedURI} ${event.sourceFile}:${event.lineNumber}`);
  });
  // What the texts of test/corpus/xss.ts call.
  globalThis.__xss = (number) => tell(`the text ${number} was executed`);

  /** Every element, in shadow roots too: the editor is in one. */
  function* elementsIn(root) {
    for (const element of root.querySelectorAll("*")) {
      yield element;
      if (element.shadowRoot !== null) yield* elementsIn(element.shadowRoot);
    }
  }

  const FOREIGN = new Set([
    "IFRAME",
    "FRAME",
    "OBJECT",
    "EMBED",
    "BASE",
    "PORTAL",
    "MARQUEE",
    "STYLE",
    "AUDIO",
    "VIDEO",
  ]);
  const ADDRESSES = [
    "href",
    "src",
    "srcset",
    "action",
    "formaction",
    "poster",
    "data",
    "xlink:href",
    "background",
  ];

  function problemOf(element) {
    const name = element.tagName.toUpperCase();
    const shown = element.outerHTML.slice(0, 200);
    if (FOREIGN.has(name)) return `foreign element: ${shown}`;
    if (
      name === "SCRIPT" &&
      (!element.src.startsWith(`${location.origin}/console/`) || element.textContent !== "")
    )
      return `script: ${shown}`;
    if (name === "META" && element.httpEquiv !== "") return `meta: ${shown}`;
    if (name === "LINK" && !element.href.startsWith(`${location.origin}/`)) return `link: ${shown}`;
    for (const { name: attribute } of element.attributes)
      if (/^on/i.test(attribute) || attribute === "srcdoc") return `handler: ${shown}`;
    for (const attribute of ADDRESSES) {
      const value = element.getAttribute(attribute);
      if (value !== null && !isSafeAddress(element, value)) return `address: ${shown}`;
    }
    return undefined;
  }

  function isSafeAddress(element, value) {
    const url = URL.parse(value, document.baseURI);
    if (url === null) return false;
    if (url.origin === location.origin) return true;
    if (element.tagName === "IMG") return url.protocol === "data:" || url.protocol === "blob:";
    const isLink = element.tagName === "A" && url.protocol === "https:";
    return (
      isLink && element.rel.split(" ").includes("noopener") && url.username === "" && url.password === ""
    );
  }

  /** Everything in the document that came from a text and is more than text. */
  function audit() {
    const problems = [...elementsIn(document)].map(problemOf).filter((problem) => problem !== undefined);
    if (/xss/i.test(document.title) && !document.title.includes("Repertoire"))
      problems.push(`title: ${document.title}`);
    return problems;
  }

  /** Whether it scrolls inside of something else. */
  function isClipped(element) {
    for (
      let above = element.parentElement;
      above !== null && above !== document.body;
      above = above.parentElement
    )
      if (/auto|scroll|hidden|clip/.test(getComputedStyle(above).overflowX)) return true;
    return false;
  }

  /** What is wider than the window, the widest first; empty where the page does not scroll sideways. */
  function overflow() {
    const root = document.documentElement;
    const width = root.clientWidth;
    if (root.scrollWidth <= width && document.body.scrollWidth <= width) return [];
    return [...elementsIn(document)]
      .map((element) => ({ element, right: element.getBoundingClientRect().right }))
      .filter(({ element, right }) => right > width + 1 && !isClipped(element))
      .sort((one, other) => other.right - one.right)
      .slice(0, 5)
      .map(({ element, right }) => `${Math.round(right)} px: ${element.outerHTML.slice(0, 160)}`);
  }

  const nextFrame = () => new Promise((resolve) => requestAnimationFrame(resolve));

  /** Frames in which nothing may move, for a page to stand still: a colour that changes is handed down element by element. */
  const STILL_FRAMES = 3;

  /** Resolves when nothing moves any more but what never ends. */
  async function still() {
    for (let quiet = 0; quiet < STILL_FRAMES;) {
      await nextFrame();
      const moving = document
        .getAnimations()
        .filter(
          (each) => each.playState === "running" && each.effect.getComputedTiming().endTime !== Infinity,
        );
      quiet = moving.length === 0 ? quiet + 1 : 0;
    }
  }

  /** The element inside of another that scrolls farthest down. */
  function scrollerIn(root) {
    const all = [root, ...elementsIn(root)].filter(
      (each) =>
        each.scrollHeight > each.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(each).overflowY),
    );
    return all.sort((one, other) => other.scrollHeight - one.scrollHeight)[0];
  }

  /** Of a screen, so many frames: as fast as a wheel is turned. */
  const PARTS = 4;

  /**
   * Scrolls so many screens, one part of a screen for each frame: the time of each frame, and the most rows that were in the
   * document at a time.
   */
  async function scrollThrough(selector, screens) {
    const scroller = scrollerIn(document.querySelector(selector) ?? document.body);
    if (scroller === undefined) return { frames: [], rowsMax: 0, height: 0, reached: 0 };
    const frames = [];
    let rowsMax = 0;
    const step = scroller.clientHeight / PARTS;
    let before = await nextFrame();
    for (let at = 0; at < screens * PARTS; at += 1) {
      scroller.scrollTop =
        (scroller.scrollTop + step) % Math.max(1, scroller.scrollHeight - scroller.clientHeight + step);
      const now = await nextFrame();
      frames.push(now - before);
      before = now;
      rowsMax = Math.max(rowsMax, document.querySelectorAll("[role=row]").length);
    }
    return { frames, rowsMax, height: scroller.scrollHeight, reached: scroller.scrollTop };
  }

  /** The time when so many elements are there; a test that polls would add its own waits to it. */
  function whenThere(selector, text, count) {
    const isThere = () =>
      [...document.querySelectorAll(selector)].filter((each) => each.textContent.includes(text)).length >=
      count;
    return new Promise((resolve) => {
      const look = () => {
        if (!isThere()) return;
        observer.disconnect();
        resolve(Date.now());
      };
      const observer = new MutationObserver(look);
      observer.observe(document.body, { subtree: true, childList: true, characterData: true });
      look();
    });
  }

  /** Where the focus is, and whether it can be seen. */
  function focus() {
    let element = document.activeElement;
    while (element?.shadowRoot?.activeElement) element = element.shadowRoot.activeElement;
    if (element === null || element === document.body) return null;
    const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(element);
    const { width, height } = element.getBoundingClientRect();
    const isVisible =
      (outlineStyle !== "none" && Number.parseFloat(outlineWidth) > 0) || boxShadow !== "none";
    const name = (element.getAttribute("aria-label") ?? element.textContent ?? "").trim().slice(0, 60);
    return {
      tag: element.tagName.toLowerCase(),
      name,
      isVisible,
      isSeen: width > 0 && height > 0,
      html: element.outerHTML.slice(0, 160),
    };
  }

  globalThis.inPage = { audit, overflow, still, scrollThrough, scrollerIn, whenThere, focus };
})();

import { Link } from "@tanstack/react-router";
import { useEffect, useRef, type ReactNode } from "react";
import { CopyButton } from "../../../parts/copy-button.tsx";
import { ErrorText } from "../../../parts/error-state.tsx";
import { JsonView } from "../../../parts/json-view.tsx";
import { Section } from "../../../parts/page.tsx";
import { Bytes } from "../../../parts/quantity.tsx";
import { StatusBadge } from "../../../parts/status.tsx";
import { Duration } from "../../../parts/time.tsx";
import { Visible } from "../../../parts/visible.tsx";
import { WaitsNotice } from "../../../parts/waits-notice.tsx";
import { blocksOf, repeats, type AnswerBlock } from "../answer-blocks.ts";
import { stateOf, type CallAnswer, type Try } from "./try-store.ts";

/** A longer text is a file; it is copied whole. */
const TEXT_LENGTH_MAX = 100_000;
/** Of one answer. */
const BLOCKS_MAX = 50;

/** What a call came to; it scrolls into sight when it comes. */
export function AnswerView({ one }: { readonly one: Try }): ReactNode {
  const frame = useRef<HTMLDivElement>(null);
  useEffect(() => {
    frame.current?.scrollIntoView({ block: "nearest" });
  }, []);
  const { answer, error, state, at } = one;
  return (
    <div ref={frame} aria-live="polite" className="scroll-mb-4">
      <Section
        title="Answer"
        aside={<StatusBadge state={stateOf(one)} />}
        actions={
          <>
            {state !== "failed" && (
              <Duration
                ms={answer?.elapsed_ms}
                since={state === "under_way" ? at : undefined}
                className="text-muted"
              />
            )}
            {answer !== undefined && (
              <CopyButton text={() => JSON.stringify(answer, null, 2)} label="Copy the answer" />
            )}
          </>
        }
      >
        {error !== undefined && <Failure error={error} />}
        {answer !== undefined && <AnswerContent answer={answer} />}
      </Section>
    </div>
  );
}

/** A call that waits for a person has not failed. */
function Failure({ error }: { readonly error: NonNullable<Try["error"]> }): ReactNode {
  return error.code === "APPROVAL_REQUIRED" ? (
    <WaitsNotice message={error.message} link={<InboxLink />} />
  ) : (
    <ErrorText error={error} />
  );
}

function InboxLink(): ReactNode {
  return (
    <Link to="/inbox" className="text-accent underline underline-offset-2">
      Open the inbox
    </Link>
  );
}

function AnswerContent({
  answer: { content, structuredContent },
}: {
  readonly answer: CallAnswer;
}): ReactNode {
  const blocks = blocksOf(content.slice(0, BLOCKS_MAX)).filter((block) => !repeats(block, structuredContent));
  const isEmpty = blocks.length === 0 && structuredContent === undefined;
  return (
    <div className="flex flex-col gap-2">
      {structuredContent !== undefined && (
        <Block title="Structured">
          <JsonView value={structuredContent} label="Structured content" depth={3} />
        </Block>
      )}
      {blocks.map((block, at) => (
        <BlockView key={at} block={block} />
      ))}
      {content.length > BLOCKS_MAX && (
        <p className="text-muted">And {content.length - BLOCKS_MAX} more blocks.</p>
      )}
      {isEmpty && <p className="text-muted">The tool answered with nothing.</p>}
    </div>
  );
}

function BlockView({ block }: { readonly block: AnswerBlock }): ReactNode {
  switch (block.kind) {
    case "text":
      return (
        <Block title="Text">
          <p className="foreign font-mono text-xs">
            <Visible text={block.text} max={TEXT_LENGTH_MAX} />
          </p>
        </Block>
      );
    case "json":
      return (
        <Block title="JSON text">
          <JsonView value={block.value} label="JSON text" depth={3} />
        </Block>
      );
    case "image":
      return (
        <Block title="Image" aside={<Bytes value={block.bytes} />}>
          <img src={block.url} alt="From the answer of the tool" className="max-h-96 max-w-full bg-bg" />
        </Block>
      );
    case "other":
      return (
        <Block title={<Visible text={block.type} max={60} />}>
          <JsonView value={block.value} label="Content" depth={2} />
        </Block>
      );
  }
}

function Block(props: {
  readonly title: ReactNode;
  readonly aside?: ReactNode;
  readonly children: ReactNode;
}): ReactNode {
  return (
    <figure className="m-0 overflow-hidden rounded-md bg-code-bg inset-ring inset-ring-line">
      <figcaption className="flex items-center gap-2 px-3 pt-1.5 text-2xs text-muted">
        {props.title}
        {props.aside}
      </figcaption>
      <div className="max-h-[32rem] overflow-auto px-3 pt-0.5 pb-2">{props.children}</div>
    </figure>
  );
}

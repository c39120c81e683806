import { lazy, Suspense, useId, type ReactNode } from "react";
import { JsonView } from "../../parts/json-view.tsx";
import { Section } from "../../parts/page.tsx";
import { Skeleton } from "../../parts/skeleton.tsx";
import { Time } from "../../parts/time.tsx";
import { Visible } from "../../parts/visible.tsx";
import type { UncertainCall } from "./item-details.ts";
import { CHOICE_WORDS, type UncertainAnswer, type UncertainChoice } from "./uncertain-answers.ts";

const CodeEditor = lazy(async () => ({ default: (await import("../../parts/code-editor.tsx")).CodeEditor }));

const CHOICES = Object.keys(CHOICE_WORDS) as readonly UncertainChoice[];

export interface UncertainCallFieldsProps {
  readonly call: UncertainCall;
  readonly answer: UncertainAnswer;
  readonly onChange: (answer: UncertainAnswer) => void;
  readonly error: string | undefined;
}

/** What was sent, and the three ways to go on. */
export function UncertainCallFields({ call, answer, onChange, error }: UncertainCallFieldsProps): ReactNode {
  const group = useId();
  return (
    <Section
      title={<Visible text={call.tool} />}
      aside={
        <>
          {call.step !== undefined && `step ${call.step}`}
          {call.sentAt !== undefined && (
            <>
              sent <Time at={call.sentAt} />
            </>
          )}
        </>
      }
    >
      <h3 className="mb-1 text-xs font-medium text-muted">Sent with</h3>
      <JsonView value={call.args ?? {}} label={`Arguments of ${call.tool}`} depth={4} />
      <fieldset className="mt-3 grid gap-2">
        <legend className="sr-only">How the run goes on after {call.tool}</legend>
        {CHOICES.map((choice) => (
          <label key={choice} className="grid grid-cols-[auto_minmax(0,1fr)] gap-x-2">
            <input
              type="radio"
              name={group}
              checked={answer.choice === choice}
              onChange={() => onChange({ ...answer, choice })}
              className="mt-[3px] size-3.5 accent-accent-fill"
            />
            <span className="font-medium">{CHOICE_WORDS[choice].title}</span>
            <span className="col-start-2 max-w-prose text-pretty text-muted">
              {CHOICE_WORDS[choice].means}
            </span>
          </label>
        ))}
      </fieldset>
      {answer.choice === "result" && (
        <div className="mt-2">
          <Suspense fallback={<Skeleton className="h-24 w-full" />}>
            <CodeEditor
              value={answer.text}
              onChange={(text) => onChange({ ...answer, text })}
              language="json"
              label={`The result of ${call.tool}, as JSON`}
              minLines={4}
              maxLines={16}
            />
          </Suspense>
          {error !== undefined && (
            <p role="status" className="foreign mt-1 text-xs text-fail">
              {error}
            </p>
          )}
        </div>
      )}
    </Section>
  );
}

import type { Score } from "@agate/protocol";
import { ThumbsDown, ThumbsUp } from "lucide-react";
import { useState } from "react";
import { Badge } from "../design/badge.tsx";
import { Button, IconButton } from "../design/button.tsx";
import { Field, TextArea } from "../design/field.tsx";
import { formatTime } from "../format/format-time.ts";
import { scoreText, sourceText } from "../spans/score-text.ts";
import { JsonView } from "../value-view/json-view.tsx";
import { LongText } from "../value-view/long-text.tsx";
import { ShowMore } from "../value-view/show-more.tsx";
import { DetailSection, Facts } from "./detail-section.tsx";
import type { Thumb } from "./own-rating.ts";
import type { Rating } from "./use-rating.ts";

const THUMBS = [
  ["up", "Thumbs up", ThumbsUp],
  ["down", "Thumbs down", ThumbsDown],
] as const;

const PRESSED: Record<Thumb, string> = {
  up: "bg-success-soft text-success hover:bg-success-soft hover:text-success",
  down: "bg-danger-soft text-danger hover:bg-danger-soft hover:text-danger",
};

/** Rates a span; the pressed thumb is the user's rating. */
export function Thumbs({ rating }: { readonly rating: Rating }) {
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset cannot be laid out in a line with others
    <div role="group" aria-label="Your rating" className="flex gap-0.5">
      {THUMBS.map(([thumb, label, icon]) => (
        <IconButton
          key={thumb}
          icon={icon}
          label={label}
          aria-pressed={rating.thumb === thumb}
          refusal={rating.refusal}
          {...(rating.thumb === thumb && { className: PRESSED[thumb] })}
          onClick={() => {
            if (rating.thumb !== thumb) rating.rate(thumb);
          }}
        />
      ))}
    </div>
  );
}

/** The scores of a span, and a comment on the user's rating. */
export function ScoresTab({ rating }: { readonly rating: Rating }) {
  const { scores, thumb } = rating;
  return (
    <>
      {thumb !== null && (
        <DetailSection title="Your rating">
          <Comment rating={rating} />
        </DetailSection>
      )}
      {scores.length === 0 ? (
        <p className="p-4 text-ink-soft">No scores yet. Rate the span with a thumb above.</p>
      ) : (
        <ShowMore items={scores} step={100}>
          {(shown) => (
            <ol aria-label="Scores">
              {shown.map((score) => (
                <li
                  key={score.id}
                  className="flex flex-col gap-1.5 border-b border-line px-4 py-3 last:border-b-0"
                >
                  <ScoreItem score={score} />
                </li>
              ))}
            </ol>
          )}
        </ShowMore>
      )}
    </>
  );
}

/** The longest explanation that the platform takes. */
const LONGEST_COMMENT = 4000;

function Comment({ rating }: { readonly rating: Rating }) {
  /** Null: as saved. */
  const [draft, setDraft] = useState<string | null>(null);
  const text = draft ?? rating.comment;
  const isChanged = text.trim() !== rating.comment;
  return (
    <form
      className="flex flex-col items-start gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        if (isChanged) rating.saveComment(text);
      }}
    >
      <div className="w-full">
        <Field label="Comment (optional)">
          {(ids) => (
            <TextArea
              {...ids}
              value={text}
              maxLength={LONGEST_COMMENT}
              onChange={(event) => setDraft(event.target.value)}
            />
          )}
        </Field>
      </div>
      <Button
        size="small"
        type="submit"
        disabled={!isChanged || rating.isSaving}
        refusal={rating.refusal}
      >
        {rating.isSaving ? "Saving…" : "Save comment"}
      </Button>
    </form>
  );
}

function ScoreItem({ score }: { readonly score: Score }) {
  const { name, value, explanation, error, source, status, run, column, trial, metadata } = score;
  const time = formatTime(score.created_at);
  return (
    <>
      <div className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
        <h3 className="min-w-0 truncate font-medium" title={name}>
          {name}
        </h3>
        <Badge
          tone={status === "ok" ? "accent" : status === "failed" ? "danger" : "neutral"}
          {...(value !== null && { title: String(value) })}
        >
          <bdi className="truncate">{scoreText(score)}</bdi>
        </Badge>
        <span className="flex-1" />
        <time dateTime={score.created_at} className="text-[0.93rem] text-ink-soft">
          {time}
        </time>
      </div>
      <p className="text-[0.93rem] wrap-anywhere text-ink-soft">
        <bdi>{sourceText(source)}</bdi>
      </p>
      {error !== null && error !== "" && (
        <div
          role="note"
          aria-label="Reason"
          className={
            status === "failed"
              ? "rounded-md bg-danger-soft px-2.5 py-1.5 text-danger"
              : "rounded-md bg-sunken px-2.5 py-1.5"
          }
        >
          <LongText text={error} limit={300} />
        </div>
      )}
      {explanation !== null && explanation !== "" && <LongText text={explanation} />}
      {run !== null && (
        <Facts
          facts={[
            ["Run", run],
            ["Case", score.case],
            ["Column", column],
            ["Trial", trial === null ? null : String(trial)],
          ]}
        />
      )}
      {metadata !== null && <JsonView value={metadata} label={`Metadata of ${name}`} />}
    </>
  );
}

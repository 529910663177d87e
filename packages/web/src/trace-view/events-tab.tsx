import type { SpanRecord } from "@agate/protocol";
import { formatDuration } from "@agate/protocol/format";
import { CircleAlert, Clock } from "lucide-react";
import { shownName } from "../spans/shown-name.ts";
import { JsonView } from "../value-view/json-view.tsx";
import { LongText } from "../value-view/long-text.tsx";
import { ShowMore } from "../value-view/show-more.tsx";
import { milliseconds, spanTimes } from "./span-times.ts";

type SpanEvent = SpanRecord["metadata"]["events"][number];

/** The events of a span, with the time since its start. */
export function EventsTab({ span }: { readonly span: SpanRecord }) {
  const { events } = span.metadata;
  const { start } = spanTimes(span);
  if (events.length === 0) return <p className="p-4 text-ink-soft">No events recorded.</p>;
  return (
    <ShowMore items={events} step={100}>
      {(shown) => (
        <ol aria-label="Events">
          {shown.map((event, index) => (
            <li
              // biome-ignore lint/suspicious/noArrayIndexKey: recorded events do not change places.
              key={index}
              className="flex flex-col gap-1.5 border-b border-line px-4 py-3 last:border-b-0"
            >
              <Event event={event} start={start} />
            </li>
          ))}
        </ol>
      )}
    </ShowMore>
  );
}

function Event({ event, start }: { readonly event: SpanEvent; readonly start: number }) {
  const {
    "exception.type": type,
    "exception.message": message,
    "exception.stacktrace": stack,
    ...others
  } = event.attributes;
  const isException = event.name === "exception";
  const Icon = isException ? CircleAlert : Clock;
  const rest = isException ? others : event.attributes;
  return (
    <>
      <div className="flex min-w-0 items-center gap-2">
        <Icon
          size={15}
          aria-hidden
          className={isException ? "shrink-0 text-danger" : "shrink-0 text-ink-soft"}
        />
        <bdi className="min-w-0 flex-1 truncate font-medium" title={event.name}>
          {shownName(isException && typeof type === "string" ? type : event.name)}
        </bdi>
        <time
          dateTime={event.time}
          title={event.time}
          className="shrink-0 text-[0.93rem] text-ink-soft tabular-nums"
        >
          {sinceText(milliseconds(event.time) - start)}
        </time>
      </div>
      {isException && message !== undefined && (
        <LongText text={String(message)} className="text-danger" />
      )}
      {isException && stack !== undefined && (
        <LongText
          text={String(stack)}
          className="overflow-x-auto rounded-md bg-sunken p-2.5 font-mono text-[0.93rem]"
        />
      )}
      {Object.keys(rest).length > 0 && (
        <JsonView value={rest} label={`Attributes of ${event.name}`} openDepth={1} />
      )}
    </>
  );
}

/** @example sinceText(12) // "+12.0 ms" */
function sinceText(sinceStart: number): string {
  return sinceStart < 0
    ? `−${formatDuration(-sinceStart)}`
    : `+${sinceStart === 0 ? "0" : formatDuration(sinceStart)}`;
}

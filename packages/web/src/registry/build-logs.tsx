import { useEffect, useRef } from "react";
import { Badge } from "../design/badge.tsx";
import { classNames } from "../design/class-names.ts";
import { formatTime } from "../format/format-time.ts";
import { Disclosure } from "./disclosure.tsx";
import { useLogLines } from "./use-log-lines.ts";

/** What the builds of an application print, as it comes. Read only while it is open. */
export function BuildLogs({ app }: { readonly app: string }) {
  return (
    <div className="border-t border-line px-4 py-2.5">
      <Disclosure label="Log">
        <LogTail app={app} />
      </Disclosure>
    </div>
  );
}

function LogTail({ app }: { readonly app: string }) {
  const { lines, state } = useLogLines(app);
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: new lines are why it scrolls
  useEffect(() => {
    // Whoever has scrolled up reads: nothing is moved under their eyes.
    if (isAtEnd.current && box.current !== null) box.current.scrollTop = box.current.scrollHeight;
  }, [lines]);
  return (
    <div>
      <div
        ref={box}
        role="log"
        aria-label="Log"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, so the keyboard must reach it
        tabIndex={0}
        onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
          isAtEnd.current = scrollHeight - scrollTop - clientHeight < 8;
        }}
        className="max-h-72 overflow-auto rounded-md bg-sunken px-3 py-2 font-mono text-xs leading-5"
      >
        {lines.length === 0 && <p className="text-ink-soft">Nothing was printed yet.</p>}
        {lines.map(({ key, time, build, stream, line }) => (
          <p key={key} className="flex gap-3">
            <time dateTime={time} className="shrink-0 text-ink-soft max-md:hidden">
              {formatTime(time)}
            </time>
            <span className="shrink-0 text-ink-soft">{build === 0 ? "dev" : build}</span>
            {stream !== "stdout" && (
              <span
                className={classNames(
                  "shrink-0",
                  stream === "stderr" ? "text-danger" : "text-accent",
                )}
              >
                {stream}
              </span>
            )}
            <span className="min-w-0 break-all whitespace-pre-wrap">{line}</span>
          </p>
        ))}
      </div>
      <p className="mt-1.5">
        <Badge tone={state === "following" ? "success" : "warning"}>
          {state === "following" ? "Shows new lines as they come" : "Connecting…"}
        </Badge>
      </p>
    </div>
  );
}

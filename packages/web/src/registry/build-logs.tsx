import type { LogLine } from "@agate/protocol";
import { DEV_BUILD } from "@agate/protocol";
import { readLines, reconnect } from "@agate/protocol/client";
import { useQuery } from "@tanstack/react-query";
import { useEffect, useRef, useState } from "react";
import { applicationPath, environmentsQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { Badge } from "../design/badge.tsx";
import { classNames } from "../design/class-names.ts";
import { Select } from "../design/field.tsx";
import { formatTime } from "../format/format-time.ts";
import { orderEnvironments } from "../revisions/order-environments.ts";
import { Disclosure } from "./disclosure.tsx";

/** The log of an application, of one environment or of all, loaded while it is expanded. */
export function BuildLogs({ app }: { readonly app: string }) {
  const [environment, setEnvironment] = useState("");
  const environments = useQuery(environmentsQuery(usePlatform(), app)).data ?? [];
  return (
    <div className="border-t border-line px-4 py-2.5">
      <Disclosure label="Log">
        <div className="flex flex-col gap-2">
          <Select
            aria-label="Environment of the log"
            className="self-start"
            value={environment}
            onChange={(event) => setEnvironment(event.target.value)}
          >
            <option value="">All environments</option>
            {orderEnvironments(environments).map(({ slug }) => (
              <option key={slug} value={slug}>
                {slug}
              </option>
            ))}
          </Select>
          <LogTail key={environment} app={app} environment={environment} />
        </div>
      </Disclosure>
    </div>
  );
}

interface LogTailProps {
  readonly app: string;
  /** Empty: of all. */
  readonly environment: string;
}

function LogTail({ app, environment }: LogTailProps) {
  const { lines, state } = useLogLines(app, environment);
  const box = useRef<HTMLDivElement>(null);
  const isAtEnd = useRef(true);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it scrolls for new lines
  useEffect(() => {
    // Does not scroll while the user reads further up.
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
        {lines.length === 0 && <p className="text-ink-soft">No output yet</p>}
        {lines.map(({ key, time, build, environment: from, stream, line }) => (
          <p key={key} className="flex gap-3">
            <time dateTime={time} className="shrink-0 text-ink-soft max-md:hidden">
              {formatTime(time)}
            </time>
            {environment === "" && from !== null && (
              <span className="max-w-32 shrink-0 truncate text-ink-soft">{from}</span>
            )}
            <span className="shrink-0 text-ink-soft">{build === DEV_BUILD ? "dev" : build}</span>
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
          {state === "following" ? "Following log" : "Connecting…"}
        </Badge>
      </p>
    </div>
  );
}

/** Older lines are dropped, to bound the page's memory. */
const MOST_LINES = 1000;
const TAIL = 200;

/** A line with its key in the list. */
interface KeyedLine extends LogLine {
  readonly key: number;
}

interface Log {
  readonly lines: readonly KeyedLine[];
  readonly state: "connecting" | "following";
}

/** The last lines of an application's log, and new ones as they arrive. */
function useLogLines(app: string, environment: string): Log {
  const client = usePlatform();
  const [log, setLog] = useState<Log>({ lines: [], state: "connecting" });
  useEffect(() => {
    const end = new AbortController();
    const connect = async (established: () => void) => {
      const response = await client.open("GET", `${applicationPath(app)}/logs`, undefined, {
        query: { tail: TAIL, follow: "true", environment },
        signal: end.signal,
      });
      established();
      // The stream begins with the last lines, so those shown before are replaced.
      setLog({ lines: [], state: "following" });
      if (response.body === null) return;
      let key = 0;
      for await (const line of readLines(response.body)) {
        const next = { ...(JSON.parse(line) as LogLine), key: key++ };
        setLog(({ lines }) => ({
          lines: [...lines.slice(1 - MOST_LINES), next],
          state: "following",
        }));
      }
    };
    const onLost = () => setLog(({ lines }) => ({ lines, state: "connecting" }));
    void reconnect({ connect, onLost, signal: end.signal });
    return () => end.abort();
  }, [client, app, environment]);
  return log;
}

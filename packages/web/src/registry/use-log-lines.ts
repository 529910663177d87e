import type { LogLine } from "@agate/protocol";
import { useEffect, useState } from "react";
import { applicationPath } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { readLines } from "../api/read-lines.ts";

/** More than that nobody reads here. */
const MOST_LINES = 1000;
const TAIL = 200;
const ASK_AGAIN_MS = 3000;

/** A line with its key in the list. */
interface KeyedLine extends LogLine {
  readonly key: number;
}

interface Log {
  readonly lines: readonly KeyedLine[];
  readonly state: "connecting" | "following";
}

/** The last lines that the builds of an application printed, and those that come. */
export function useLogLines(app: string): Log {
  const client = usePlatform();
  const [log, setLog] = useState<Log>({ lines: [], state: "connecting" });
  useEffect(() => {
    const end = new AbortController();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const follow = async () => {
      let key = 0;
      try {
        const response = await client.open("GET", `${applicationPath(app)}/logs`, undefined, {
          query: { tail: TAIL, follow: "true" },
          signal: end.signal,
        });
        // The tail is told anew: what was shown before is part of it.
        setLog({ lines: [], state: "following" });
        for await (const line of readLines(response)) {
          const next = { ...(JSON.parse(line) as LogLine), key: key++ };
          setLog(({ lines }) => ({
            lines: [...lines.slice(1 - MOST_LINES), next],
            state: "following",
          }));
        }
      } catch {
        // Away, or refused: said by the state, and asked again.
      }
      if (end.signal.aborted) return;
      setLog(({ lines }) => ({ lines, state: "connecting" }));
      timer = setTimeout(() => void follow(), ASK_AGAIN_MS);
    };
    void follow();
    return () => {
      end.abort();
      clearTimeout(timer);
    };
  }, [client, app]);
  return log;
}

import type { Environment } from "@agate/protocol";
import { formatBytes, plural } from "@agate/protocol/format";
import { useQuery } from "@tanstack/react-query";
import { Server } from "lucide-react";
import { serversQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { Badge } from "../design/badge.tsx";
import { Card } from "../design/panels.tsx";
import type { Tone } from "../design/tone.ts";
import { Ago } from "../revisions/ago.tsx";
import { Loaded } from "../revisions/loaded.tsx";
import {
  type ServerCondition,
  type ServerRow,
  serverProblem,
  serverRows,
} from "./server-conditions.ts";

/** Polls, because no stream reports what servers run. */
const REFRESH_MS = 5000;

interface ServersProps {
  readonly app: string;
  readonly environment: Environment;
}

function useServers(app: string) {
  return useQuery({ ...serversQuery(usePlatform(), app), refetchInterval: REFRESH_MS });
}

/** What each server runs in an environment. Not shown for what runs elsewhere. */
export function ServersCard({ app, environment }: ServersProps) {
  const servers = useServers(app);
  const isHosted = environment.deployment?.build?.kind === "hosted";
  const rows = serverRows(servers.data ?? [], environment);
  if (!isHosted && rows.length === 0) return null;
  const problem = serverProblem(rows);
  return (
    <Card title="Servers" actions={problem && <Badge tone={problem.tone}>{problem.text}</Badge>}>
      <Loaded query={servers}>
        {() =>
          rows.length === 0 ? (
            <p className="px-4 py-6 text-center text-ink-soft">No server has reported yet.</p>
          ) : (
            <ul className="divide-y divide-line">
              {rows.map((row) => (
                <Row key={row.server} row={row} live={environment.deployment?.build?.number} />
              ))}
            </ul>
          )
        }
      </Loaded>
    </Card>
  );
}

/** The problem of an environment's servers; nothing while there is none. */
export function ServersBadge({ app, environment }: ServersProps) {
  const servers = useServers(app);
  const problem = serverProblem(serverRows(servers.data ?? [], environment));
  return problem && <Badge tone={problem.tone}>{problem.text}</Badge>;
}

const CONDITIONS: Record<
  ServerCondition,
  { readonly tone: Tone; readonly word: string; readonly title: string }
> = {
  "crash-loop": {
    tone: "danger",
    word: "Crash loop",
    title: "Its processes end again and again. It starts the next one after a pause.",
  },
  behind: {
    tone: "warning",
    word: "Behind",
    title: "It still runs another build than the one that is live.",
  },
  switching: { tone: "neutral", word: "Switching", title: "It is starting the live build." },
  silent: {
    tone: "warning",
    word: "Silent",
    title: "It has missed a report. They come every 30 s.",
  },
  idle: {
    tone: "neutral",
    word: "Idle",
    title: "No process: it sleeps until the next call, or is being started.",
  },
  serving: { tone: "success", word: "Serving", title: "Its processes take calls." },
};

interface RowProps {
  readonly row: ServerRow;
  /** The number of the build that is live. */
  readonly live: number | undefined;
}

function Row({ row, live }: RowProps) {
  const { condition, build, last_exit: lastExit } = row;
  const { tone, word, title } = CONDITIONS[condition];
  const isOther = condition === "behind" || condition === "switching";
  return (
    <li className="flex flex-col gap-1 px-4 py-2.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Server size={15} aria-hidden className="shrink-0 text-ink-soft" />
        <span className="min-w-0 truncate font-mono text-[0.93rem] font-medium">{row.server}</span>
        <Badge tone={tone} title={title}>
          {word}
        </Badge>
        <span className="tabular-nums">{build === null ? "deleted build" : `build ${build}`}</span>
        {isOther && live !== undefined && (
          <span className="text-ink-soft">instead of build {live}</span>
        )}
        <span className="text-ink-soft tabular-nums">
          {processesText(row.processes)}
          {row.memory_bytes !== null && `, ${formatBytes(row.memory_bytes)}`}
          {row.restarts > 0 && `, ${plural(row.restarts, "restart")}`}
        </span>
        <span className="ml-auto text-ink-soft">
          reported <Ago time={row.reported_at} />
        </span>
      </div>
      {lastExit !== null && (
        <p className="pl-[27px] break-words text-ink-soft">Last exit: {lastExit}</p>
      )}
    </li>
  );
}

function processesText(count: number): string {
  if (count === 0) return "no process";
  return count === 1 ? "1 process" : `${count} processes`;
}

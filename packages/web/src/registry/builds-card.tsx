import type { Build, BuildStatus } from "@agate/protocol";
import { formatBytes } from "@agate/protocol/format";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { buildsQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { Badge } from "../design/badge.tsx";
import { Card } from "../design/panels.tsx";
import type { Tone } from "../design/tone.ts";
import { Ago } from "../revisions/ago.tsx";
import { commitText } from "../revisions/build-chip.tsx";
import { Loaded } from "../revisions/loaded.tsx";
import { orderEnvironments } from "../revisions/order-environments.ts";
import { ChangeButton } from "../revisions/read-only.tsx";
import { ActivateDialog, StopDialog } from "./build-dialogs.tsx";
import { BuildLogs } from "./build-logs.tsx";
import { MoreButton } from "./more-button.tsx";

const STATUSES: Record<BuildStatus, { readonly tone: Tone; readonly word: string }> = {
  starting: { tone: "warning", word: "starting" },
  live: { tone: "success", word: "live" },
  retired: { tone: "neutral", word: "retired" },
  refused: { tone: "danger", word: "rejected" },
};

interface BuildsCardProps {
  readonly app: string;
  readonly refreshMs: number;
}

/** The builds of an application, newest first, where each is live, and the log. */
export function BuildsCard({ app, refreshMs }: BuildsCardProps) {
  const builds = useInfiniteQuery({
    ...buildsQuery(usePlatform(), app),
    refetchInterval: refreshMs,
  });
  return (
    <Card title="Builds">
      <Loaded query={builds}>
        {({ pages }) =>
          pages[0]?.items.length === 0 ? (
            <p className="px-4 py-6 text-center text-ink-soft">
              No builds yet. <code className="font-mono">agate deploy</code> creates one.
            </p>
          ) : (
            <>
              <ul className="divide-y divide-line">
                {pages
                  .flatMap(({ items }) => items)
                  .map((build) => (
                    <BuildRow key={build.id} app={app} build={build} />
                  ))}
              </ul>
              <MoreButton query={builds}>Earlier builds</MoreButton>
              <BuildLogs app={app} />
            </>
          )
        }
      </Loaded>
    </Card>
  );
}

interface BuildRowProps {
  readonly app: string;
  readonly build: Build;
}

function BuildRow({ app, build }: BuildRowProps) {
  const { number, kind, status, message, commit, refusal } = build;
  return (
    <li className="flex flex-col gap-1.5 px-4 py-2.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-medium tabular-nums">Build {number}</span>
        <StatusBadges build={build} />
        {commit !== null && (
          <span className="font-mono text-[0.93rem] text-ink-soft" title={commit}>
            {commitText(commit)}
          </span>
        )}
        {message !== "" && <span className="min-w-0 truncate">“{message}”</span>}
        <span className="text-ink-soft">
          {build.created_by}, <Ago time={build.created_at} />
          {kind === "hosted" ? `, ${formatBytes(build.size)}` : ", runs elsewhere"}
        </span>
        <span className="ml-auto flex gap-1.5">
          {status === "live" && kind === "hosted" && (
            <AskButton app={app} build={build} action="Stop" />
          )}
          {(status === "live" || status === "retired") && kind === "hosted" && (
            <AskButton app={app} build={build} action="Activate" />
          )}
        </span>
      </div>
      {refusal !== null && (
        <pre className="max-h-40 overflow-auto rounded-md bg-danger-soft px-3 py-2 font-mono text-[0.93rem] break-words whitespace-pre-wrap">
          {refusal}
        </pre>
      )}
    </li>
  );
}

/** Where it is live, or what became of it. */
function StatusBadges({ build: { status, environments } }: { readonly build: Build }) {
  if (environments.length === 0) {
    const { tone, word } = STATUSES[status];
    return <Badge tone={tone}>{word}</Badge>;
  }
  return orderEnvironments(environments.map((slug) => ({ slug }))).map(({ slug }) => (
    <Badge key={slug} tone="success">
      live in {slug}
    </Badge>
  ));
}

interface AskButtonProps extends BuildRowProps {
  readonly action: "Activate" | "Stop";
}

function AskButton({ app, build, action }: AskButtonProps) {
  const [isAsking, setAsking] = useState(false);
  const Asked = action === "Activate" ? ActivateDialog : StopDialog;
  return (
    <>
      <ChangeButton
        look={action === "Activate" ? "plain" : "quiet"}
        size="small"
        scope="deploy"
        aria-label={`${action} build ${build.number}`}
        onClick={() => setAsking(true)}
      >
        {action}
      </ChangeButton>
      {isAsking && <Asked app={app} build={build} onClose={() => setAsking(false)} />}
    </>
  );
}

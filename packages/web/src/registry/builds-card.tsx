import type { Build, BuildStatus } from "@agate/protocol";
import { formatBytes } from "@agate/protocol/format";
import { useInfiniteQuery } from "@tanstack/react-query";
import { useState } from "react";
import { buildsQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { activateBuild, stopBuild } from "../api/registry-changes.ts";
import { Badge, type Tone } from "../design/badge.tsx";
import { Card } from "../design/panels.tsx";
import { useToaster } from "../design/toaster.tsx";
import { Ago } from "../revisions/ago.tsx";
import { Loaded } from "../revisions/loaded.tsx";
import { ChangeButton } from "../revisions/read-only.tsx";
import { BuildLogs } from "./build-logs.tsx";
import { ConfirmDialog } from "./confirm-dialog.tsx";
import { MoreButton } from "./more-button.tsx";

const STATUSES: Record<BuildStatus, { readonly tone: Tone; readonly word: string }> = {
  starting: { tone: "warning", word: "starting" },
  live: { tone: "success", word: "serving" },
  retired: { tone: "neutral", word: "retired" },
  refused: { tone: "danger", word: "rejected" },
};

interface BuildsCardProps {
  readonly app: string;
  readonly refreshMs: number;
}

/** The deployed builds of an application, newest first, and its log. */
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
  const { number, status, message, refusal } = build;
  const { tone, word } = STATUSES[status];
  return (
    <li className="flex flex-col gap-1.5 px-4 py-2.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="font-medium tabular-nums">Build {number}</span>
        <Badge tone={tone}>{word}</Badge>
        {message !== "" && <span className="min-w-0 truncate">“{message}”</span>}
        <span className="text-ink-soft">
          {build.created_by}, <Ago time={build.created_at} />, {formatBytes(build.size)}
        </span>
        <span className="ml-auto">
          {status === "live" && <StopButton app={app} number={number} />}
          {status === "retired" && <ActivateButton app={app} number={number} />}
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

interface NumberedProps {
  readonly app: string;
  readonly number: number;
}

function ActivateButton({ app, number }: NumberedProps) {
  const toaster = useToaster();
  const [isConfirming, setConfirming] = useState(false);
  return (
    <>
      <ChangeButton
        size="small"
        scope="deploy"
        aria-label={`Activate build ${number}`}
        onClick={() => setConfirming(true)}
      >
        Activate
      </ChangeButton>
      {isConfirming && (
        <ConfirmDialog
          title={`Activate build ${number}`}
          action="Activate"
          refusal="Not activated: the previous build still serves"
          change={(client) => activateBuild(client, app, number)}
          onDone={() => toaster.done(`Build ${number} now serves ${app}.`)}
          onClose={() => setConfirming(false)}
        >
          <p>
            Build {number} will be started and checked, and then take over all calls of {app}{" "}
            without downtime. Configurations stay as they are.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

function StopButton({ app, number }: NumberedProps) {
  const toaster = useToaster();
  const [isConfirming, setConfirming] = useState(false);
  return (
    <>
      <ChangeButton
        look="quiet"
        size="small"
        scope="deploy"
        aria-label={`Stop build ${number}`}
        onClick={() => setConfirming(true)}
      >
        Stop
      </ChangeButton>
      {isConfirming && (
        <ConfirmDialog
          title={`Stop build ${number}`}
          action="Stop"
          look="danger"
          refusal="Not stopped"
          change={(client) => stopBuild(client, app)}
          onDone={() => toaster.done(`Stopped build ${number}. No build serves ${app}.`)}
          onClose={() => setConfirming(false)}
        >
          <p>
            Build {number} will finish its running calls and stop. Calls of {app} will get “not
            found” until a build is activated or deployed. Configurations stay as they are.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

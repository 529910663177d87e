import type { Environment } from "@agate/protocol";
import { useState } from "react";
import { Field, Select } from "../design/field.tsx";
import { LiveChangeDialog } from "./live-change-dialog.tsx";
import { isSameRevision, liveIn, pairText, revisionText } from "./live-plan.ts";
import { orderEnvironments } from "./order-environments.ts";

interface DeployDialogProps {
  readonly app: string;
  readonly variant: string;
  readonly revision: number;
  /** The preselected environment. */
  readonly environment?: string;
  readonly onClose: () => void;
}

/** Deploys a revision to an environment that the user chooses. */
export function DeployDialog({ app, variant, revision, environment, onClose }: DeployDialogProps) {
  const [chosen, setChosen] = useState(environment);
  const to = { slug: variant, revision };
  const name = revisionText(to);
  const isLive = (environments: readonly Environment[], slug: string) => {
    const live = liveIn(environments, slug);
    return live !== null && isSameRevision(live.variant, to);
  };
  const choiceOf = (opened: readonly Environment[]) => {
    const ordered = orderEnvironments(opened);
    return chosen ?? (ordered.find(({ slug }) => !isLive(opened, slug)) ?? ordered[0])?.slug;
  };
  return (
    <LiveChangeDialog
      app={app}
      title={`Deploy ${name}`}
      action="Deploy"
      onClose={onClose}
      plan={(now, opened) => {
        const into = choiceOf(opened);
        if (into === undefined) return `${app} has no environments. Create one first.`;
        if (!now.some(({ slug }) => slug === into)) {
          return `Environment ${into} no longer exists. Choose another.`;
        }
        if (isLive(now, into)) {
          return `${name} is already live in ${into}. Choose another environment.`;
        }
        const build = liveIn(now, into)?.build ?? null;
        const change = { kind: "deploy", variant, revision } as const;
        return { environment: into, to: { build, variant: to }, change };
      }}
    >
      {(now, opened) => (
        <Field label="Environment">
          {(ids) => (
            <Select
              {...ids}
              value={choiceOf(opened) ?? ""}
              onChange={(event) => setChosen(event.target.value)}
            >
              {orderEnvironments(now).map(({ slug, deployment }) => (
                <option key={slug} value={slug}>
                  {slug} ({deployment === null ? "nothing live" : `${pairText(deployment)} is live`}
                  )
                </option>
              ))}
            </Select>
          )}
        </Field>
      )}
    </LiveChangeDialog>
  );
}

import type { Environment } from "@agate/protocol";
import { useState } from "react";
import { Field } from "../design/field.tsx";
import { Select } from "../design/select.tsx";
import { LiveChangeDialog } from "./live-change-dialog.tsx";
import { isSameRevision, liveIn, revisionText } from "./live-plan.ts";
import { orderEnvironments } from "./order-environments.ts";

interface DeployDialogProps {
  readonly app: string;
  readonly variant: string;
  readonly revision: number;
  /** The environment that is chosen to begin with. */
  readonly environment?: string;
  readonly onClose: () => void;
}

/** Puts a revision into an environment that is chosen here. */
export function DeployDialog({ app, variant, revision, environment, onClose }: DeployDialogProps) {
  const [chosen, setChosen] = useState(environment);
  const to = { slug: variant, revision };
  const name = revisionText(to);
  const isLive = (environments: readonly Environment[], slug: string) => {
    const live = liveIn(environments, slug);
    return live !== null && isSameRevision(live.variant, to);
  };
  const choiceOf = (environments: readonly Environment[]) =>
    environments.find(({ slug }) => slug === chosen)?.slug ??
    environments.find(({ slug }) => !isLive(environments, slug))?.slug ??
    environments[0]?.slug;
  return (
    <LiveChangeDialog
      app={app}
      title={`Deploy ${name}`}
      action="Deploy"
      onClose={onClose}
      plan={(environments) => {
        const into = choiceOf(orderEnvironments(environments));
        if (into === undefined) return `${app} has no environment. Make one first.`;
        if (isLive(environments, into)) {
          return `${name} is live in ${into} already. Choose another environment.`;
        }
        return { environment: into, to, change: { kind: "deploy", variant, revision } };
      }}
    >
      {(environments) => (
        <Field label="Environment">
          {(ids) => (
            <Select
              {...ids}
              value={choiceOf(orderEnvironments(environments)) ?? ""}
              onChange={(event) => setChosen(event.target.value)}
            >
              {orderEnvironments(environments).map(({ slug, deployment }) => (
                <option key={slug} value={slug}>
                  {slug} (
                  {deployment === null
                    ? "nothing is live"
                    : `${revisionText(deployment.variant)} is live`}
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

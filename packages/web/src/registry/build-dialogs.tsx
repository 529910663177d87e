import type { Build, Environment } from "@agate/protocol";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { variantsQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { stopBuild } from "../api/registry-changes.ts";
import { Field, Select } from "../design/field.tsx";
import { useToaster } from "../design/toaster.tsx";
import { LiveChangeDialog } from "../revisions/live-change-dialog.tsx";
import { liveIn, pairText, type RevisionName } from "../revisions/live-plan.ts";
import { orderEnvironments } from "../revisions/order-environments.ts";
import { ConfirmDialog } from "./confirm-dialog.tsx";

interface BuildDialogProps {
  readonly app: string;
  readonly build: Build;
  readonly onClose: () => void;
}

/** The variant that is live with a build where nothing was live before. */
const DEFAULT_VARIANT = "default";

/** Makes a build live in an environment that the user chooses. The revision that is live there stays. */
export function ActivateDialog({ app, build, onClose }: BuildDialogProps) {
  const { id, number, kind } = build;
  const [chosen, setChosen] = useState<string>();
  const variants = useQuery(variantsQuery(usePlatform(), app)).data ?? [];
  const usual = variants.find(({ slug }) => slug === DEFAULT_VARIANT);
  const choiceOf = (opened: readonly Environment[]) => {
    const ordered = orderEnvironments(opened);
    const others = ordered.filter(({ deployment }) => deployment?.build?.id !== id);
    return chosen ?? (others[0] ?? ordered[0])?.slug;
  };
  const firstVariant = (): RevisionName | null =>
    usual === undefined || usual.latest_revision === 0
      ? null
      : { id: usual.id, slug: usual.slug, revision: usual.latest_revision };
  return (
    <LiveChangeDialog
      app={app}
      title={`Activate build ${number}`}
      action="Activate"
      onClose={onClose}
      plan={(now, opened) => {
        const into = choiceOf(opened);
        if (into === undefined) return `${app} has no environments. Create one first.`;
        if (!now.some(({ slug }) => slug === into)) {
          return `Environment ${into} no longer exists. Choose another.`;
        }
        const variant = liveIn(now, into)?.variant ?? firstVariant();
        if (variant === null) {
          return `Nothing is live in ${into}, and the variant ${DEFAULT_VARIANT} has no revision that could be. Commit one in the playground.`;
        }
        const to = { build: { id, number, kind }, variant };
        return { environment: into, to, change: { kind: "activate", build: number } };
      }}
    >
      {(now, opened) => (
        <>
          <EnvironmentField
            environments={orderEnvironments(now)}
            about={(slug) => {
              const live = liveIn(now, slug);
              return live === null ? "nothing live" : `${pairText(live)} is live`;
            }}
            value={choiceOf(opened) ?? ""}
            onChange={setChosen}
          />
          <p className="text-ink-soft">
            The build is started and checked, and then takes over the calls of the environment
            without downtime. Other environments stay as they are.
          </p>
        </>
      )}
    </LiveChangeDialog>
  );
}

/** Takes a build down in an environment that the user chooses among those that it is live in. */
export function StopDialog({ app, build, onClose }: BuildDialogProps) {
  const toaster = useToaster();
  const { number } = build;
  // As it was when the dialog opened: afterwards it is live in one less.
  const [places] = useState(() => build.environments.map((slug) => ({ slug })));
  const [environment, setEnvironment] = useState(orderEnvironments(places)[0]?.slug ?? "");
  return (
    <ConfirmDialog
      title={`Stop build ${number}`}
      action="Stop"
      look="danger"
      refusal="Not stopped"
      change={(client) => stopBuild(client, app, environment)}
      onDone={() => toaster.done(`Stopped build ${number}. Nothing is live in ${environment} now.`)}
      onClose={onClose}
    >
      <EnvironmentField
        environments={orderEnvironments(places)}
        value={environment}
        onChange={setEnvironment}
      />
      <p>
        Build {number} will finish its running calls there and stop. Calls to {environment} will get
        “not found” until you deploy again. The history stays: rolling back restores both.
      </p>
    </ConfirmDialog>
  );
}

interface EnvironmentFieldProps {
  readonly environments: readonly Pick<Environment, "slug">[];
  /** What is said of an environment beside its name. */
  readonly about?: (environment: string) => string;
  readonly value: string;
  readonly onChange: (environment: string) => void;
}

function EnvironmentField({ environments, about, value, onChange }: EnvironmentFieldProps) {
  return (
    <Field label="Environment">
      {(ids) => (
        <Select {...ids} value={value} onChange={(event) => onChange(event.target.value)}>
          {environments.map(({ slug }) => (
            <option key={slug} value={slug}>
              {slug}
              {about && ` (${about(slug)})`}
            </option>
          ))}
        </Select>
      )}
    </Field>
  );
}

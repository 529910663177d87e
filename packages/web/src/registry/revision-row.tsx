import type { ListedRevision } from "@agate/protocol";
import { useQuery } from "@tanstack/react-query";
import { Link, useNavigate } from "@tanstack/react-router";
import { FlaskConical } from "lucide-react";
import { useState } from "react";
import { revisionQuery, schemaQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { forkVariant } from "../api/registry-changes.ts";
import { Badge } from "../design/badge.tsx";
import { buttonClass } from "../design/button.tsx";
import { CopyButton } from "../design/copy-button.tsx";
import { Checkbox, Choice } from "../design/field.tsx";
import { useToaster } from "../design/toaster.tsx";
import { Ago } from "../revisions/ago.tsx";
import { RevisionDiff } from "../revisions/config-diff-view.tsx";
import { DeployDialog } from "../revisions/deploy-dialog.tsx";
import { revisionText } from "../revisions/live-plan.ts";
import { Loaded } from "../revisions/loaded.tsx";
import { ParamsView } from "../revisions/params-view.tsx";
import { ChangeButton } from "../revisions/read-only.tsx";
import { Disclosure } from "./disclosure.tsx";
import { NameDialog } from "./name-dialog.tsx";

interface RevisionRowProps {
  readonly app: string;
  readonly revision: ListedRevision;
  /** Selected for a comparison. */
  readonly isChosen: boolean;
  readonly onChoose: () => void;
}

/** A revision of a variant: its message, where it is live, and its actions. */
export function RevisionRow({ app, revision, isChosen, onChoose }: RevisionRowProps) {
  const { variant, message, created_by, created_at, environments } = revision;
  const name = revisionText(variant);
  return (
    <li className="flex gap-3 px-4 py-3">
      <Checkbox
        checked={isChosen}
        onChange={onChoose}
        aria-label={`Select ${name} to compare`}
        className="mt-1"
      />
      <div className="flex min-w-0 flex-1 flex-col gap-1.5">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1.5">
          <h3 className="font-mono font-medium tabular-nums">@{variant.revision}</h3>
          <p className={message === "" ? "text-ink-soft italic" : "min-w-0 break-words"}>
            {message === "" ? "no message" : message}
          </p>
          {environments.map((environment) => (
            <Link
              key={environment}
              to="/apps/$app/environments/$environment"
              params={{ app, environment }}
              className="hover:underline"
            >
              <Badge tone="success">live in {environment}</Badge>
            </Link>
          ))}
          <div className="flex md:ml-auto items-center gap-1.5">
            <span className="mr-1.5 text-ink-soft">
              {created_by}, <Ago time={created_at} />
            </span>
            <Actions app={app} variant={variant.slug} revision={variant.revision} />
          </div>
        </div>
        <Disclosure label={variant.revision === 1 ? "Configuration" : "Changes and configuration"}>
          <Content app={app} variant={variant.slug} revision={variant.revision} />
        </Disclosure>
      </div>
    </li>
  );
}

interface NamedRevisionProps {
  readonly app: string;
  readonly variant: string;
  readonly revision: number;
}

function Actions({ app, variant, revision }: NamedRevisionProps) {
  const [asked, setAsked] = useState<"deploy" | "fork" | null>(null);
  const name = revisionText({ slug: variant, revision });
  const close = () => setAsked(null);
  return (
    <>
      <Link
        to="/apps/$app/playground"
        params={{ app }}
        search={{ configs: name }}
        aria-label={`Open ${name} in playground`}
        title="Open in playground"
        className={buttonClass("plain", "small")}
      >
        <FlaskConical size={14} aria-hidden />
      </Link>
      <ChangeButton size="small" aria-label={`Fork ${name}`} onClick={() => setAsked("fork")}>
        Fork
      </ChangeButton>
      <ChangeButton size="small" aria-label={`Deploy ${name}`} onClick={() => setAsked("deploy")}>
        Deploy
      </ChangeButton>
      {asked === "deploy" && (
        <DeployDialog app={app} variant={variant} revision={revision} onClose={close} />
      )}
      {asked === "fork" && (
        <ForkDialog app={app} variant={variant} revision={revision} onClose={close} />
      )}
    </>
  );
}

const VIEWS = [
  { value: "changes", label: "Changes" },
  { value: "all", label: "Full configuration" },
] as const;

function Content({ app, variant, revision }: NamedRevisionProps) {
  const [view, setView] = useState<"changes" | "all">("changes");
  const hasBefore = revision > 1;
  return (
    <div className="flex flex-col gap-3">
      {hasBefore && (
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <Choice label="Show" options={VIEWS} value={view} onChange={setView} />
          {view === "changes" && (
            <span className="text-ink-soft">
              {variant}@{revision - 1} → {variant}@{revision}
            </span>
          )}
        </div>
      )}
      {hasBefore && view === "changes" ? (
        <RevisionDiff app={app} from={`${variant}@${revision - 1}`} to={`${variant}@${revision}`} />
      ) : (
        <Params app={app} variant={variant} revision={revision} />
      )}
    </div>
  );
}

function Params({ app, variant, revision }: NamedRevisionProps) {
  const client = usePlatform();
  const found = useQuery(revisionQuery(client, app, variant, revision));
  const schema = useQuery(schemaQuery(client, app));
  return (
    <Loaded query={found}>
      {({ params }) => (
        <>
          <ParamsView params={params} schema={schema.data} />
          <p className="flex items-center gap-1 text-ink-soft">
            <CopyButton what="configuration" text={JSON.stringify(params, null, 2)} />
            Copy as JSON
          </p>
        </>
      )}
    </Loaded>
  );
}

interface ForkDialogProps {
  readonly app: string;
  readonly variant: string;
  readonly revision: number;
  readonly onClose: () => void;
}

/** Creates a variant from a revision. */
function ForkDialog({ app, variant, revision, onClose }: ForkDialogProps) {
  const toaster = useToaster();
  const navigate = useNavigate();
  return (
    <NameDialog
      title={`Fork ${variant}@${revision}`}
      action="Fork"
      change={(client, slug) => forkVariant(client, app, variant, { slug, revision })}
      onDone={({ slug }) => {
        toaster.done(`Created ${slug} from ${variant}@${revision}.`);
        void navigate({ to: "/apps/$app/variants/$variant", params: { app, variant: slug } });
      }}
      onClose={onClose}
    >
      <p className="text-ink-soft">
        Creates a variant whose first revision is a copy of {variant}@{revision}.
      </p>
    </NameDialog>
  );
}

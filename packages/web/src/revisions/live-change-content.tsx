import type { Build, ConfigNote, Environment } from "@agate/protocol";
import { configNotes } from "@agate/protocol";
import { useQuery } from "@tanstack/react-query";
import { ArrowRight, Equal } from "lucide-react";
import type { ReactNode } from "react";
import { revisionQuery, schemaQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { Ago } from "./ago.tsx";
import { BuildChip, useBuild } from "./build-chip.tsx";
import { RevisionDiff } from "./config-diff-view.tsx";
import {
  isSameBuild,
  type LivePair,
  type LivePlan,
  liveIn,
  type RevisionName,
  revisionTextById,
} from "./live-plan.ts";
import { Loaded } from "./loaded.tsx";
import { ParamsView } from "./params-view.tsx";

interface LiveChangeContentProps {
  readonly app: string;
  readonly plan: LivePlan;
  readonly now: readonly Environment[];
}

/** Everything that changes: the code, every field, and what the build makes of the revision. */
export function LiveChangeContent({ app, plan, now }: LiveChangeContentProps) {
  const live = liveIn(now, plan.environment);
  const { build, variant } = plan.to;
  return (
    <>
      <CodeChange app={app} plan={plan} now={now} />
      <Part title="Configuration">
        {live === null ? (
          <FirstConfig app={app} environment={plan.environment} to={variant} />
        ) : (
          <RevisionDiff app={app} {...comparedRefs(plan, live)} />
        )}
        {build !== null && <PlannedNotes app={app} plan={plan} now={now} />}
      </Part>
    </>
  );
}

/** Where code and configuration come from another environment, the values that count there: defaults differ. */
function comparedRefs({ environment, change, to }: LivePlan, live: LivePair) {
  if (change.kind === "promote" && change.parts === "both") {
    return { from: `env:${environment}`, to: `env:${change.from}` };
  }
  return { from: revisionTextById(live.variant), to: revisionTextById(to.variant) };
}

function Part({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section aria-label={title} className="flex min-w-0 flex-col gap-2">
      <h3 className="font-medium">{title}</h3>
      {children}
    </section>
  );
}

function CodeChange({ app, plan, now }: LiveChangeContentProps) {
  const live = liveIn(now, plan.environment);
  const { build } = plan.to;
  const next = useBuild(app, build);
  if (build === null) return null;
  const isRestart = plan.change.kind === "activate" && live !== null && isSameBuild(live, plan.to);
  return (
    <Part title="Code">
      <div className="flex flex-wrap items-center gap-2">
        {live !== null && isSameBuild(live, plan.to) ? (
          <>
            <Equal size={16} aria-hidden className="shrink-0 text-ink-soft" />
            <BuildChip app={app} build={build} />
            <span className="text-ink-soft">{isRestart ? "is started anew" : "stays"}</span>
          </>
        ) : (
          <>
            {live !== null && (
              <>
                <BuildChip app={app} build={live.build} />
                <ArrowRight size={14} role="img" aria-label="becomes" className="text-ink-soft" />
              </>
            )}
            <BuildChip app={app} build={build} />
            {next && <BuildFacts build={next} />}
          </>
        )}
      </div>
    </Part>
  );
}

function BuildFacts({ build: { message, created_by, created_at } }: { readonly build: Build }) {
  return (
    <span className="min-w-0 text-ink-soft">
      {message !== "" && <>“{message}”, </>}
      {created_by}, <Ago time={created_at} />
    </span>
  );
}

/** What the build makes of the revision, where the schema of the build is known: it is live somewhere. */
function PlannedNotes({ app, plan, now }: LiveChangeContentProps) {
  const client = usePlatform();
  const { build, variant } = plan.to;
  const place = now.find(({ deployment }) => deployment?.build?.id === build?.id);
  const schema = useQuery({
    ...schemaQuery(client, app, place?.slug ?? null),
    enabled: place !== undefined,
  });
  const revision = useQuery(
    revisionQuery(client, app, variant.id ?? variant.slug, variant.revision),
  );
  if (place === undefined || !schema.data || revision.data === undefined) return null;
  return <ConfigNotes notes={configNotes(revision.data.params, schema.data.routes)} />;
}

/** What a build makes of a revision beyond taking its values. */
function ConfigNotes({ notes }: { readonly notes: readonly ConfigNote[] }) {
  if (notes.length === 0) return null;
  return (
    <ul
      aria-label="What the build makes of the revision"
      className="rounded-md bg-sunken px-3 py-2 text-[0.93rem]"
    >
      {notes.map((note) => (
        <li key={`${note.kind} ${note.route} ${note.field}`} className="break-words">
          <NoteText note={note} />
        </li>
      ))}
    </ul>
  );
}

function NoteText({ note }: { readonly note: ConfigNote }) {
  const name = (
    <span className="font-mono">
      {note.route}
      {note.field !== null && `.${note.field}`}
    </span>
  );
  if (note.kind === "default") {
    return (
      <>
        {name} is not set: the code's default{" "}
        <span className="font-mono">{JSON.stringify(note.value)}</span> counts.
      </>
    );
  }
  return (
    <>
      {name} is ignored: the build has no such {note.field === null ? "route" : "field"}.
    </>
  );
}

/** @example notesText(notes) // "1 field is ignored, 2 take the code's default." */
export function notesText(notes: readonly ConfigNote[]): string {
  const count = (kind: ConfigNote["kind"]) => notes.filter((note) => note.kind === kind).length;
  const [ignored, defaults] = [count("ignored"), count("default")];
  const parts = [
    ignored > 0 && `${ignored} ${ignored === 1 ? "value is" : "values are"} ignored`,
    defaults > 0 && `${defaults} ${defaults === 1 ? "takes" : "take"} the code's default`,
  ].filter((part) => part !== false);
  return parts.length === 0 ? "" : `${parts.join(", ")}.`;
}

interface FirstConfigProps {
  readonly app: string;
  readonly environment: string;
  readonly to: RevisionName;
}

/** The whole configuration, because there is nothing to compare it with. */
function FirstConfig({ app, environment, to }: FirstConfigProps) {
  const client = usePlatform();
  const revision = useQuery(revisionQuery(client, app, to.id ?? to.slug, to.revision));
  const schema = useQuery(schemaQuery(client, app));
  return (
    <>
      <p className="text-ink-soft">
        Nothing is live in {environment} yet. Its calls will use this configuration:
      </p>
      <Loaded query={revision}>
        {({ params }) => <ParamsView params={params} schema={schema.data} />}
      </Loaded>
    </>
  );
}

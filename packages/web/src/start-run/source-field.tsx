import type { Run } from "@agate/protocol";
import { parseRevisionRef, revisionRefText } from "@agate/protocol";
import { useInfiniteQuery } from "@tanstack/react-query";
import { usePlatform } from "../api/platform-context.tsx";
import { runsQuery } from "../api/runs.ts";
import { Field, type FieldIds, Select } from "../design/field.tsx";
import { formatTime } from "../format/format-time.ts";
import { orderEnvironments } from "../revisions/order-environments.ts";
import { variantLabel } from "../revisions/scratch-badge.tsx";
import { type KnownConfigs, RUN_REF } from "./run-choices.ts";

interface SourceFieldProps {
  readonly label: string;
  readonly problem: string | undefined;
  readonly known: KnownConfigs;
  /** `default`, `default@3`, `env:production`, `run:ID`; empty for none. */
  readonly value: string;
  readonly onChange: (value: string) => void;
  /** Whether "None" can be chosen. */
  readonly isOptional?: boolean;
  /** The evaluation whose earlier runs can be chosen. */
  readonly runsOf: { readonly application: string; readonly evaluation: string };
}

/** Chooses what a column of a run calls, or the outputs of an earlier run. */
export function SourceField(props: SourceFieldProps) {
  const { label, problem, known, value, onChange, isOptional = false, runsOf } = props;
  const ref = value.startsWith(RUN_REF) ? undefined : parseRevisionRef(value);
  const chosen =
    ref === undefined
      ? value.slice(0, RUN_REF.length)
      : ref.kind === "environment"
        ? value
        : ref.variant;
  return (
    <Field label={label} problem={problem}>
      {(ids) => (
        <div className="flex min-w-0 gap-1.5">
          <SourceSelect
            ids={ids}
            known={known}
            chosen={chosen}
            isOptional={isOptional}
            onChange={onChange}
          />
          {ref?.kind === "variant" && (
            <RevisionSelect
              label={`${label}: revision`}
              latest={known.variants.find(({ slug }) => slug === ref.variant)?.latest_revision ?? 0}
              revision={ref.revision}
              onChange={(revision) => onChange(revisionRefText({ ...ref, revision }))}
            />
          )}
          {value.startsWith(RUN_REF) && (
            <RunSelect
              label={`${label}: run`}
              {...runsOf}
              run={value.slice(RUN_REF.length)}
              onChange={(run) => onChange(RUN_REF + run)}
            />
          )}
        </div>
      )}
    </Field>
  );
}

interface SourceSelectProps {
  readonly ids: FieldIds;
  readonly known: KnownConfigs;
  /** Without its revision or run. */
  readonly chosen: string;
  readonly isOptional: boolean;
  readonly onChange: (value: string) => void;
}

function SourceSelect({ ids, known, chosen, isOptional, onChange }: SourceSelectProps) {
  const live = orderEnvironments(known.environments).filter(({ deployment }) => deployment);
  const { variants } = known;
  const isListed =
    chosen === RUN_REF ||
    (isOptional && chosen === "") ||
    live.some(({ slug }) => `env:${slug}` === chosen) ||
    variants.some(({ slug }) => slug === chosen);
  return (
    <Select
      {...ids}
      className="min-w-0 flex-1"
      value={chosen}
      onChange={(event) => onChange(event.target.value)}
    >
      {isOptional && <option value="">None</option>}
      {/* A run that is started again may name something that was deleted. */}
      {!isListed && <option value={chosen}>{chosen} (not found)</option>}
      <optgroup label="Variants, with the newest code">
        {variants.map(({ slug, latest_revision: latest }) => (
          <option key={slug} value={slug} disabled={latest === 0}>
            {latest === 0 ? `${slug} (no revisions)` : variantLabel(slug)}
          </option>
        ))}
      </optgroup>
      {live.length > 0 && (
        <optgroup label="Live in">
          {live.map(({ slug, deployment }) => (
            <option key={slug} value={`env:${slug}`}>
              {slug}: {deployment?.variant.slug}@{deployment?.variant.revision}
              {deployment?.build && `, build ${deployment.build.number}`}
            </option>
          ))}
        </optgroup>
      )}
      <option value={RUN_REF}>Outputs of an earlier run…</option>
    </Select>
  );
}

interface RevisionSelectProps {
  readonly label: string;
  readonly latest: number;
  /** Null for the latest. */
  readonly revision: number | null;
  readonly onChange: (revision: number | null) => void;
}

function RevisionSelect({ label, latest, revision, onChange }: RevisionSelectProps) {
  if (latest === 0 && revision === null) return null;
  return (
    <Select
      aria-label={label}
      className="shrink-0"
      value={revision ?? ""}
      onChange={({ target }) => onChange(target.value === "" ? null : Number(target.value))}
    >
      <option value="">latest</option>
      {revision !== null && revision > latest && (
        <option value={revision}>@{revision} (not found)</option>
      )}
      {Array.from({ length: latest }, (_, index) => latest - index).map((each) => (
        <option key={each} value={each}>
          @{each}
        </option>
      ))}
    </Select>
  );
}

interface RunSelectProps {
  readonly label: string;
  readonly application: string;
  readonly evaluation: string;
  readonly run: string;
  readonly onChange: (run: string) => void;
}

/** The finished runs of an evaluation, newest first. */
function RunSelect({ label, application, evaluation, run, onChange }: RunSelectProps) {
  const runs = useInfiniteQuery(runsQuery(usePlatform(), { application, evaluation }));
  const finished = (runs.data?.pages ?? []).flatMap(({ items }) => items.filter(isFinished));
  const isListed = finished.some(({ id }) => id === run);
  return (
    <Select
      aria-label={label}
      className="min-w-0 flex-1"
      value={run}
      onChange={(event) => onChange(event.target.value)}
    >
      {run === "" && (
        <option value="">
          {runs.isSuccess && finished.length === 0 ? "No finished runs" : "Choose…"}
        </option>
      )}
      {run !== "" && !isListed && <option value={run}>{run}</option>}
      {finished.map(({ id, started_at }) => (
        <option key={id} value={id}>
          {id} ({formatTime(started_at)})
        </option>
      ))}
    </Select>
  );
}

function isFinished({ status }: Run): boolean {
  return status === "finished";
}

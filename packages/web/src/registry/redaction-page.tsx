import type { ProjectRedaction, RedactionPattern } from "@agate/protocol";
import { REDACTION_PATTERNS } from "@agate/protocol";
import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { EyeOff } from "lucide-react";
import { useId, useState } from "react";
import { usePlatform } from "../api/platform-context.tsx";
import { redactionQuery, setRedaction, testRedaction } from "../api/redaction.ts";
import { Button } from "../design/button.tsx";
import { EmptyState } from "../design/empty-state.tsx";
import { Checkbox, Field, TextArea } from "../design/field.tsx";
import { PageHeader, useTitle } from "../design/page-header.tsx";
import { Card } from "../design/panels.tsx";
import { useToaster } from "../design/toaster.tsx";
import { Ago } from "../revisions/ago.tsx";
import { ChangeFailure } from "../revisions/change-failure.tsx";
import { Loaded } from "../revisions/loaded.tsx";
import { useReadOnlyReason } from "../revisions/read-only.tsx";
import { draftOf, type RedactionDraft, rulesOf } from "./redaction-draft.ts";

const MEANINGS: Record<RedactionPattern, string> = {
  token: "Bearer tokens and API keys",
  email: "E-mail addresses",
  iban: "IBANs",
  phone: "Phone numbers",
  card: "Card numbers",
};

/** The redaction rules of the project. */
export function RedactionPage() {
  useTitle("Redaction");
  const readOnlyReason = useReadOnlyReason();
  const rules = useQuery({ ...redactionQuery(usePlatform()), enabled: readOnlyReason === null });
  return (
    <>
      <PageHeader title="Redaction" />
      {readOnlyReason === null ? (
        <Loaded query={rules} lines={8}>
          {(saved) => <Rules saved={saved} />}
        </Loaded>
      ) : (
        <EmptyState icon={EyeOff} title="Redaction rules need the admin scope">
          <p>Sign in with a key that has the admin scope to see and change them.</p>
        </EmptyState>
      )}
    </>
  );
}

function Rules({ saved }: { readonly saved: ProjectRedaction }) {
  const client = usePlatform();
  const queries = useQueryClient();
  const toaster = useToaster();
  const [edited, setEdited] = useState<RedactionDraft | null>(null);
  const draft = edited ?? draftOf(saved);
  const saving = useMutation({
    mutationFn: () => setRedaction(client, rulesOf(draft)),
    onSuccess: (now) => {
      toaster.done("Redaction rules saved.");
      queries.setQueryData(redactionQuery(client).queryKey, now);
      setEdited(null);
    },
  });
  const isChanged = JSON.stringify(draft) !== JSON.stringify(draftOf(saved));
  const change = (changes: Partial<RedactionDraft>) => {
    setEdited({ ...draft, ...changes });
    saving.reset();
  };
  return (
    <div className="mx-4 mb-6 grid items-start gap-4 md:mx-6 lg:grid-cols-2">
      <Card title="Rules">
        <form
          className="flex flex-col gap-5 p-4"
          onSubmit={(event) => {
            event.preventDefault();
            saving.mutate();
          }}
        >
          <p className="text-ink-soft">
            Matches are replaced in new spans before they are stored, and in build logs. Stored
            traces do not change.
          </p>
          <Patterns chosen={draft.patterns} onChange={(patterns) => change({ patterns })} />
          <LinesField
            label="Keys"
            description="One per line: a name at any depth (password), or a path (user.email, messages.*.content)."
            value={draft.keys}
            onChange={(keys) => change({ keys })}
          />
          <LinesField
            label="Custom patterns"
            description="One per line, as name: regular expression. Quantifiers must be bounded, such as {1,20}, except at the end."
            placeholder="staff: EMP-\d{6}"
            value={draft.custom}
            onChange={(custom) => change({ custom })}
          />
          {saving.error !== null && <ChangeFailure title="Not saved" error={saving.error} />}
          <div className="flex flex-wrap items-center gap-3">
            <Button
              type="submit"
              look="primary"
              disabled={saving.isPending}
              refusal={isChanged ? null : "No changes"}
            >
              Save
            </Button>
            {saved.updated_at !== null && (
              <p className="text-ink-soft">
                Updated <Ago time={saved.updated_at} /> by {saved.updated_by}
              </p>
            )}
          </div>
        </form>
      </Card>
      <TestCard draft={draft} />
    </div>
  );
}

interface LinesFieldProps {
  readonly label: string;
  readonly description: string;
  readonly placeholder?: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function LinesField({ label, description, placeholder, value, onChange }: LinesFieldProps) {
  return (
    <Field label={label} description={description}>
      {(ids) => (
        <TextArea
          {...ids}
          className="w-full font-mono"
          spellCheck={false}
          placeholder={placeholder}
          value={value}
          onChange={({ target }) => onChange(target.value)}
        />
      )}
    </Field>
  );
}

interface PatternsProps {
  readonly chosen: readonly RedactionPattern[];
  readonly onChange: (patterns: readonly RedactionPattern[]) => void;
}

function Patterns({ chosen, onChange }: PatternsProps) {
  const id = useId();
  return (
    <fieldset className="flex flex-col gap-1.5">
      <legend className="mb-1 font-medium">Patterns</legend>
      {REDACTION_PATTERNS.toReversed().map((pattern) => (
        <label key={pattern} htmlFor={`${id}-${pattern}`} className="flex items-center gap-2">
          <Checkbox
            id={`${id}-${pattern}`}
            checked={chosen.includes(pattern)}
            onChange={({ target }) =>
              onChange(
                REDACTION_PATTERNS.filter((each) =>
                  each === pattern ? target.checked : chosen.includes(each),
                ),
              )
            }
          />
          {MEANINGS[pattern]}
        </label>
      ))}
    </fieldset>
  );
}

/** Shows a text as it would be stored with the rules that are being edited. */
function TestCard({ draft }: { readonly draft: RedactionDraft }) {
  const client = usePlatform();
  const [text, setText] = useState("");
  const testing = useMutation({
    mutationFn: () => testRedaction(client, text, rulesOf(draft)),
  });
  return (
    <Card title="Test">
      <form
        className="flex flex-col gap-4 p-4"
        onSubmit={(event) => {
          event.preventDefault();
          testing.mutate();
        }}
      >
        <Field label="Text" description="Plain text or JSON. Nothing is stored.">
          {(ids) => (
            <TextArea
              {...ids}
              className="w-full font-mono"
              spellCheck={false}
              placeholder='{"note": "card 4111 1111 1111 1111"}'
              maxLength={32_768}
              value={text}
              onChange={({ target }) => setText(target.value)}
            />
          )}
        </Field>
        <div>
          <Button
            type="submit"
            disabled={testing.isPending}
            refusal={text === "" ? "Enter a text first" : null}
          >
            Test
          </Button>
        </div>
        {testing.error !== null && <ChangeFailure title="Not tested" error={testing.error} />}
        {testing.data !== undefined && (
          <div>
            <p className="mb-1 font-medium">Stored as</p>
            <output className="block rounded-md bg-sunken px-3 py-2 font-mono text-[0.93rem] break-words whitespace-pre-wrap">
              {testing.data.text}
            </output>
          </div>
        )}
      </form>
    </Card>
  );
}

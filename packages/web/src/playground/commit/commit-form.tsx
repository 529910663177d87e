import type { ApplicationSchema, RouteParams } from "@agate/protocol";
import { diffParams } from "@agate/protocol";
import type { FormEvent } from "react";
import { Field, TextInput } from "../../design/field.tsx";
import { ConfigDiffView } from "../../revisions/config-diff-view.tsx";
import { unnamedDiff } from "./unnamed-diff.ts";

interface CommitFormProps {
  readonly id: string;
  readonly schema: ApplicationSchema;
  readonly from: RouteParams;
  readonly to: RouteParams;
  /** `default@3` */
  readonly baseTitle: string;
  /** The name of the variant to make; null where none is made. */
  readonly slug: string | null;
  readonly slugProblem: string | undefined;
  readonly message: string;
  readonly onSlug: (slug: string) => void;
  readonly onMessage: (message: string) => void;
  readonly onSubmit: (event: FormEvent) => void;
}

/** What a commit changes, and what there is to say about it. */
export function CommitForm(props: CommitFormProps) {
  const { id, schema, from, to, baseTitle, slug, slugProblem, message } = props;
  const { onSlug, onMessage, onSubmit } = props;
  return (
    <form id={id} onSubmit={onSubmit} className="flex flex-col gap-4">
      {slug !== null && (
        <Field
          label="Name of the variant"
          problem={slugProblem}
          description="Lower-case letters and digits, with single -, _ or . inside."
        >
          {(ids) => (
            <TextInput
              {...ids}
              required
              value={slug}
              onChange={(event) => onSlug(event.target.value)}
            />
          )}
        </Field>
      )}
      <Field label="Message">
        {(ids) => (
          <TextInput
            {...ids}
            value={message}
            placeholder="What has changed, and why"
            onChange={(event) => onMessage(event.target.value)}
          />
        )}
      </Field>
      <section aria-label="What changes" className="flex flex-col gap-2">
        <h3 className="font-medium">Changes from {baseTitle}</h3>
        <ConfigDiffView diff={unnamedDiff(diffParams(from, to))} schema={schema} />
      </section>
    </form>
  );
}

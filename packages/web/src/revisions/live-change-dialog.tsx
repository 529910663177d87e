import type { Environment } from "@agate/protocol";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { useId, useState } from "react";
import { environmentsQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { changeLive } from "../api/registry-changes.ts";
import { Button } from "../design/button.tsx";
import { Dialog } from "../design/dialog.tsx";
import { ErrorState, Skeleton } from "../design/empty-state.tsx";
import { Field, TextInput } from "../design/field.tsx";
import { useToaster } from "../design/toaster.tsx";
import { LiveChangeContent, LiveChangeSummary } from "./live-change-view.tsx";
import { type LivePlan, planText, revisionText } from "./live-plan.ts";
import { RefusalView } from "./refusal-view.tsx";
import { useAskedChange } from "./use-asked-change.ts";
import { useMayChange } from "./use-may-change.ts";

const REFUSAL = "Nothing was changed";
const LONGEST_MESSAGE = 1000;

interface LiveChangeDialogProps {
  readonly app: string;
  readonly title: string;
  /** What the button says: "Deploy". */
  readonly action: string;
  /**
   * What would be done, given what is live; or why nothing can be. What is chosen for the reader goes
   * by what was live when they were first asked: it must not become another under their hands.
   */
  readonly plan: (now: readonly Environment[], opened: readonly Environment[]) => LivePlan | string;
  /** Stands above what would change. */
  readonly children?: (now: readonly Environment[], opened: readonly Environment[]) => ReactNode;
  readonly onClose: () => void;
}

/**
 * Asks before what is live in an environment changes, and says exactly what will. What is live is read
 * when it opens, when the window is looked at again, and once more before anything is done: nobody
 * confirms what they have not read.
 */
export function LiveChangeDialog(props: LiveChangeDialogProps) {
  const { app, title, action, plan, children, onClose } = props;
  const formId = useId();
  const toaster = useToaster();
  const client = usePlatform();
  const queries = useQueryClient();
  const forbidden = useMayChange();
  const [message, setMessage] = useState("");
  const [opened, setOpened] = useState<readonly Environment[] | null>(null);

  const options = { ...environmentsQuery(client, app), staleTime: 0 };
  const environments = useQuery({ ...options, refetchOnWindowFocus: "always" });
  const now = environments.isFetchedAfterMount ? environments.data : undefined;
  if (opened === null && now !== undefined) setOpened(now);
  const planned = now && plan(now, opened ?? now);
  const isReady = typeof planned === "object";

  const change = useAskedChange({
    change: async (_, agreed: LivePlan) => {
      const latest = await queries.fetchQuery(options);
      const current = plan(latest, opened ?? latest);
      if (
        now === undefined ||
        typeof current === "string" ||
        planText(latest, current) !== planText(now, agreed)
      ) {
        throw new Error("Something else became live meanwhile. Look at what would change now.");
      }
      return changeLive(client, app, agreed.environment, agreed.change, message.trim());
    },
    refusal: REFUSAL,
    onDone: ({ environment, variant }) => {
      toaster.done(
        <>
          {environment} runs {revisionText(variant)}.{" "}
          <Link
            to="/apps/$app/environments/$environment"
            params={{ app, environment }}
            className="font-medium text-accent underline"
          >
            History of {environment}
          </Link>
        </>,
      );
      onClose();
    },
  });

  const submit = () => {
    if (isReady && !change.isPending) change.mutate(planned);
  };

  return (
    <Dialog
      title={title}
      width="wide"
      onClose={onClose}
      actions={
        <>
          {forbidden !== null && <p className="mr-auto self-center text-ink-soft">{forbidden}</p>}
          <Button onClick={onClose}>Cancel</Button>
          <Button
            look="primary"
            type="submit"
            form={formId}
            disabled={!isReady || forbidden !== null || change.isPending}
          >
            {change.isPending ? "Working…" : action}
          </Button>
        </>
      }
    >
      {now === undefined ? (
        environments.isFetchedAfterMount && environments.error !== null ? (
          <ErrorState error={environments.error} onRetry={() => void environments.refetch()} />
        ) : (
          <Skeleton />
        )
      ) : (
        <form
          id={formId}
          className="flex flex-col gap-4"
          onSubmit={(event) => {
            event.preventDefault();
            submit();
          }}
        >
          {children?.(now, opened ?? now)}
          {isReady ? (
            <LiveChangeSummary plan={planned} now={now} opened={opened ?? now} />
          ) : (
            <p>{planned}</p>
          )}
          <Field label="Message" description="Why, for the history. May be left out.">
            {(ids) => (
              <TextInput
                {...ids}
                value={message}
                maxLength={LONGEST_MESSAGE}
                onChange={(event) => setMessage(event.target.value)}
              />
            )}
          </Field>
          {change.error !== null && <RefusalView title={REFUSAL} error={change.error} />}
          {isReady && <LiveChangeContent app={app} plan={planned} now={now} />}
        </form>
      )}
    </Dialog>
  );
}

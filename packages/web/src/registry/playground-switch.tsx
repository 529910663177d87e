import type { Environment } from "@agate/protocol";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { environmentsQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { switchPlayground } from "../api/registry-changes.ts";
import { Checkbox, Field } from "../design/field.tsx";
import { Card } from "../design/panels.tsx";
import { ChangeFailure } from "../revisions/change-failure.tsx";
import { useReadOnlyReason } from "../revisions/read-only.tsx";

interface PlaygroundSwitchProps {
  readonly app: string;
  readonly environment: Environment;
}

/** Whether an environment takes playground calls. */
export function PlaygroundSwitch({ app, environment }: PlaygroundSwitchProps) {
  const { slug, playground } = environment;
  const client = usePlatform();
  const queries = useQueryClient();
  const readOnlyReason = useReadOnlyReason();
  const change = useMutation({
    mutationFn: (isOn: boolean) => switchPlayground(client, app, slug, isOn),
    onSuccess: () =>
      queries.invalidateQueries({ queryKey: environmentsQuery(client, app).queryKey }),
  });
  return (
    <Card title="Playground">
      <div className="flex flex-col gap-3 px-4 py-3">
        <Field
          label={`Playground calls in ${slug}`}
          description="Callers with the playground scope choose the configuration."
          isInline
        >
          {(ids) => (
            <Checkbox
              {...ids}
              checked={change.isPending ? change.variables : playground}
              disabled={readOnlyReason !== null || change.isPending}
              onChange={({ target }) => change.mutate(target.checked)}
            />
          )}
        </Field>
        {change.error !== null && <ChangeFailure title="Not changed" error={change.error} />}
      </div>
    </Card>
  );
}

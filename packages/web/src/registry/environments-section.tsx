import { useQuery } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { environmentsQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { createEnvironment } from "../api/registry-changes.ts";
import { useToaster } from "../design/toaster.tsx";
import { Loaded } from "../revisions/loaded.tsx";
import { nextEnvironment, orderEnvironments } from "../revisions/order-environments.ts";
import { ChangeButton } from "./change-button.tsx";
import { EnvironmentCard } from "./environment-card.tsx";
import { NameDialog } from "./name-dialog.tsx";

/** The environments side by side, in the order in which revisions go through them. */
export function EnvironmentsSection({ app }: { readonly app: string }) {
  const environments = useQuery(environmentsQuery(usePlatform(), app));
  const toaster = useToaster();
  const [isMaking, setMaking] = useState(false);
  return (
    <section aria-labelledby="environments" className="flex flex-col gap-2">
      <div className="flex items-center justify-between gap-2">
        <h2 id="environments" className="font-semibold">
          Environments
        </h2>
        <ChangeButton look="quiet" size="small" onClick={() => setMaking(true)}>
          <Plus size={14} aria-hidden />
          New environment
        </ChangeButton>
      </div>
      <Loaded query={environments}>
        {(items) => (
          <div className="grid gap-3 md:grid-cols-2 xl:grid-cols-3">
            {orderEnvironments(items).map((environment) => (
              <EnvironmentCard
                key={environment.id}
                app={app}
                environment={environment}
                next={nextEnvironment(items, environment.slug)}
              />
            ))}
          </div>
        )}
      </Loaded>
      {isMaking && (
        <NameDialog
          title="New environment"
          action="Make it"
          change={(client, slug) => createEnvironment(client, app, slug)}
          onDone={({ slug }) => toaster.done(`The environment ${slug} is there.`)}
          onClose={() => setMaking(false)}
        >
          <p className="text-ink-soft">Nothing is live in it to begin with.</p>
        </NameDialog>
      )}
    </section>
  );
}

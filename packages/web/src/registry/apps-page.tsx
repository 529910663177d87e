import { useQuery } from "@tanstack/react-query";
import { useNavigate } from "@tanstack/react-router";
import { Boxes, Plus } from "lucide-react";
import { useState } from "react";
import { applicationsQuery } from "../api/applications.ts";
import { usePlatform } from "../api/platform-context.tsx";
import { createApplication } from "../api/registry-changes.ts";
import { CommandLine } from "../design/copy-button.tsx";
import { EmptyState } from "../design/empty-state.tsx";
import { PageHeader, useTitle } from "../design/page-header.tsx";
import { Loaded } from "../revisions/loaded.tsx";
import { AppRow } from "./app-row.tsx";
import { ChangeButton } from "./change-button.tsx";
import { NameDialog } from "./name-dialog.tsx";
import { ReadOnlyNote } from "./read-only-note.tsx";

/** How often the list is read anew: nothing tells of changes in all applications at once. */
const REFRESH_MS = 5000;

/** Every application: what it serves, and what is live where. */
export function AppsPage() {
  useTitle("Applications");
  const navigate = useNavigate();
  const [isMaking, setMaking] = useState(false);
  const applications = useQuery({
    ...applicationsQuery(usePlatform()),
    refetchInterval: REFRESH_MS,
  });
  return (
    <>
      <PageHeader
        title="Applications"
        actions={
          <ChangeButton onClick={() => setMaking(true)}>
            <Plus size={15} aria-hidden />
            New application
          </ChangeButton>
        }
      />
      <ReadOnlyNote />
      <Loaded query={applications} lines={6}>
        {(items) =>
          items.length === 0 ? (
            <NoApplications />
          ) : (
            <ul className="mx-4 mb-6 divide-y divide-line rounded-xl border border-line bg-surface md:mx-6">
              {items.map((application) => (
                <AppRow key={application.id} application={application} refreshMs={REFRESH_MS} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {isMaking && (
        <NameDialog
          title="New application"
          action="Make it"
          change={createApplication}
          onDone={({ slug }) => void navigate({ to: "/apps/$app", params: { app: slug } })}
          onClose={() => setMaking(false)}
        >
          <p className="text-ink-soft">
            It begins with the environments development, staging and production, and no workflow. A
            deploy by the command line makes one by itself.
          </p>
        </NameDialog>
      )}
    </>
  );
}

function NoApplications() {
  return (
    <EmptyState icon={Boxes} title="No applications yet">
      <p>An application is a workflow of yours. One of these puts it here:</p>
      <div className="flex w-full flex-col gap-2 text-left">
        <CommandLine command="agate init my-app" />
        <CommandLine command="agate dev app.ts" />
        <CommandLine command="agate deploy app.ts --app my-app" />
      </div>
    </EmptyState>
  );
}

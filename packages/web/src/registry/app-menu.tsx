import { useNavigate } from "@tanstack/react-router";
import { deleteApplication, renameApplication } from "../api/registry-changes.ts";
import { RenameOrDeleteMenu } from "./rename-or-delete-menu.tsx";

/** What can be done with a whole application. */
export function AppMenu({ app }: { readonly app: string }) {
  const navigate = useNavigate();
  return (
    <RenameOrDeleteMenu
      name={app}
      rename={(client, slug) => renameApplication(client, app, slug)}
      renameNote={`Workflows and callers that name ${app} are answered with “not found” from then on.`}
      onRenamed={(slug) => void navigate({ to: "/apps/$app", params: { app: slug } })}
      remove={(client) => deleteApplication(client, app)}
      deleteNote={`The application ${app} goes, with its variants, all their revisions, its environments and its builds. There is no way back. Traces stay.`}
      onDeleted={() => void navigate({ to: "/apps" })}
    />
  );
}

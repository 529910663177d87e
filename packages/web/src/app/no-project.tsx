import { FolderX } from "lucide-react";
import { EmptyState } from "../design/empty-state.tsx";

/** Stands where the address names a project that is not there, or not the reader's. */
export function NoProject({ project }: { readonly project: string | null }) {
  return (
    <main>
      <EmptyState icon={FolderX} level={1} title={`There is no project ${project}`}>
        <p>It may have been renamed or deleted, or your key may belong to another one.</p>
        {/* Not a link of the router: those keep the project. */}
        <a href="/" className="font-medium text-accent underline">
          Go to your own
        </a>
      </EmptyState>
    </main>
  );
}

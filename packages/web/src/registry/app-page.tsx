import { PageHeader } from "../design/page-header.tsx";
import { useTitle } from "../design/use-title.ts";

export function AppPage() {
  useTitle("Application");
  return <PageHeader title="Application" />;
}

import { PageHeader } from "../design/page-header.tsx";
import { useTitle } from "../design/use-title.ts";

export function TracesPage() {
  useTitle("Traces");
  return <PageHeader title="Traces" />;
}

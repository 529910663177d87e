import { PageHeader } from "../design/page-header.tsx";
import { useTitle } from "../design/use-title.ts";

export function DashboardPage() {
  useTitle("Dashboard");
  return <PageHeader title="Dashboard" />;
}

/** Stands where the figures and charts will be, in about their shape. */
export function DashboardLoading() {
  return (
    <div role="status" aria-label="Loading" className="flex animate-pulse flex-col gap-3">
      <div className="grid grid-cols-2 gap-3 sm:grid-cols-3 lg:grid-cols-5">
        {["calls", "errors", "latency", "tokens", "cost"].map((figure) => (
          <div key={figure} className="h-24 rounded-xl bg-line max-sm:last:col-span-2" />
        ))}
      </div>
      <div className="h-64 rounded-xl bg-line" />
      <div className="grid gap-3 lg:grid-cols-2">
        <div className="h-64 rounded-xl bg-line" />
        <div className="h-64 rounded-xl bg-line" />
      </div>
    </div>
  );
}

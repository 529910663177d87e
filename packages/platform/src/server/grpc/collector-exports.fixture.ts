/**
 * What the OpenTelemetry Collector 0.164.0 sent for one trace: the messages of its model call as log
 * records, and its two spans. Bodies are in base64, over gRPC with their prefix.
 */
export const COLLECTOR_EXPORTS = [
  {
    exporter: "grpc zstd",
    headers: {
      "content-type": "application/grpc",
      "user-agent": "Collector/0.164.0 (linux/amd64) grpc-go/1.84.0",
      te: "trailers",
      "grpc-encoding": "zstd",
      "grpc-accept-encoding": "snappy,zstd,gzip",
      "grpc-timeout": "4999917u",
    },
    requests: [
      {
        path: "/opentelemetry.proto.collector.logs.v1.LogsService/Export",
        body: "AQAAAWootS/9RAATAd0KADLVSzowD5wAg6acdYTQlgJKsSk1KCfH5zV+7yTdn16rchJfqf8L4h0IyJwJagKbK5KxKIKTdqbPPrlQoW9lnbFTDeNG+y+Wzgpbygk7EzxibV3WOQOLYC049rHtUb5rysevvlbBsgCmCBSFXjS1Jnmjmk74BLbBiaiA5KaqM/bMNnTeWjaVluI4VWrflPIZK2uSt9ZYjg4PJMm2z/qPJSu5ANtyUshW5/rxn6WlOMwqqDrOsz6fm2JgHz1SqGzGrA/ZiBOwESoJME4MWg4QTrOCRQsNA1I4kKp39Qkly+DRtjLNX1e++H18lTGNzGrcgeVUCaas61/4ykb2zpiRnbhNVWKEiAUYPBomNigg0A0SG94F9AnxweLBPxuTUF/83xlF+zUqMob3hbEyuIcKB+GwAQ4AFC3j0No+Uk7whkhEoGbd9WbuAkdY9jDDOiRGph37cR4f8fYBuCEKujgerw==",
      },
      {
        path: "/opentelemetry.proto.collector.trace.v1.TraceService/Export",
        body: "AQAAAUUotS/9RACCALUJAGQRCv8CEtYCElZ6AEoaEgoKCFdPUktGTE9XCgxhZy5zcGFuLmtpbmRBgC9og+vq6Bg5QOQbMAEqBHJvb3QiABIIhexmjElU3+cKECCMxdpyTuEZ0Xc4fS+us84S9gF6AEofEgYKBGNoYXQKFWdlbl9haS5vcGVyYXRpb24ubmFtZUoZEggKBm9wZW5haQoNc3lzdGVtSiUSDQoLZ3B0LTRvLW1pbmkKFHJlcXVlc3QubW9kZWxKIBIDGOgHChl1c2FnZS5pbnB1dF90b2tlbnNKIRIDGMgBChpvdXQQY2hhdCAiEgjaR26eD6WsRwoDCgF4CiQKIhISChBiZWhpbmQtY29sbGVjdG9yCgxzZXJ2aWNlLm5hbWUKAHzzKLdyCWYU2nxg1DYu6gxAZdFQGWtGZRy2BQoALu19",
      },
    ],
  },
  {
    exporter: "http gzip",
    headers: {
      "user-agent": "Collector/0.164.0 (linux/amd64)",
      "content-encoding": "gzip",
      "content-type": "application/x-protobuf",
      "accept-encoding": "gzip",
    },
    requests: [
      {
        path: "/v1/logs",
        body: "H4sIAAAAAAAA/5yQv6oTQRTGNyQk2aPBZCIxFsr4JwgrWWWxsImCaJNCIWInhNnJcXdkdibMmY3aiD6BFr6C2vkUWlj7ArFSgm9gc0lIcovALe50A9/5fj8++Fhjf6rsbdrN0EyFiktCFxdIJDKcNH8+aP0aPVndGrcv//gw+33n+b3l/8+PH3a+fU0usibU7RyNUNDaHtMb8lhEN5IBXGN96L3KheeKuMiER27KIkXHb0NDWuPR+PDd99Gjf6u/ffalku46ZG6VPDX6WfIULrA61MjbObReKKMonzoUZA3cZcPkJnTZGQgFkSIvjIeasxrhPAuhITh5a3DvB43tEOH7neinStrfEnEhdCm8siZ2SKX2JzoP1lSHGhfCSITeYYkRBSYRC68Em7e8D5cOQyStw3j9xyg43o9PgnEQdeDcy5I8F1zbjGtlcJ+AKlRew3W4yhi0U8yVmQ2l1Rqltw7OErqFkrhxOAoAAP//phG0yhMCAAA=",
      },
      {
        path: "/v1/traces",
        body: "H4sIAAAAAAAA/+L6zyR0jUkorIrBS0qIi4sj3D/I283HP5yLJzFdr7ggMU8vOzMvxfEAf5frm1cvJCwbjtiCGQaMWixF+fklSgxCHP2Bq9NibpSKcwnIHe1PeWgSY/fg91I/F8F1y4W+MVYxeMkLsXGxJGcklnCJpqfmxSdm6uUXpBYllmTm5+nlJeamekkKcXCx5Rek5iVmcvFClRRXFpek5nqpCvFycacXlOia5OvmZuZlcolA5YtSC0tTi0v0cvNTUnO8FISYJV6wc0lCJUuLE9NT9TLzCkpL4kvys1Pzir0UhZglTjBySaGoyC8tQSjB6kkBkLsVkBygBPeuEMdJJ97Ltv6v9DE9zsXMxVjBpcKlJCTEJZCUmpGZl6KbnJ+Tk5pckl/ExVOcWlSWmZwK9j0gAAD//6nCNv+CAQAA",
      },
    ],
  },
  {
    exporter: "http zstd",
    headers: {
      "user-agent": "Collector/0.164.0 (linux/amd64)",
      "content-encoding": "zstd",
      "content-type": "application/x-protobuf",
      "accept-encoding": "gzip",
    },
    requests: [
      {
        path: "/v1/logs",
        body: "KLUv/UQAEwH9CgASFk47YG1SwBhjFPLFJFATKACRQGngiGRK85H0xYwkiT+SLwcBZnwptB0LgRoVdQmqE7obg1S8of3l3o43kyltsUP94DX7A+yU9HWM8m1YcFj1dLGtIVgFq6HZyLbD6CgZHTv6FYOAHfCwDpZxzGFP18gX1FO+N7ARTDDGGGMHnPZEbbFnbD/nq2NPZy0NQ2P9npBLSLlGvvoyNR8ah7Ltkr5jyjqNwHaUU7LUmT78Z2ctDWMbRBsNwrp87ilVDx1esNgPSV+yk6axFCKPB2X1pgZEu6BIoYKBhwjmUG/q8lHWgZs9WdVdU6bYPXSUqwwZe2kJFhMteKymv+EhyJI3ZbGQvT/kZCutQFShBKYDCQ1JAkiIkBCQBxXARUedkOGYOEasqGSa4v+2oNlfIciSN4UxcWiRE03iYQMMABQto8YQNVJvSJglbhkosy4Al1n2MMM6JEamHftxnuJ4AxpueBkV",
      },
      {
        path: "/v1/traces",
        body: "KLUv/UQAggAtCgAEEwr/AhLWAhJWegBKGhIKCghXT1JLRkxPVwoMYWcuc3Bhbi5raW5kQUAMoijt6ugYOQDBVSjt6ugYMAEqBHJvb3QiABIIHw9t5/gAFQEKEAV1NNfZ2bPXQF8Xz4Ml01wS9gF6AEofEgYKBGNoYXQKFWdlbl9haS5vcGVyYXRpb24ubmFtZUoZEggKBm9wZW5haQoNZ2VuX2FpLnN5c3RlbUolEg0KC2dwdC00by1taW5pChRnZW5fYWkucmVxdWVzdC5tb2RlbEogEgMY6AcKGWdlbl9haS51c2FnZS5pbnB1dF90b2tlbnNKIRIDGMgBChpvdXQQY2hhdCAiEgj3zj5iPlJQdQoDCgF4CiQKIhISChBiZWhpbmQtY29sbGVjdG9yCgxzZXJ2aWNlLm5hbWUGAHzzKLdyCWYU2nxg1Dbi5VBSeCHHRw==",
      },
    ],
  },
] as const;

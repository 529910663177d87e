import os

from questions import AGATE_URL, ask, ask_overloaded, ask_with_tool, openai_client

os.environ |= {
    "BRAINTRUST_API_URL": AGATE_URL,
    "BRAINTRUST_API_KEY": "none",
    "BRAINTRUST_PARENT": "project_name:geology",
    "BRAINTRUST_OTEL_COMPAT": "true",
}

import json

from braintrust.otel import BraintrustSpanProcessor
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider

provider = TracerProvider()
trace.set_tracer_provider(provider)
provider.add_span_processor(BraintrustSpanProcessor())
tracer = trace.get_tracer("stones")
client = openai_client()
metadata = {"user_id": "u-1", "session_id": "s-1", "model": "gpt-4o-mini"}
metrics = {"prompt_tokens": 1000, "completion_tokens": 200, "prompt_cached_tokens": 400}

# Braintrust's names for spans of one's own (its guide to OpenTelemetry).
with tracer.start_as_current_span("answer") as span:
    span.set_attribute("braintrust.input", "What is agate?")
    span.set_attribute("braintrust.metadata", json.dumps(metadata))
    span.set_attribute("braintrust.span_attributes", json.dumps({"type": "task"}))
    span.set_attribute("braintrust.tags", ["stones"])
    with tracer.start_as_current_span("chat") as call:
        messages = [{"role": "user", "content": "What is agate?"}]
        call.set_attribute("braintrust.input_json", json.dumps(messages))
        text = ask(client)
        output = [{"role": "assistant", "content": text}]
        call.set_attribute("braintrust.output_json", json.dumps(output))
        call.set_attribute("braintrust.metrics", json.dumps({**metrics, "tokens": 1200}))
        call.set_attribute("braintrust.metadata", json.dumps({"model": "gpt-4o-mini"}))
        call.set_attribute("braintrust.span_attributes", json.dumps({"type": "llm"}))
    span.set_attribute("braintrust.output", text)
with tracer.start_as_current_span("fail"):
    ask_overloaded(client)
provider.shutdown()

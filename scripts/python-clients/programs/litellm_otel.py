import os

from questions import AGATE_URL, MESSAGES, MODEL, MODEL_URL, TOOLS, TRACES_URL

os.environ |= {
    "OTEL_EXPORTER": "otlp_http",
    "OTEL_ENDPOINT": TRACES_URL,
    "OTEL_EXPORTER_OTLP_PROTOCOL": "http/protobuf",
    "OTEL_EXPORTER_OTLP_ENDPOINT": AGATE_URL,
    "OTEL_SERVICE_NAME": "stones",
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
}

import litellm

litellm.callbacks = ["otel"]
settings = {"api_base": MODEL_URL, "api_key": "none", "num_retries": 0}
about = {"user": "u-1", "metadata": {"session_id": "s-1"}}
litellm.completion(f"openai/{MODEL}", MESSAGES, temperature=0.2, **about, **settings)
question = [{"role": "user", "content": "Which stone is blue?"}]
litellm.completion(f"openai/{MODEL}", question, tools=TOOLS, **settings)
try:
    litellm.completion("openai/overloaded", MESSAGES, **settings)
except Exception as error:
    print(f"refused, as it should be: {type(error).__name__}")

import time

from opentelemetry import trace

# The callback runs in threads of LiteLLM's own, which cannot be waited for.
time.sleep(3)
trace.get_tracer_provider().force_flush()

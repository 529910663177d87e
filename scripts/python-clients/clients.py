"""The clients to try: the program of each, its packages, and the settings that the documentation names."""

from dataclasses import dataclass

OTLP = ["opentelemetry-sdk", "opentelemetry-exporter-otlp-proto-http"]
# Instrumentations that were written for OpenAI's client before version 3 import httpx without
# requiring it.
OPENAI = ["openai", "httpx"]
OTLP_SETTING = "OTLP exporter with `endpoint=\"http://127.0.0.1:4100/v1/traces\"`"


@dataclass(frozen=True)
class Client:
    name: str
    program: str
    """Its packages; the first is the client itself, whose version is shown."""
    packages: tuple
    settings: str
    """Attributes that are left out of the capture: many, and the same for every span."""
    noise: tuple = ()


def client(name, program, packages, settings, noise=()):
    return Client(name, program, tuple(packages), settings, tuple(noise))


CLIENTS = [
    client(
        "OpenTelemetry, OpenAI (`opentelemetry-instrumentation-genai-openai`)",
        "genai_openai",
        ["opentelemetry-instrumentation-genai-openai", *OPENAI, *OTLP],
        f"{OTLP_SETTING}, `OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=SPAN_ONLY`",
    ),
    client(
        "OpenTelemetry, OpenAI, older (`opentelemetry-instrumentation-openai-v2`)",
        "openai_v2",
        # Version 1 of the second package has lost a module that the first one imports.
        [
            "opentelemetry-instrumentation-openai-v2",
            "opentelemetry-util-genai==0.4b0",
            *OPENAI,
            *OTLP,
        ],
        f"{OTLP_SETTING}; a second exporter for `/v1/logs`, where this version sends the content, "
        "`OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT=true`; `opentelemetry-util-genai==0.4b0`",
    ),
    client(
        "OpenInference, OpenAI",
        "openinference_openai",
        ["openinference-instrumentation-openai", *OPENAI, *OTLP],
        OTLP_SETTING,
    ),
    client(
        "Phoenix `register()`",
        "phoenix_register",
        ["arize-phoenix-otel", "openinference-instrumentation-openai", *OPENAI],
        '`register(endpoint="http://127.0.0.1:4100/v1/traces", protocol="http/protobuf")`',
    ),
    client(
        "Traceloop (OpenLLMetry)",
        "traceloop_sdk",
        ["traceloop-sdk", *OPENAI],
        "`TRACELOOP_BASE_URL=http://127.0.0.1:4100`",
    ),
    client(
        "Langfuse",
        "langfuse_sdk",
        ["langfuse", *OPENAI],
        "`LANGFUSE_BASE_URL=http://127.0.0.1:4100`, the API key as `LANGFUSE_SECRET_KEY`",
    ),
    client(
        "LangChain with Langfuse",
        "langchain_langfuse",
        ["langfuse", "langchain", "langchain-openai"],
        "as Langfuse, `callbacks=[CallbackHandler()]`",
        ["langfuse.observation.metadata.lc_versions"],
    ),
    client(
        "LangChain with OpenInference",
        "langchain_openinference",
        ["openinference-instrumentation-langchain", "langchain", "langchain-openai", *OTLP],
        OTLP_SETTING,
        ["metadata"],
    ),
    client(
        "LangSmith",
        "langsmith_otel",
        ["langsmith[otel]", *OPENAI],
        "`LANGSMITH_OTEL_ENABLED=true`, `LANGSMITH_OTEL_ONLY=true`, "
        "`LANGSMITH_ENDPOINT=http://127.0.0.1:4100`, the API key as `LANGSMITH_API_KEY`",
        ["langsmith.metadata.LANGSMITH_", "langsmith.metadata.revision_id"],
    ),
    client(
        "Braintrust",
        "braintrust_otel",
        ["braintrust[otel]", *OPENAI],
        "`BraintrustSpanProcessor()`, `BRAINTRUST_API_URL=http://127.0.0.1:4100`, "
        "the API key as `BRAINTRUST_API_KEY`",
    ),
    client(
        "Agenta",
        "agenta_sdk",
        ["agenta", *OPENAI],
        "`AGENTA_HOST=http://127.0.0.1:4100`, the API key as `AGENTA_API_KEY`",
    ),
    client(
        "MLflow",
        "mlflow_tracing",
        ["mlflow", *OPENAI, "opentelemetry-exporter-otlp-proto-http"],
        "`OTEL_EXPORTER_OTLP_TRACES_ENDPOINT=http://127.0.0.1:4100/v1/traces`, "
        "`OTEL_EXPORTER_OTLP_TRACES_PROTOCOL=http/protobuf`",
    ),
    client(
        "Pydantic AI with Logfire",
        "pydantic_ai_logfire",
        ["pydantic-ai-slim[openai]", "logfire"],
        "`OTEL_EXPORTER_OTLP_ENDPOINT=http://127.0.0.1:4100`, "
        "`logfire.configure(send_to_logfire=False)`",
        ["logfire.metrics", "logfire.json_schema", "model_request_parameters", "code."],
    ),
    client(
        "LiteLLM",
        "litellm_otel",
        ["litellm", "mcp", *OTLP],
        '`litellm.callbacks = ["otel"]`, `OTEL_EXPORTER=otlp_http`, '
        "`OTEL_ENDPOINT=http://127.0.0.1:4100/v1/traces`",
        ["metadata.", "hidden_params", "llm.openai."],
    ),
    client(
        "OpenLIT",
        "openlit_sdk",
        ["openlit", *OPENAI],
        '`openlit.init(otlp_endpoint="http://127.0.0.1:4100")`',
    ),
    client(
        "smolagents with OpenInference",
        "smolagents_openinference",
        ["openinference-instrumentation-smolagents", "smolagents[openai]", *OTLP],
        OTLP_SETTING,
    ),
    client(
        "DSPy with OpenInference",
        "dspy_openinference",
        ["openinference-instrumentation-dspy", "dspy", *OTLP],
        OTLP_SETTING,
    ),
]

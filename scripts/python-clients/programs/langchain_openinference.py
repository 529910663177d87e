from questions import MODEL, MODEL_URL, otlp_provider

from langchain_core.tools import tool
from langchain_openai import ChatOpenAI
from langchain_core.prompts import ChatPromptTemplate
from openinference.instrumentation import using_attributes
from openinference.instrumentation.langchain import LangChainInstrumentor

provider = otlp_provider()
LangChainInstrumentor().instrument(tracer_provider=provider)


@tool
def find_stone(colour: str) -> str:
    """Finds a stone by its colour."""
    return f"{colour} agate"


def model(name):
    return ChatOpenAI(model=name, base_url=MODEL_URL, api_key="none", max_retries=0)


prompt = ChatPromptTemplate([("system", "Be brief."), ("user", "{question}")])
with using_attributes(user_id="u-1", session_id="s-1"):
    (prompt | model(MODEL)).invoke({"question": "What is agate?"})
call = model(MODEL).bind_tools([find_stone]).invoke("Which stone is blue?").tool_calls[0]
find_stone.invoke(call)
try:
    model("overloaded").invoke("What is agate?")
except Exception as error:
    print(f"refused, as it should be: {type(error).__name__}")
provider.shutdown()

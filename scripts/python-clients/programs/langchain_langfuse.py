import os

from questions import AGATE_URL, MODEL, MODEL_URL

os.environ |= {
    "LANGFUSE_HOST": AGATE_URL,
    "LANGFUSE_BASE_URL": AGATE_URL,
    "LANGFUSE_PUBLIC_KEY": "pk-lf-1",
    "LANGFUSE_SECRET_KEY": "sk-lf-1",
}

from langchain_core.prompts import ChatPromptTemplate
from langchain_openai import ChatOpenAI
from langfuse import get_client
from langfuse.langchain import CallbackHandler

handler = CallbackHandler()
config = {"callbacks": [handler], "metadata": {"langfuse_user_id": "u-1", "langfuse_session_id": "s-1"}}


def model(name):
    return ChatOpenAI(model=name, base_url=MODEL_URL, api_key="none", max_retries=0)


prompt = ChatPromptTemplate([("system", "Be brief."), ("user", "{question}")])
(prompt | model(MODEL)).invoke({"question": "What is agate?"}, config=config)
try:
    model("overloaded").invoke("What is agate?", config=config)
except Exception as error:
    print(f"refused, as it should be: {type(error).__name__}")
get_client().flush()

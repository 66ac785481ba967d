"""Words of the gateway's own pages in English and Chinese; the browser's Accept-Language chooses.

A page names its text in English, which is the key of the catalogue: `say("{name} is not ready", name="lab")`. Text from
elsewhere, such as the error of an external issuer, is in no catalogue and stays as it is.
"""

from collections.abc import Mapping
from typing import Literal, TypeAlias

Language: TypeAlias = Literal["en", "zh"]

CHINESE: Mapping[str, str] = {
    # sign-in
    "Sign in": "登录",
    "to your machine-learning platform": "您的机器学习平台",
    "E-mail address": "电子邮件地址",
    "with {name}": "使用 {name}",
    "Username": "用户名",
    "Password": "密码",
    "or": "或",
    "Continue with {name}": "使用 {name} 继续",
    "That e-mail address and password do not match.": "电子邮件地址与密码不匹配。",
    "That password is published, and counts only on the machine that Windlass runs on, at 127.0.0.1 or localhost.": (
        "该密码是公开的，只能在运行 Windlass 的机器上通过 127.0.0.1 或 localhost 使用。"
    ),
    "That user name and password do not match.": "用户名与密码不匹配。",
    "The directory does not answer as it should. Try again later, or ask an administrator.": (
        "目录服务未正常响应。请稍后重试，或联系管理员。"
    ),
    "Your entry in the directory cannot be used here. Ask an administrator.": (
        "您在目录中的条目无法在此使用。请联系管理员。"
    ),
    "a local account": "本地账户",
    "Too many tries. Wait a minute, then try again.": "尝试次数过多。请等待一分钟后重试。",
    "The form is too large.": "表单过大。",
    "This sign-in has ended": "此次登录已结束",
    "It was started too long ago, or in another browser. Nothing is lost.": (
        "开始时间过久，或是在另一个浏览器中开始的。没有丢失任何内容。"
    ),
    "Sign-in failed": "登录失败",
    "It was started too long ago, or in another browser.": "开始时间过久，或是在另一个浏览器中开始的。",
    "The code that came back was used already, or is too old.": "返回的授权码已被使用，或已过期。",
    "The link was used already, or is older than a minute.": "此链接已被使用，或已超过一分钟。",
    "No code came back.": "没有返回授权码。",
    "Sign in again": "重新登录",
    "Try again": "重试",
    "Home": "首页",
    "Bad request": "请求有误",
    "The program that sent you here asked for something that is refused. {why}": (
        "将您带到此处的程序提出了被拒绝的请求。{why}"
    ),
    "Not found": "未找到",
    "There is no such way to sign in.": "没有这种登录方式。",
    "Nothing to approve": "无需批准",
    "Programs here need no approval.": "这里的程序不需要批准。",
    "Not now": "暂时不可用",
    "You cannot be signed in: the gateway cannot write to its disk, which may be full.": (
        "无法登录：网关无法写入磁盘，磁盘可能已满。"
    ),
    # after it
    "Signed in": "已登录",
    "You are signed in": "您已登录",
    "You can close this window.": "您可以关闭此窗口。",
    "Sign out": "退出登录",
    "Where you are signed in": "您的登录位置",
    "this browser": "当前浏览器",
    "End": "结束",
    "A program": "某个程序",
    "used {ago}": "{ago}使用过",
    "just now": "刚刚",
    "{count} d ago": "{count} 天前",
    "{count} h ago": "{count} 小时前",
    "{count} min ago": "{count} 分钟前",
    "The dashboard is not built": "控制台尚未构建",
    "This Windlass runs without its dashboard. Run make ui-build in the clone of its source and, if it was installed "
    "from there, pip install . again; then load this page again. Everything else works: kubectl, the windlass command, "
    "and the REST APIs of the web apps.": (
        "此 Windlass 未包含控制台。请在源代码目录中运行 make ui-build；"
        "如果它是从该目录安装的，请再次运行 pip install .，然后重新加载此页面。"
        "其他功能都可使用：kubectl、windlass 命令以及各 Web 应用的 REST API。"
    ),
    # while something does not answer
    "{name} is not ready": "{name} 尚未就绪",
    "This page tries again every {seconds} seconds.": "此页面每 {seconds} 秒重试一次。",
    "No pod behind it is ready.": "后面没有就绪的 Pod。",
    "It does not exist.": "它不存在。",
    "It is being deleted.": "正在删除。",
    "It is stopped. Start it to use it again.": "它已停止。启动后即可再次使用。",
    "It is starting.": "正在启动。",
}


class Speech:
    """The texts of the pages in one language. Call it with an English text and the values in it."""

    def __init__(self, language: Language) -> None:
        self.language: Language = language

    def __call__(self, text: str, **values: object) -> str:
        template = CHINESE.get(text, text) if self.language == "zh" else text
        return template.format(**values) if values else template


_SPEECHES: Mapping[Language, Speech] = {"en": Speech("en"), "zh": Speech("zh")}


def speech_of(headers: Mapping[str, str]) -> Speech:
    """The language that the request asks for."""
    return _SPEECHES[preferred_language(headers.get("Accept-Language", ""))]


def preferred_language(accepted: str) -> Language:
    """The first of the two by weight, as in `zh-CN,zh;q=0.9,en;q=0.8`; English where it names neither."""
    weights: dict[Language, float] = {}
    for part in accepted.split(","):
        tag, _, parameters = part.strip().partition(";")
        language = tag.strip().lower().partition("-")[0]
        weight = _weight(parameters)
        if (language == "en" or language == "zh") and weight > weights.get(language, 0.0):
            weights[language] = weight
    ordered: list[Language] = sorted(weights, key=lambda language: -weights[language])
    return ordered[0] if ordered else "en"


def _weight(parameters: str) -> float:
    name, _, value = parameters.strip().partition("=")
    if name.strip() != "q":
        return 1.0
    try:
        return float(value)
    except ValueError:
        return 0.0

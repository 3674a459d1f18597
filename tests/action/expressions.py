"""The part of the runner's expression language that action.yml uses. Anything else is an error, never a guess."""

import re

TOKEN = re.compile(
    r"""\s*(?:(?P<text>'(?:[^']|'')*')|(?P<number>\d+)|(?P<operator>==|!=|&&|\|\||!|\(|\)|\[|\]|\.)"""
    r"""|(?P<name>[A-Za-z_][A-Za-z0-9_-]*))"""
)
TEMPLATE = re.compile(r"\$\{\{(.*?)\}\}", re.DOTALL)


class Unknown(Exception):
    """An expression that this evaluator does not understand."""


def tokens(source):
    found, at = [], 0
    source = source.rstrip()
    while at < len(source):
        match = TOKEN.match(source, at)
        if not match:
            raise Unknown(f"`{source}` at {source[at:at + 12]!r}")
        found.append((match.lastgroup, match.group(match.lastgroup)))
        at = match.end()
    return found


class Parser:
    def __init__(self, source, contexts, status):
        self.source, self.contexts, self.status = source, contexts, status
        self.tokens, self.at = tokens(source), 0
        self.asked_status = False

    def peek(self):
        return self.tokens[self.at] if self.at < len(self.tokens) else (None, None)

    def take(self, text=None):
        kind, value = self.peek()
        if kind is None or (text is not None and (kind, value) != ("operator", text)):
            raise Unknown(f"`{self.source}`: expected {text or 'more'}")
        self.at += 1
        return kind, value

    def is_next(self, text):
        return self.peek() == ("operator", text)

    def whole(self):
        value = self.either()
        if self.at != len(self.tokens):
            raise Unknown(f"`{self.source}`: {self.peek()[1]!r} is too much")
        return value

    def either(self):
        value = self.both()
        while self.is_next("||"):
            self.take()
            other = self.both()
            value = value if truthy(value) else other
        return value

    def both(self):
        value = self.equal()
        while self.is_next("&&"):
            self.take()
            other = self.equal()
            value = other if truthy(value) else value
        return value

    def equal(self):
        value = self.single()
        while self.is_next("==") or self.is_next("!="):
            _, operator = self.take()
            value = same(value, self.single()) == (operator == "==")
        return value

    def single(self):
        kind, value = self.take()
        if (kind, value) == ("operator", "!"):
            return not truthy(self.single())
        if (kind, value) == ("operator", "("):
            inner = self.either()
            self.take(")")
            return inner
        if kind == "text":
            return value[1:-1].replace("''", "'")
        if kind == "number":
            return int(value)
        if kind == "name":
            return self.called(value) if self.is_next("(") else self.looked_up(value)
        raise Unknown(f"`{self.source}`: {value!r}")

    def called(self, name):
        self.take("(")
        self.take(")")
        if name not in ("always", "success", "failure"):
            raise Unknown(f"`{self.source}`: the function {name}()")
        self.asked_status = True
        return {"always": True, "success": self.status == "success", "failure": self.status == "failure"}[name]

    def looked_up(self, name):
        if name in ("true", "false", "null"):
            return {"true": True, "false": False, "null": None}[name]
        if name not in self.contexts:
            raise Unknown(f"`{self.source}`: the context {name}")
        value = self.contexts[name]
        while True:
            if self.is_next("."):
                self.take()
                _, key = self.take()
                value = value.get(key) if isinstance(value, dict) else None
            elif self.is_next("["):
                self.take()
                kind, key = self.take()
                self.take("]")
                if kind != "number":
                    raise Unknown(f"`{self.source}`: the index {key}")
                value = value[int(key)] if isinstance(value, list) and int(key) < len(value) else None
            else:
                return value


def truthy(value):
    return value not in (None, False, 0, "")


def same(left, right):
    # Texts are compared without regard to case.
    if isinstance(left, str) and isinstance(right, str):
        return left.lower() == right.lower()
    if type(left) is not type(right) and left is not None and right is not None:
        raise Unknown(f"{left!r} compared with {right!r}: what that gives is not written down here")
    return left == right


def shown(value):
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (str, int)):
        return str(value)
    raise Unknown(f"{value!r} in a text")


def text(template, contexts, status="success"):
    """A value with `${{ … }}` in it."""
    filled = TEMPLATE.sub(lambda match: shown(Parser(match.group(1), contexts, status).whole()), template)
    if "${{" in TEMPLATE.sub("", template):
        raise Unknown(f"`{template}` is not closed")
    return filled


def condition(source, contexts, status):
    """Whether a step runs; without a function that asks for the status, only after success."""
    if source is None:
        return status == "success"
    match = TEMPLATE.fullmatch(source.strip())
    parser = Parser(match.group(1) if match else source, contexts, status)
    value = truthy(parser.whole())
    return value if parser.asked_status else value and status == "success"

"""Secrets in what builders record. Values are random and made at run time; a report must never show them."""

import secrets as random_source
import string

from . import bases
from .workshop import Finding

NAMES = ("SCCACHE_DOWNLOAD_URL", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "SCCACHE_WEBDAV_TOKEN", "SCCACHE_REDIS")
NEVER = "{id: no-secrets, rule: history-secrets, with: {never: [" + ", ".join(NAMES) + "]}}"
SHELL = "/bin/sh -c"
NOP = SHELL + " #(nop) "
BUILDKIT = {"comment": "buildkit.dockerfile.v0"}


def token(length=32):
    return "".join(random_source.choice(string.ascii_letters + string.digits) for _ in range(length))


def url(secret, user="ci"):
    return f"https://{user}:{secret}@cache.example.invalid/sccache.tar.gz"


def policy(shop):
    return shop.once("history policy", lambda: shop.policy("history", (NEVER,)))


class Encoding:
    """How one builder writes down an instruction; a None value is a name without one."""

    def __init__(self, name, run, arg, env, label):
        self.name, self.run, self.arg, self.env, self.label = name, run, arg, env, label


def _arg_pairs(pairs, unset):
    return [f"{k}={v if v is not None else ''}" for k, v in pairs if v is not None or unset]


def classic_run(pairs, command):
    shown = sorted(_arg_pairs(pairs, unset=False))
    return (f"|{len(shown)} {' '.join(shown)} " if shown else "") + f"{SHELL} {command}"


def buildkit_run(pairs, command):
    shown = _arg_pairs(pairs, unset=True)
    return "RUN " + (f"|{len(shown)} {' '.join(shown)} " if shown else "") + f"{SHELL} {command} # buildkit"


def buildah_run(pairs, command):
    shown = " ".join(_arg_pairs(pairs, unset=False))
    return (f"|{len(shown.split())} {shown} " if shown else "") + f"{SHELL} {command}"


def _pair(name, value):
    return name if value is None else f"{name}={value}"


ENCODINGS = (
    Encoding("classic", classic_run, lambda n, v: f"{NOP} ARG {n}", lambda n, v: f"{NOP} ENV {n}={v}",
             lambda n, v: f"{NOP} LABEL {n}={v}"),
    Encoding("buildkit", buildkit_run, lambda n, v: f"ARG {_pair(n, v)}", lambda n, v: f"ENV {n}={v}",
             lambda n, v: f"LABEL {n}={v}"),
    Encoding("buildah", buildah_run, lambda n, v: f"{NOP}ARG {n}", lambda n, v: f'{NOP}ENV {n}="{v}"',
             lambda n, v: f'{NOP}LABEL "{n}"="{v}"'),
)
COMMAND = "curl -fsSL ${SCCACHE_DOWNLOAD_URL} | tar xz && make rocprofiler-sdk"


def build(shop):
    for encoding in ENCODINGS:
        run_arguments(shop, encoding)
        environment(shop, encoding)
        label(shop, encoding)
        harmless(shop, encoding)
    buildkit_argument(shop)
    added_url(shop)
    plain_value(shop)
    config_only(shop)


def start(shop, name, encoding=None):
    image = bases.micro(shop).branch("history-" + name + (f"-{encoding.name}" if encoding else ""))
    if not encoding or encoding.name == "buildkit":
        image.more = BUILDKIT
    else:
        image.more = {"comment": "FROM 4f1c2d3e4b5a"} if encoding.name == "buildah" else {}
    return image


def touch_layer(image, line):
    def action(root):
        with open(f"{root}/etc/scene", "a", encoding="utf-8") as file:
            file.write("built\n")
    return image.step(line, action)


def leak(kind, subject, layer, history, secret, name=None):
    """`history` may hold the value: a report shows it redacted, so only what stands before the value is compared. One
    finding may name several places, so its subject is the variable or the detector: `subject` is told, not compared."""
    shown = None
    if layer is not None:  # an entry without a layer has no line in the report
        shown = history.split(secret)[0]
        if name and f"{name}=" in shown:  # the whole value of such a variable is replaced
            shown = shown[:shown.index(f"{name}=") + len(name) + 1]
    return Finding("history-secrets", kind, (), layer, shown, "no-secrets",
                   also={"places": list(subject)} | ({"name": name} if name else {}))


def finish(shop, image, findings, secrets, why=""):
    shop.record(image, "leaky-history", False, policy(shop), 1, findings, secrets=secrets, why=why, others=True, oracles=())


def run_arguments(shop, encoding):
    secret = token()
    image = start(shop, "run", encoding)
    image.note(encoding.arg("SCCACHE_DOWNLOAD_URL", None), **image.more)
    line = encoding.run((("MAX_JOBS", "8"), ("SCCACHE_DOWNLOAD_URL", url(secret)), ("UNUSED", None)), COMMAND)
    layer = touch_layer(image, line)
    finish(shop, image, [leak("never", place(image), layer, line, secret, "SCCACHE_DOWNLOAD_URL")], [secret])


def place(image):
    """The history entry that was added last, in the spellings a report may use."""
    index = len(image.entries) - 1
    return (f"history[{index}]", f"history[{index}].created_by", f"/history/{index}/created_by", f"history {index}")


def environment(shop, encoding):
    secret = token(40)
    image = start(shop, "env", encoding)
    line = encoding.env("AWS_SECRET_ACCESS_KEY", secret)
    image.note(line, **image.more)
    image.config["Env"].append("AWS_SECRET_ACCESS_KEY=" + secret)
    index = len(image.config["Env"]) - 1
    finish(shop, image, [leak("never", place(image), None, line, secret, "AWS_SECRET_ACCESS_KEY"),
                         leak("never", (f"config.Env[{index}]", f"/config/Env/{index}", "config.Env", "AWS_SECRET_ACCESS_KEY"),
                              None, None, secret, "AWS_SECRET_ACCESS_KEY")], [secret])


def label(shop, encoding):
    secret = token(20)
    source = f"https://gitlab-ci-token:{secret}@gitlab.example.invalid/rocm/image.git"
    name = "org.opencontainers.image.source"
    image = start(shop, "label", encoding)
    line = encoding.label(name, source)
    image.note(line, **image.more)
    image.config["Labels"] = {name: source}
    finish(shop, image, [leak("secret", place(image), None, line, secret),
                         leak("secret", (f"config.Labels.{name}", f"config.Labels[{name}]", f"/config/Labels/{name}",
                                         f'config.Labels["{name}"]'), None, None, secret)], [secret])


def harmless(shop, encoding):
    """The same build done right: names without values, references, secret mounts, digests that look random."""
    image = start(shop, "clean", encoding)
    for name in ("SCCACHE_DOWNLOAD_URL", "AWS_SECRET_ACCESS_KEY"):
        image.note(encoding.arg(name, None), **image.more)
    mount = "--mount=type=secret,id=sccache " if encoding.name == "buildah" else ""
    command = (mount + 'curl -fsSL "$(cat /run/secrets/sccache)" | tar xz && '
               'curl -H "Authorization: Bearer ${GITHUB_TOKEN}" https://api.example.invalid/ && AWS_SECRET_ACCESS_KEY= make')
    touch_layer(image, encoding.run((("MAX_JOBS", "8"), ("SCCACHE_DOWNLOAD_URL", None)), command))
    image.note(encoding.env("SCCACHE_BUCKET", "build-cache"), **image.more)
    touch_layer(image, f"COPY file:{random_source.token_hex(32)} in /dst " if encoding.name == "buildkit"
                else f"{NOP}COPY file:{random_source.token_hex(32)} in /dst ")
    image.note(encoding.label("org.opencontainers.image.source", "https://git.example.invalid/rocm/image.git"), **image.more)
    image.config["Labels"] = {"org.opencontainers.image.source": "https://git.example.invalid/rocm/image.git"}
    image.config["Env"].append("SCCACHE_BUCKET=build-cache")
    shop.record(image, "leaky-history", True, policy(shop), 0, oracles=())


def buildkit_argument(shop):
    """Frontend 1.8 and later writes the value that --build-arg gave into the ARG line itself."""
    secret = token()
    image = start(shop, "arg-buildkit")
    line = "ARG SCCACHE_DOWNLOAD_URL=" + url(secret)
    image.note(line, **BUILDKIT)
    finish(shop, image, [leak("never", place(image), None, line, secret, "SCCACHE_DOWNLOAD_URL")], [secret])


def added_url(shop):
    secret = token()
    image = start(shop, "add-buildkit")
    line = f"ADD {url(secret, 'deploy')} /opt/sccache.tar.gz # buildkit"
    layer = touch_layer(image, line)
    finish(shop, image, [leak("secret", place(image), layer, line, secret)], [secret])


def plain_value(shop):
    """`never` means any value that is not empty, also one that looks like nothing secret."""
    image = start(shop, "never-plain")
    line = buildkit_run((("SCCACHE_DOWNLOAD_URL", "https://mirror.example.invalid/sccache.tar.gz"),), COMMAND)
    layer = touch_layer(image, line)
    finish(shop, image, [Finding("history-secrets", "never", (), layer, line.split("=")[0], "no-secrets")], [],
           why="no credential in the URL, but the policy wants no value at all")


def config_only(shop):
    """`docker run -e` and `docker commit`: in the environment, in no history line."""
    secret = token()
    image = start(shop, "config-env-only")
    image.config["Env"].append("SCCACHE_WEBDAV_TOKEN=" + secret)
    index = len(image.config["Env"]) - 1
    finish(shop, image, [leak("never", (f"config.Env[{index}]", f"/config/Env/{index}", "config.Env", "SCCACHE_WEBDAV_TOKEN"),
                              None, None, secret, "SCCACHE_WEBDAV_TOKEN")], [secret])

"""docs/rocm.md, config, environment, secrets, provenance: each invariant held once and broken once."""

from .leaky_history import buildkit_run, token
from .whole_stack import BASE_LABEL, LABELS, POLICY, broken, configured, holds, whole
from .workshop import Finding

HOLD = ("inv-140", "inv-142", "inv-143", "inv-144", "inv-145", "inv-146", "inv-148", "inv-149", "inv-150")
REVISION = "org.opencontainers.image.revision"


def build(shop):
    holds(shop, whole(shop).branch("invariants-config"), "inv-config", HOLD)
    configured(shop, "inv-140", "other-value", "value", "HSA_ENABLE_IPC_MODE_LEGACY", HSA_ENABLE_IPC_MODE_LEGACY="0")
    configured(shop, "inv-140", "unset", "unset", "HSA_NO_SCRATCH_RECLAIM", HSA_NO_SCRATCH_RECLAIM=None)
    configured(shop, "inv-140", "preload", "forbidden", "LD_PRELOAD", LD_PRELOAD="/usr/lib/libjemalloc.so.2")
    configured(shop, "inv-142", "cache-left", "not-empty", "SCCACHE_BUCKET", SCCACHE_BUCKET="builds")
    configured(shop, "inv-146", "by-tag", "unpinned", BASE_LABEL + "name", "base-image", remove=(BASE_LABEL + "digest",))
    configured(shop, "inv-148", "no-revision", "unset", REVISION, remove=(REVISION,))
    configured(shop, "inv-149", "other-revision", "differs", (), "values-agree", labels={REVISION: LABELS[REVISION][::-1]})
    broken(shop, "inv-145", "back-again", "printf x > $ROOT/usr/bin/sccache", ("file-absent", "present", "/usr/bin/sccache"))
    broken(shop, "inv-150", "file-gone", "rm $ROOT/app/kineto.conf", ("image-config", "no-path", "KINETO_CONFIG"))
    broken(shop, "inv-150", "program-gone", "rm $ROOT/usr/local/bin/serve", ("image-config", "no-program", "serve"))
    secret(shop, "inv-143", "in-command", lambda value: f"RUN /bin/sh -c curl https://ci:{value}@cache.example.invalid/x # buildkit", "secret")
    secret(shop, "inv-144", "as-argument", lambda value: buildkit_run((("SCCACHE_DOWNLOAD_URL", value),), "make"), "never")


def secret(shop, check, name, line, kind):
    image, value = whole(shop).branch(f"{check}-{name}"), token()
    image.note(line(value))
    shop.record(image, check, False, POLICY, 1, [Finding("history-secrets", kind, (), None, None, check)], only=[check], oracles=(),
                secrets=(value,))

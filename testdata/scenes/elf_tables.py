"""Symbol tables where readers do not look: beyond 16 MiB of a library, moved to its end by patchelf, without sections."""

from . import bases, rocm, tools
from .workshop import Finding

PATH = "/opt/rocm/lib/libhsa-runtime64.so.1"
BIG = 20 << 20  # beyond any head window


def policy(shop):
    check = f"{{id: backport-symbol, rule: elf-symbols, with: {{file: {PATH}, defined: ['{rocm.SYMBOL}@@ROCR_1']}}}}"
    return shop.once("symbol policy", lambda: shop.policy("symbol", (check,)))


def big(shop, patched, moved):
    """A library with 20 MiB of data; `moved`: patchelf writes .dynamic, .dynstr and .gnu.hash anew at its end."""
    source = rocm.hsa_source("big", patched) + f"const char code_objects[{BIG}] = {{ 1 }};\nconst char *keep(void) {{ return code_objects; }}\n"
    path = rocm.library(shop, rocm.HSA, source, rocm.HSA_MAP)
    if moved:
        tools.run("patchelf", "--set-rpath", "$ORIGIN:$ORIGIN/../lib:" + "/opt/rocm-7.2.4/lib/some/long/directory" * 8, path)
    return path


def build(shop):
    rows = [(f"{'moved' if moved else 'big'}-{'patched' if patched else 'stock'}", patched,
             lambda patched=patched, moved=moved: big(shop, patched, moved))
            for moved in (False, True) for patched in (True, False)]
    rows += [(f"sectionless-{'patched' if patched else 'stock'}", patched, lambda patched=patched: sectionless(shop, patched))
             for patched in (True, False)]
    for name, patched, make in rows:
        library(shop, name, make(), [] if patched else ["absent"])
    made = rocm.libraries(shop)
    other_version = rocm.library(shop, rocm.HSA, rocm.hsa_source("x", True), "ROCR_2 { global: hsa_*; local: *; };\n")
    library(shop, "wrong-version", other_version, ["wrong-version"])
    caller = rocm.library(shop, rocm.HSA, f"extern int {rocm.SYMBOL}(void);\nint hsa_init(void) {{ return {rocm.SYMBOL}(); }}\n",
                          rocm.HSA_MAP, [made.new_hsa])
    library(shop, "undefined-only", caller, ["undefined-only"])
    old = rocm.hsa_source("x", False) + (f"int old_{rocm.SYMBOL}(void) {{ return 1; }}\n"
                                         f'__asm__(".symver old_{rocm.SYMBOL},{rocm.SYMBOL}@ROCR_1");\n')
    library(shop, "not-default", rocm.library(shop, rocm.HSA, old, rocm.HSA_MAP), ["not-default"])


def sectionless(shop, patched):
    """The section header table is gone, as after sstrip: the loader does not need it, nm and readelf -S do."""
    made = rocm.libraries(shop)
    with open(made.new_hsa if patched else made.stock_hsa, "rb") as file:
        data = bytearray(file.read())
    data[0x28:0x30] = bytes(8)   # e_shoff
    data[0x3C:0x40] = bytes(4)   # e_shnum, e_shstrndx
    return tools.write(shop.fresh(), bytes(data))


def library(shop, name, path, kinds):
    image = bases.with_rocm(shop).branch("elf-" + name)
    line = f"RUN /bin/sh -c install {name} # buildkit"
    layer = image.step(line, lambda root: tools.shell(f'install -m 644 "$FROM" .{rocm.LIB}/{rocm.STOCK_HSA}', root, FROM=path))
    shop.record(image, "elf-tables", not kinds, policy(shop), 1 if kinds else 0,
                [Finding("elf-symbols", kind, PATH, layer, line, "backport-symbol", also={"symbol": rocm.SYMBOL}) for kind in kinds],
                form="zstd" if "moved" in name else "gzip", oracles=())

"""An image that holds every invariant of docs/rocm.md, its stock twin, and the way to break one thing of it."""

import base64
import hashlib
import os

from . import bases, debs, rocm, tools
from .autoremove import SITE
from .workshop import Finding

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
POLICY = SOURCE + "/policies/examples/rocm-invariants.yaml"
PACKAGES_LINE = "RUN /bin/sh -c apt-get install -y libdw1 amd-smi-lib rocm-dev-tools && apt-mark manual libdw1 # buildkit"
PYTHON_LINE = f"COPY --from=export /install/ {SITE}/ # buildkit"
SWAP_LINE = "RUN /bin/sh -c /tmp/atom/install-rocm-runtime.sh --legacy-names --markers --with-hiprtc && ldconfig # buildkit"
SMI = "26.2.2"
NEW_RTC, STOCK_RTC = "libhiprtc.so.7.2.53211-" + rocm.COMMIT[:7], "libhiprtc.so.7.2." + rocm.PATCH
ARTIFACT = b"artifact of the pinned build\n"  # its digest stands in the policy
REVISION = "5d1c9a7be0f3428617d4a2c9e8b7f60513ac42d8"
ENV = {"LD_LIBRARY_PATH": "/opt/rocm/lib", "SITE_PACKAGES": SITE, "PYTHONPATH": SITE, "KINETO_CONFIG": "/app/kineto.conf",
       "HSA_ENABLE_IPC_MODE_LEGACY": "1", "HSA_NO_SCRATCH_RECLAIM": "1", "SCCACHE_BUCKET": "",
       "EXPECTED_COMMIT": rocm.COMMIT, "EXPECTED_REVISION": REVISION,
       "ATOM_BASE_IMAGE": "rocm/dev-ubuntu-22.04:7.2.4@sha256:" + "7a" * 32}
BASE_LABEL = "org.opencontainers.image.base."
LABELS = {"com.amd.rocm.version": "7.2.4", "org.opencontainers.image.revision": REVISION,
          BASE_LABEL + "name": "docker.io/rocm/dev-ubuntu-22.04:7.2.4", BASE_LABEL + "digest": "sha256:" + "7a" * 32}

_HEADER = b"""hsa_status_t hsa_amd_signal_create(hsa_signal_value_t initial);
hsa_status_t hsa_amd_signal_create_v2(hsa_signal_value_t initial, uint32_t flags);
"""


def _packages(shop):
    """libdw1 small and without the C library, amd-smi-lib, and what programs expect below /opt/rocm."""
    dw = rocm.library(shop, "libdw.so.1", "int dwarf_begin(void) { return 0; }\n", "ELFUTILS_0.122 { global: dwarf_*; local: *; };\n")
    smi = rocm.library(shop, "libamd_smi.so.26", "int amdsmi_init(void) { return 26; }\n", None)
    host, tree = "/usr/lib/x86_64-linux-gnu", rocm.TREE
    return [deb.build(shop) for deb in (
        debs.Deb("libdw1", "0.188-2.1", {f"{host}/libdw-0.188.so": dw}, {f"{host}/libdw.so.1": "libdw-0.188.so"}),
        debs.Deb("amd-smi-lib", f"{SMI}.{rocm.BUILD}", {f"{rocm.LIB}/libamd_smi.so.{SMI}": smi},
                 {f"{rocm.LIB}/libamd_smi.so.26": f"libamd_smi.so.{SMI}", f"{rocm.LIB}/libamd_smi.so": "libamd_smi.so.26"}),
        debs.Deb("rocm-dev-tools", f"7.2.4.{rocm.BUILD}", {
            f"{tree}/bin/amdgpu-arch": b"#!/bin/sh\necho gfx942\n", f"{tree}/llvm/bin/clang": b"#!/bin/sh\necho 20\n",
            f"{tree}/share/artifact.bin": ARTIFACT, f"{tree}/include/hsa/hsa_ext_amd.h": _HEADER,
            f"{rocm.LIB}/rocblas/library/TensileLibrary_gfx90a.dat": b"code for gfx90a\n",
            f"{rocm.LIB}/rocblas/library/TensileLibrary_gfx942.dat": b"code for gfx942\n"}))]


def packages(shop):
    return shop.once("whole packages", lambda: _packages(shop))


def _install(shop, root):
    debs.install(root, *packages(shop))
    debs.apt(root, "auto", "libelf1", "rocm-core", "comgr", "hsa-rocr", tool="apt-mark")
    debs.apt(root, "manual", "libdw1", tool="apt-mark")
    tools.write(f"{root}/etc/ld.so.conf.d/x86_64-linux-gnu.conf", "/lib/x86_64-linux-gnu\n/usr/lib/x86_64-linux-gnu\n")
    tools.write(f"{root}/usr/local/bin/serve", "#!/usr/local/bin/serve\n", 0o755)
    tools.write(f"{root}/app/kineto.conf", "ACTIVITIES_WARMUP_PERIOD_SECS=0\n")
    tools.write(f"{root}/app/versions.txt", f"PYTHON_VERSION: 3.12\nROCM_VERSION: 7.2.4\nTORCH_COMMIT: {REVISION}\n")


class Wheel:
    """A distribution as an installer leaves it: metadata, RECORD with true digests, files of the package."""

    def __init__(self, name, version, files=(), metadata=()):
        self.name, self.version, self.files, self.metadata = name, version, dict(files), list(metadata)

    def install(self, root):
        where = f"{self.name.replace('-', '_')}-{self.version}.dist-info"
        lines = ["Metadata-Version: 2.1", f"Name: {self.name}", f"Version: {self.version}", *self.metadata, ""]
        files = {**self.files, f"{where}/METADATA": "\n".join(lines).encode(),
                 f"{where}/WHEEL": b"Wheel-Version: 1.0\nRoot-Is-Purelib: false\nTag: cp312-cp312-linux_x86_64\n"}
        record = ""
        for path, data in files.items():
            data = data if isinstance(data, bytes) else open(data, "rb").read()
            tools.write(f"{root}{SITE}/{path}", data)
            record += f"{path},sha256={_digest64(data)},{len(data)}\n"
        tools.write(f"{root}{SITE}/{where}/RECORD", record + f"{where}/RECORD,,\n")


def _digest64(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def wheels(shop):
    return shop.once("wheels", lambda: _wheels(shop))


def _wheels(shop):
    made = rocm.libraries(shop)
    sdk_calls = "extern int dwarf_begin(void);\nint rocprofiler_start(void) { return dwarf_begin(); }\n"
    torch_hip = rocm.library(shop, "libtorch_hip.so", "extern int hipInit(void);\nint torch_hip(void) { return hipInit(); }\n",
                             None, [made.new_hip], rpath="/opt/rocm/lib")
    dw = rocm.library(shop, "libdw.so.1", "int dwarf_begin(void) { return 0; }\n", "ELFUTILS_0.122 { global: dwarf_*; local: *; };\n")
    torch_cpu = rocm.library(shop, "libtorch_cpu.so", sdk_calls + "int rocprofiler_configure(void) { return 0; }\n", None, [dw])
    native = rocm.library(shop, "c_ops.so", "int lmcache_ops(void) { return 1; }\n", None)
    rust = rocm.library(shop, "_rust_ops.so", "int rust_ops(void) { return 1; }\n", None)
    return [Wheel("torch", "2.10.0+rocm7.2.4",
                  {"torch/version.py": b"hip: str = '7.2.4'\ncuda = None\n", "torch/lib/libtorch_hip.so": torch_hip,
                   "torch/lib/libtorch_cpu.so": torch_cpu}, ["Requires-Dist: numpy>=2"]),
            Wheel("triton", "3.6.0+rocm7.2.4", {"triton/__init__.py": b"__version__ = '3.6.0'\n"}),
            Wheel("numpy", "2.2.6", {"numpy/__init__.py": b"version = '2.2.6'\n"}),
            Wheel("PyYAML", "6.0.2", {"yaml/__init__.py": b"__version__ = '6.0.2'\n"}),
            Wheel("amd-aiter", "0.1.21.post1", {"aiter/__init__.py": b"import yaml\n"}),
            Wheel("amdsmi", SMI, {"amdsmi/__init__.py": b"\n"}),
            Wheel("lmcache", "0.3.9", {"lmcache/c_ops.so": native, "_rust_ops.so": rust}, ["Requires-Dist: aiofile"]),
            Wheel("aiofile", "3.9.0"), Wheel("aiofiles", "24.1.0"), Wheel("awscrt", "0.27.6"),
            Wheel("sortedcontainers", "2.4.0")]


def _install_python(shop, root):
    for wheel in wheels(shop):
        wheel.install(root)
    pinned = [f"{wheel.name}=={wheel.version}\n" for wheel in wheels(shop)[:5]]
    tools.write(f"{root}/etc/rocm-constraints.txt", "".join(pinned))


def swap_all(shop):
    """The swap of the second story, hiprtc included: HIP and its compiler are one build."""
    made = rocm.libraries(shop)
    new_rtc = shop.once("new hiprtc", lambda: rocm.library(
        shop, "libhiprtc.so.7", "int hiprtcVersion(void) { return 72; }\n", "hip_6.0 { global: hiprtc*; local: *; };\n"))

    def action(root):
        tools.shell(rocm.SWAP + f"install -m 644 \"$RTC\" {NEW_RTC}; touch {STOCK_RTC}; ln -f {NEW_RTC} {STOCK_RTC}; "
                    f"ln -sfn {NEW_RTC} libhiprtc.so.7", root, HSA=made.new_hsa, HIP=made.new_hip, RTC=new_rtc)
        tools.ldconfig(root)
    return action


def before_swap(shop):
    """Layers 0 to 3: everything but the swap, with the stock libraries."""
    def make():
        image = bases.with_rocm(shop).branch("before-swap")
        image.step(PACKAGES_LINE, lambda root: _install(shop, root))
        image.step(PYTHON_LINE, lambda root: _install_python(shop, root))
        image.config.update(Env=[image.config["Env"][0], *(f"{name}={value}" for name, value in ENV.items())],
                            Entrypoint=["serve"], Cmd=None, WorkingDir="/app", Labels=dict(LABELS))
        return image
    return shop.once("before swap", make)


def whole(shop):
    """The swap is layer 4, the last one."""
    def make():
        image = before_swap(shop).branch("whole")
        image.step(SWAP_LINE, swap_all(shop))
        return image
    return shop.once("whole", make)


def holds(shop, image, scene, checks, **more):
    """Records a good image for these checks."""
    return shop.record(image, scene, True, POLICY, 0, only=list(checks), oracles=(), **more)


def broken(shop, check, name, script, *found, base=None, line=None, layer=None, beside=None, why="", **variables):
    """Records the whole image with one thing broken by a shell script on its mount. `found`: (rule, kind, subject) of each finding.
    `layer`: the index and line that the finding names, if not those of this step."""
    image = (base or whole(shop)).branch(f"{check}-{name}")
    line = line or "RUN /bin/sh -c " + script.replace("$ROOT", "").replace("\n", "; ").replace('"', "") + " # buildkit"
    index = image.step(line, lambda root: tools.shell(script, root, **variables))
    index, line = layer or (index, line)
    judged(shop, image, check, [Finding(*one, index, line, check) for one in found], 1, beside, why)
    return image


def judged(shop, image, check, findings, status=1, beside=None, why=""):
    shop.record(image, check, False, POLICY, status, findings, only=[check], oracles=(), beside=beside, why=why)


def configured(shop, check, name, kind, subject, rule="image-config", base=None, labels=(), remove=(), **env):
    """Records the whole image with another configuration; None takes a variable away. No layer did it."""
    image = (base or whole(shop)).branch(f"{check}-{name}")
    values = dict(entry.split("=", 1) for entry in image.config["Env"])
    values.update(env)
    image.config["Env"] = [f"{key}={value}" for key, value in values.items() if value is not None]
    image.config["Labels"] = {key: value for key, value in {**image.config["Labels"], **dict(labels)}.items() if key not in remove}
    judged(shop, image, check, [Finding(rule, kind, subject, None, None, check)])
    return image

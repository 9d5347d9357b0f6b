"""docs/rocm.md, Python: each invariant held once and broken once."""

from . import rocm
from .autoremove import SITE
from .whole_stack import broken, holds, whole

HOLD = ("inv-120", "inv-121", "inv-122", "inv-123", "inv-124", "inv-125a", "inv-125b", "inv-126a", "inv-126b", "inv-127", "inv-128",
        "inv-129", "inv-132")
DISTS = "python-dists"


def build(shop):
    holds(shop, whole(shop).branch("invariants-python"), "inv-python", HOLD)
    at = f"$ROOT{SITE}"
    broken(shop, "inv-120", "numpy-replaced", f"cd {at}; sed -i 's/^Version: .*/Version: 2.3.1/' numpy-2.2.6.dist-info/METADATA; "
           "mv numpy-2.2.6.dist-info numpy-2.3.1.dist-info", (DISTS, "version", "numpy"), line="RUN /bin/sh -c pip install numpy==2.3.1 # buildkit")
    broken(shop, "inv-121", "yaml-gone", f"cd {at}; rm -r yaml PyYAML-6.0.2.dist-info", (DISTS, "implied", "PyYAML"),
           line="RUN /bin/sh -c pip uninstall -y PyYAML # buildkit", why="aiter imports yaml and does not say so")
    broken(shop, "inv-122", "aiofiles-gone", f"rm -r {at}/aiofiles-24.1.0.dist-info", (DISTS, "absent", "aiofiles"))
    broken(shop, "inv-123", "aiofile-gone", f"rm -r {at}/aiofile-3.9.0.dist-info", (DISTS, "requires-missing", "aiofile"))
    broken(shop, "inv-123", "numpy-twice", f"cd {at}; cp -r numpy-2.2.6.dist-info numpy-2.1.0.dist-info; "
           "sed -i 's/^Version: .*/Version: 2.1.0/' numpy-2.1.0.dist-info/METADATA", (DISTS, "duplicate", "numpy"))
    broken(shop, "inv-124", "other-triton", f"cd {at}; sed -i 's/^Version: .*/Version: 3.5.0/' triton-*/METADATA; "
           "mv triton-3.6.0+rocm7.2.4.dist-info triton-3.5.0.dist-info", (DISTS, "constraint", "triton"),
           line="RUN /bin/sh -c pip install triton==3.5.0 # buildkit")
    broken(shop, "inv-124", "sixth-line", "echo aiofiles==24.1.0 >> $ROOT/etc/rocm-constraints.txt", (DISTS, "count", "/etc/rocm-constraints.txt"))
    torch = "torch-2.10.0+rocm7.2.4.dist-info"
    broken(shop, "inv-125a", "cuda-build", f"cd {at}; sed -i 's/^Version: .*/Version: 2.10.0+cu128/' {torch}/METADATA; "
           f"mv {torch} torch-2.10.0+cu128.dist-info", (DISTS, "pattern", "torch"), line="RUN /bin/sh -c pip install torch==2.10.0 # buildkit")
    broken(shop, "inv-125b", "no-hip", f"echo 'hip = None' > {at}/torch/version.py", ("file", "content", f"{SITE}/torch/version.py"))
    broken(shop, "inv-126a", "emptied", f": > {at}/lmcache/c_ops.so", ("file", "empty", f"{SITE}/lmcache/c_ops.so"),
           ("file", "content", f"{SITE}/lmcache/c_ops.so"))
    broken(shop, "inv-126b", "needs-cuda", f"patchelf --add-needed libcudart.so.12 {at}/lmcache/c_ops.so",
           ("elf-needed", "missing", f"{SITE}/lmcache/c_ops.so"))
    broken(shop, "inv-127", "edited", f"echo import os >> {at}/aiter/__init__.py", ("wheel-record", "modified", f"{SITE}/aiter/__init__.py"))
    broken(shop, "inv-128", "asks-for-triton", f"sed -i '1aRequires-Dist: triton' {at}/{torch}/METADATA", (DISTS, "metadata", "torch"))
    broken(shop, "inv-129", "own-copy", f"cp $ROOT{rocm.LIB}/{rocm.NEW_HIP} {at}/torch/lib/{rocm.HIP}",
           ("file-absent", "present", f"{SITE}/torch/lib/{rocm.HIP}"))
    library = "/opt/rocm/lib/rocblas/library"
    broken(shop, "inv-132", "no-gfx90a", f"rm $ROOT{rocm.LIB}/rocblas/library/TensileLibrary_gfx90a.dat", ("file", "missing", f"{library}/*gfx90a*"))

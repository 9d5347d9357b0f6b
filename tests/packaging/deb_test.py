"""The Debian package of the present build: what it holds and says of itself. packaging/deb/test installs one."""

import os
import pathlib
import re
import subprocess
import tempfile
import unittest

import kit

BUILD = pathlib.Path(os.environ.get("OCILINT_BUILD", pathlib.Path(kit.OCILINT).parent))


@kit.needs("cpack", "dpkg-deb", "dpkg-shlibdeps")
@unittest.skipUnless((BUILD / "CPackConfig.cmake").exists(), "no CPackConfig.cmake beside the program")
class Package(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = pathlib.Path(folder.name)
        environment = os.environ | {"SOURCE_DATE_EPOCH": "1700000000"}
        # A build that is there already has pages of its own date.
        (BUILD / "package" / "done").unlink(missing_ok=True)
        cls.run_tool(["cmake", "--build", str(BUILD), "--target", "package_parts"], env=environment)
        # Fast rather than small: only the parts are looked at.
        cls.run_tool(["cpack", "--config", str(BUILD / "CPackConfig.cmake"), "-B", str(cls.folder / "out"),
                      "-D", "CPACK_DEBIAN_COMPRESSION_TYPE=gzip"], env=environment)
        cls.package, = (cls.folder / "out").glob("*.deb")
        cls.run_tool(["dpkg-deb", "--extract", str(cls.package), str(cls.folder / "root")])
        cls.root = cls.folder / "root"

    @staticmethod
    def run_tool(words, **more):
        got = subprocess.run(words, text=True, capture_output=True, check=False, **more)
        if got.returncode != 0:
            raise AssertionError(f"{words}: {got.stdout}{got.stderr}")
        return got.stdout

    def test_fields(self):
        fields = dict(re.findall(r"^([A-Za-z-]+): (.*)$", self.run_tool(["dpkg-deb", "--field", str(self.package)]), re.M))
        self.assertEqual(fields["Package"], "ocilint")
        self.assertRegex(fields["Version"], r"^\d+\.\d+\.\d+-1$")
        self.assertRegex(fields["Depends"], r"\blibc6 \(>= ")
        self.assertRegex(fields["Depends"], r"\blibcurl4\b", "loaded by name, seen by no tool")
        self.assertEqual(self.package.name, f"ocilint_{fields['Version']}_{fields['Architecture']}.deb")

    def test_contents(self):
        def text(name):
            return subprocess.run(["zcat", str(self.root / name)], capture_output=True, text=True, check=True).stdout

        self.assertRegex(self.run_tool([str(self.root / "usr/bin/ocilint"), "--version"]), r"^ocilint \d")
        version = self.run_tool([kit.OCILINT, "--version"]).split()[1]
        verbs = re.findall(r"^  ([a-z]+)  ", self.run_tool([kit.OCILINT, "--help"]).split("ommands:\n")[1], re.M)
        pages = {path.name for path in (self.root / "usr/share/man/man1").iterdir()}
        self.assertEqual(pages, {"ocilint.1.gz"} | {f"ocilint-{verb}.1.gz" for verb in verbs})
        self.assertIn(".TH OCILINT\\-CHECK 1 2023-11-14", text("usr/share/man/man1/ocilint-check.1.gz"))
        self.assertTrue(text("usr/share/doc/ocilint/changelog.Debian.gz").startswith(f"ocilint ({version}-1) "))
        self.assertIn("Apache-2.0", (self.root / "usr/share/doc/ocilint/copyright").read_text())
        for shell, name in (("bash", "bash-completion/completions/ocilint"), ("zsh", "zsh/vendor-completions/_ocilint"),
                            ("fish", "fish/vendor_completions.d/ocilint.fish")):
            self.assertEqual((self.root / "usr/share" / name).read_text(), self.run_tool([kit.OCILINT, "completion", shell]))
        self.assertIn("language: 1", (self.root / "usr/share/doc/ocilint/policy.md").read_text())
        shipped = {path.name for path in (kit.ROOT / "policies").glob("*.yaml")}
        self.assertEqual({path.name for path in (self.root / "usr/share/ocilint/policies").glob("*.yaml")}, shipped)
        for path in self.root.rglob("*"):
            mode = path.stat().st_mode & 0o7777
            self.assertEqual(mode, 0o755 if path.is_dir() or path.name == "ocilint" and path.parent.name == "bin" else 0o644, path)

    @kit.needs("lintian")
    def test_lintian(self):
        got = subprocess.run(["lintian", "--allow-root", "--fail-on", "error", str(self.package)], text=True,
                             capture_output=True, check=False)
        self.assertEqual(got.returncode, 0, got.stdout + got.stderr)


if __name__ == "__main__":
    unittest.main()

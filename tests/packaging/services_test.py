"""The GitLab template run as its runner does, the hook of pre-commit, and shellcheck over all scripts."""

import re
import subprocess
import unittest

import kit


def yaml_of(name):
    try:
        import yaml
    except ImportError as error:
        raise unittest.SkipTest("no PyYAML") from error
    return yaml.safe_load((kit.ROOT / name).read_text())


class GitLab(kit.Workspace):
    def job(self, **variables):
        job = yaml_of("packaging/gitlab/ocilint.gitlab-ci.yml")[".ocilint"]
        # A runner joins the lines into one script under errexit and pipefail.
        return self.run_in(["bash", "-eo", "pipefail", "-c", "\n".join(job["script"])], job["variables"] | variables)

    def test_good_image(self):
        got = self.job(OCILINT_REF="oci:good", OCILINT_POLICY="p.yaml")
        self.assertEqual(got.status, 0, got.out + got.err)
        self.assertEqual(self.read("ocilint.env"), f"OCILINT_DIGEST={self.digest}\n")
        self.assertIn("<testsuite", self.read("ocilint.junit.xml"))

    def test_bad_image_keeps_its_reports(self):
        (self.folder / "ocilint.env").write_text("OCILINT_DIGEST=sha256:of-yesterday\n")
        got = self.job(OCILINT_REF="oci:bad", OCILINT_POLICY="p.yaml")
        self.assertEqual(got.status, 1)
        self.assertIsNone(self.read("ocilint.env"))
        self.assertIn("<failure", self.read("ocilint.junit.xml"))
        self.assertIn("/app/run", self.read("ocilint.quality.json"))

    def test_variables_are_options(self):
        got = self.job(OCILINT_REF="oci:bad", OCILINT_POLICY="p.yaml", OCILINT_SKIP="modes")
        self.assertNotEqual(got.status, 1)
        self.assertNotEqual(self.job(OCILINT_POLICY="p.yaml").status, 0)

    def test_artifacts_are_what_the_script_writes(self):
        job = yaml_of("packaging/gitlab/ocilint.gitlab-ci.yml")[".ocilint"]
        for name in job["artifacts"]["reports"].values():
            self.assertIn(name, "\n".join(job["script"]))


class PreCommit(kit.Workspace):
    def test_hook(self):
        hook, = yaml_of(".pre-commit-hooks.yaml")
        chosen = [name for name in (".ocilint.yaml", "a/.ocilint.yml", "policy.yaml", "x.ocilint.yaml", ".ocilint.yaml.bak")
                  if re.search(hook["files"], name)]
        self.assertEqual(chosen, [".ocilint.yaml", "a/.ocilint.yml"])
        (self.folder / ".ocilint.yaml").write_text(kit.POLICY)
        self.assertEqual(self.run_in([*hook["entry"].split(), ".ocilint.yaml"], {}).status, 0)
        (self.folder / ".ocilint.yaml").write_text(kit.POLICY.replace("deny:", "dney:"))
        got = self.run_in([*hook["entry"].split(), ".ocilint.yaml"], {})
        self.assertEqual(got.status, 2)
        self.assertIn(".ocilint.yaml:5:", got.err)

    @kit.needs("pre-commit", "git")
    def test_real_pre_commit(self):
        (self.folder / ".ocilint.yaml").write_text(kit.POLICY.replace("deny:", "dney:"))
        hooks = self.folder / "hooks"
        hooks.mkdir()
        (hooks / ".pre-commit-hooks.yaml").write_text((kit.ROOT / ".pre-commit-hooks.yaml").read_text())
        git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org", "-c", "commit.gpgsign=false"]
        for folder in (hooks, self.folder):
            for words in (["init", "-q"], ["add", ".pre-commit-hooks.yaml" if folder == hooks else ".ocilint.yaml"],
                          ["commit", "-q", "-m", "x"]):
                subprocess.run([*git, *words], cwd=folder, check=True, capture_output=True)
        got = self.run_in(["pre-commit", "try-repo", str(hooks), "ocilint-policy", "--all-files"], {})
        self.assertEqual(got.status, 1)
        self.assertIn("did you mean 'deny'", got.out)
        (self.folder / ".ocilint.yaml").write_text(kit.POLICY)
        got = self.run_in(["pre-commit", "try-repo", str(hooks), "ocilint-policy", "--all-files"], {})
        self.assertEqual(got.status, 0, got.out)
        self.assertIn("Passed", got.out)


class Scripts(unittest.TestCase):
    @kit.needs("shellcheck")
    def test_shellcheck(self):
        scripts = [path for folder in ("packaging", "scripts", ".ci") for path in (kit.ROOT / folder).rglob("*")
                   if path.is_file() and path.read_bytes().startswith(b"#!/usr/bin/env bash")]
        self.assertGreaterEqual(len(scripts), 6)
        got = subprocess.run(["shellcheck", *map(str, scripts)], text=True, capture_output=True, check=False)
        self.assertEqual(got.returncode, 0, got.stdout)


if __name__ == "__main__":
    unittest.main()

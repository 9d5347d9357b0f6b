"""Completion in the real shells: what they offer, and what a TAB at a prompt makes of a line."""

import os
import pty
import re
import select
import signal
import subprocess
import time
import unittest

import kit

TRANSPORTS = {"oci:", "oci-archive:", "docker-archive:", "dir:", "docker://", "docker-daemon:"}


def script(shell):
    return subprocess.run([kit.OCILINT, "completion", shell], text=True, capture_output=True, check=True).stdout


def listed(words):
    out = subprocess.run([kit.OCILINT, *words], text=True, capture_output=True, check=True).stdout
    return {line.split()[0] for line in out.splitlines() if line.strip()}


class Terminal:
    """An interactive shell on a terminal of its own; `press` types a line and returns its words as the shell has them."""

    def __init__(self, words, environment, folder, setup):
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            os.chdir(folder)
            os.execvpe(words[0], words, environment)
        os.write(self.fd, setup.encode() + b"\necho re''ady\n")
        self.until(r"ready\r?\n")

    def until(self, pattern, seconds=30):
        seen, end = "", time.monotonic() + seconds
        while not re.search(pattern, seen):
            if not select.select([self.fd], [], [], max(0, end - time.monotonic()))[0]:
                raise AssertionError(f"no {pattern!r} in {seen!r}")
            seen += os.read(self.fd, 65536).decode(errors="replace")
        return seen

    def press(self, keys):
        # The shell reads what is typed ahead in order, so that nothing must be waited for.
        os.write(self.fd, keys.encode() + b"\x01printf '[%s]' \x05; echo '[e''nd]'\n")
        seen = self.until(r"\[end\]")
        found = re.findall(r"(\[ocilint\](?:\[[^\]\r\n]*\])*)\[end\]", seen)
        return re.findall(r"\[([^\]]*)\]", found[-1]) if found else seen

    def close(self):
        os.kill(self.pid, signal.SIGKILL)
        os.waitpid(self.pid, 0)
        os.close(self.fd)


class Completion(kit.Workspace):
    shell = None

    def setUp(self):
        super().setUp()
        (self.folder / "script").write_text(script(self.shell))
        (self.folder / "with space").mkdir()
        (self.folder / "x.tar").write_text("")

    def environment(self):
        return {"PATH": f"{self.bin}:/usr/bin:/bin", "HOME": str(self.folder), "TERM": "dumb", "LC_ALL": "C.UTF-8"}

    def terminal(self, words, setup):
        terminal = Terminal(words, self.environment(), self.folder, setup)
        self.addCleanup(terminal.close)
        return terminal

    def check_terminal(self, terminal):
        for keys, wanted in (("ocilint chec\t", ["ocilint", "check"]),
                             ("ocilint explain layer-o\t", ["ocilint", "explain", "layer-order"]),
                             ("ocilint check oci:goo\t", ["ocilint", "check", "oci:good/"]),
                             ("ocilint check --polic\tdebian-b\t", ["ocilint", "check", "--policy", "debian-baseline"]),
                             ("ocilint check --fail-on=warn\t", ["ocilint", "check", "--fail-on=warning"]),
                             ("ocilint check -o json=p.y\t", ["ocilint", "check", "-o", "json=p.yaml"]),
                             ("ocilint check docker-a\tx.t\t", ["ocilint", "check", "docker-archive:x.tar"]),
                             ("ocilint check --with base=oci:goo\t", ["ocilint", "check", "--with", "base=oci:good/"]),
                             ("ocilint policy valid\tp.y\t", ["ocilint", "policy", "validate", "p.yaml"]),
                             ("ocilint check -p p.yaml --only mo\t", ["ocilint", "check", "-p", "p.yaml", "--only", "modes"]),
                             ("ocilint explain -p p.yaml mo\t", ["ocilint", "explain", "-p", "p.yaml", "modes"]),
                             ("ocilint check oci:with\t", ["ocilint", "check", "oci:with space/"])):
            with self.subTest(keys):
                self.assertEqual(self.usual(terminal.press(keys)), self.usual(wanted))

    def usual(self, words):
        return words

    def check_offers(self, offers):
        help_text = subprocess.run([kit.OCILINT, "--help"], text=True, capture_output=True, check=True).stdout
        verbs = set(re.findall(r"^  ([a-z]+)  ", help_text.split("ommands:\n")[1], re.M))
        self.assertEqual(offers("ocilint "), verbs)
        self.assertGreaterEqual(len(verbs), 15)
        self.assertEqual(offers("ocilint check --fail-on "), {"error", "warning", "note"})
        self.assertEqual(offers("ocilint check --view s"), {"spec"})
        of_shipped = set().union(*(listed(["policy", "checks", name]) for name in listed(["policy", "list"])))
        self.assertEqual(offers("ocilint explain "), listed(["rules"]) | of_shipped)
        self.assertEqual(offers("ocilint explain -p p.yaml "), {"modes"})
        self.assertLessEqual(listed(["policy", "list"]), offers("ocilint check -p "))
        self.assertIn("p.yaml", offers("ocilint check -p "))
        self.assertIn("sarif", offers("ocilint check -o "))
        self.assertEqual(offers("ocilint check --only "), listed(["policy", "checks", "debian-baseline", "image-secrets"]))
        self.assertEqual(offers("ocilint check -p p.yaml --only "), {"modes"})
        self.assertEqual(offers("ocilint check x.tar --policy=p.yaml -p rocm-vllm --skip "),
                         {"modes"} | listed(["policy", "checks", "rocm-vllm"]))
        self.assertIn("a,hsa-is-one-file", offers("ocilint check -p rocm-vllm --only a,hsa-is"))
        self.assertEqual(offers("ocilint check -p script --only "), set(), "a policy that cannot be loaded has no checks")
        (self.folder / ".ocilint.yaml").write_text(kit.POLICY.replace("id: modes", "id: of-the-folder"))
        self.assertEqual(offers("ocilint check --only "), {"of-the-folder"})
        self.assertIn("of-the-folder", offers("ocilint explain "))
        self.assertLessEqual(TRANSPORTS, offers("ocilint check "))
        self.assertIn("x.tar", offers("ocilint check "))
        self.assertLessEqual(TRANSPORTS, offers("ocilint check -p policy.yaml one "), "check takes several")
        self.assertTrue(offers("ocilint ls x.tar ").isdisjoint(TRANSPORTS), "the second operand is a path of the image")
        self.assertEqual(offers("ocilint completion "), {"bash", "zsh", "fish"})
        self.assertIn("list", offers("ocilint policy "))
        self.assertIn("--authfile", offers("ocilint check --auth"))
        self.assertEqual(offers("ocilint check docker://registry.example.org/a"), set())


@kit.needs("bash")
class Bash(Completion):
    shell = "bash"

    def offers(self, line):
        words = re.findall(r"[:=]+|[^\s:=]+", line) + ([""] if line.endswith(" ") else [])
        quoted = " ".join("'%s'" % word for word in words)
        cut = re.search(r"[^\s]*$", line).group()
        lead = cut[:max(cut.rfind(":"), cut.rfind("=")) + 1]
        code = (f"source ./script; COMP_WORDBREAKS=$' \\t\\n\"\\'><=;|&(:'; COMP_LINE='{line}'; COMP_POINT={len(line)}; "
                f"COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _ocilint ocilint; printf '%s\\n' \"${{COMPREPLY[@]}}\"")
        got = self.run_in(["bash", "--norc", "-c", code], {})
        self.assertEqual((got.status, got.err), (0, ""))
        return {lead + word for word in got.out.splitlines() if word}

    def test_offers(self):
        self.check_offers(self.offers)
        self.assertEqual(self.offers("ocilint check --fail-on=n"), {"--fail-on=note"})

    def test_terminal(self):
        self.check_terminal(self.terminal(["bash", "--norc", "--noprofile", "-i"], "PS1=; source ./script"))

    @kit.needs("shellcheck")
    def test_shellcheck(self):
        got = self.run_in(["shellcheck", "-s", "bash", "-e", "SC2034,SC2207", "script"], {})
        self.assertEqual(got.status, 0, got.out)


@kit.needs("zsh")
class Zsh(Completion):
    shell = "zsh"

    def usual(self, words):
        # zsh writes --policy=NAME, and takes the slash behind a folder away when the line ends there.
        return " ".join(words).replace("=", " ").rstrip("/")

    def test_terminal(self):
        setup = ("PS1= PS2= RPS1=; unsetopt zle_bracketed_paste prompt_cr prompt_sp list_beep; bindkey -e; autoload -U compinit; "
                 "compinit -u -D; source ./script")
        terminal = self.terminal(["zsh", "-f", "-i"], setup)
        self.check_terminal(terminal)
        self.assertEqual(terminal.press("ocilint check -p rocm-vllm --only hsa-is-o\t"),
                         ["ocilint", "check", "-p", "rocm-vllm", "--only", "hsa-is-one-file"])

    def test_syntax(self):
        self.assertEqual(self.run_in(["zsh", "-n", "script"], {}).err, "")

    def test_autoload(self):
        (self.folder / "functions").mkdir()
        (self.folder / "script").rename(self.folder / "functions/_ocilint")
        setup = ("PS1= PS2=; unsetopt zle_bracketed_paste prompt_cr prompt_sp; bindkey -e; fpath=($PWD/functions $fpath); "
                 "autoload -U compinit; compinit -u -D")
        terminal = self.terminal(["zsh", "-f", "-i"], setup)
        self.assertEqual(terminal.press("ocilint expl\tlayer-o\t"), ["ocilint", "explain", "layer-order"])


@kit.needs("fish")
class Fish(Completion):
    shell = "fish"

    def offers(self, line):
        got = self.run_in(["fish", "--no-config", "-c", f"source ./script; complete -C '{line}'"], {})
        self.assertEqual((got.status, got.err), (0, ""))
        return {word.split("\t")[0] for word in got.out.splitlines()}

    def test_offers(self):
        self.check_offers(self.offers)
        self.assertEqual(self.offers("ocilint check oci:goo"), {"oci:good/"})
        self.assertEqual(self.offers("ocilint check docker-archive:x"), {"docker-archive:x.tar"})
        self.assertEqual(self.offers("ocilint check --with base=oci:goo"), {"base=oci:good/"})
        self.assertIn("json=p.yaml", self.offers("ocilint check -o json=p"))

    def test_syntax(self):
        self.assertEqual(self.run_in(["fish", "--no-execute", "script"], {}).err, "")


if __name__ == "__main__":
    unittest.main()

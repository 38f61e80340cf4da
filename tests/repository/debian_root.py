"""A Debian in a folder: made by debootstrap from the mirrors that apt of this machine uses, its commands run in a chroot."""

import os
import re
import shutil
import subprocess
import unittest
from pathlib import Path

# What a proxy or a certificate of this machine's apt is called in its configuration.
REACH = re.compile(r'^(Acquire::https?(?:::[^: ]+)*::(?:Proxy|CaInfo|Verify-\w+)) "(.+)";$', re.MULTILINE)
# In a mount namespace of its own, so that nothing stays mounted: $0 is the folder, then pairs SOURCE TARGET up to --.
ENTER = """mount -t proc proc "$0/proc"; mount --rbind /dev "$0/dev"
while [ "$1" != -- ]; do mkdir -p "$0$2"; mount --bind "$1" "$0$2"; shift 2; done
shift; root=$0; exec chroot --groups= "$root" "$@" """
PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def output(*words):
    return subprocess.run(words, capture_output=True, text=True, check=True).stdout


def mirrors(suite):
    """Lines of sources.list: Debian's own archives of that release (with updates and security), as apt of this machine knows them."""
    lines = output("apt-get", "indextargets", "--format", "$(CREATED_BY)|$(ORIGIN)|$(REPO_URI)|$(RELEASE)|$(COMPONENT)").splitlines()
    found = [line.split("|")[2:] for line in lines if line.startswith("Packages|Debian|")]
    return sorted({f"deb {address} {release} {part}" for address, release, part in found if release.split("-")[0] == suite})


def needs_debootstrap(suite):
    """Skips the test, with a plain reason, where no Debian can be made."""
    if os.getuid() != 0:
        raise unittest.SkipTest("only root can make a Debian in a folder")
    for tool, package in {"debootstrap": "debootstrap", "apt-get": "apt", "unshare": "util-linux"}.items():
        if not shutil.which(tool):
            raise unittest.SkipTest(f"{tool} is missing (Debian package {package})")
    if not any(line.split()[2] == suite for line in mirrors(suite)):
        raise unittest.SkipTest(f"apt of this machine knows no mirror of Debian {suite}")


class DebianRoot:
    """folder: where it is; minutes of network and disk."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.binds = {}  # folders of this machine, and where the chroot shows them

    @classmethod
    def made(cls, folder, suite):
        """A minimal Debian of that release; skips the test where its packages cannot be reached."""
        needs_debootstrap(suite)
        settings = REACH.findall(output("apt-config", "dump"))
        proxies = {name.split("::")[1] + "_proxy": value for name, value in settings if re.match(r"Acquire::https?::Proxy$", name)}
        lines = mirrors(suite)
        mirror = next(line.split()[1] for line in lines if line.split()[2] == suite)
        made = subprocess.run(["debootstrap", "--variant=minbase", suite, folder, mirror], capture_output=True, text=True,
                              env=os.environ | proxies)
        if made.returncode != 0:
            raise unittest.SkipTest(f"debootstrap failed: {(made.stdout + made.stderr).strip().splitlines()[-1]}")
        apt = Path(folder) / "etc/apt"
        (apt / "sources.list").write_text("\n".join(lines) + "\n")
        (apt / "apt.conf.d/99reach").write_text("".join(f'{name} "{value}";\n' for name, value in settings))
        return cls(folder)

    def bind_compiler_cache(self):
        """This machine's ccache, if there is one, for root."""
        if shutil.which("ccache"):
            cache = Path(output("ccache", "--get-config", "cache_dir").strip())
            cache.mkdir(parents=True, exist_ok=True)
            self.binds[str(cache)] = "/root/.cache/ccache"

    def run(self, *words, folder="/"):
        """What subprocess.run gives for the words, run in the chroot."""
        pairs = [word for pair in self.binds.items() for word in pair]
        settings = {"PATH": PATH, "HOME": "/root", "LANG": "C.UTF-8", "DEBIAN_FRONTEND": "noninteractive"}
        return subprocess.run(["unshare", "--mount", "sh", "-ec", ENTER, self.folder, *pairs, "--", "env", "-i",
                               *(f"{name}={value}" for name, value in settings.items()), "sh", "-ec", 'cd "$0"; exec "$@"', folder, *words],
                              capture_output=True, text=True)

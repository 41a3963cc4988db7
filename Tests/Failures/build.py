"""Builds what is tested."""
import functools
import itertools
import os
import pathlib
import shutil
import subprocess

import control
from host import Host

HERE = pathlib.Path(__file__).resolve().parent
SHIM = HERE.parent.parent / "Sources" / "CHTTPShim"


class Built:
    """The host and the injector, in a folder of their own."""

    def __init__(self, folder, library):
        self.folder, self.hosts = folder, itertools.count()
        self.program, self.injector = str(folder / "host"), str(folder / "inject.so")
        flags = ["-g", "-O1", "-std=gnu11", "-Wall", "-Wextra", "-Werror"]
        self.environment = {}
        search = dict(os.environ)
        if library:
            search["PKG_CONFIG_PATH"] = f"{library}/lib/pkgconfig"
            self.environment["LD_LIBRARY_PATH"] = f"{library}/lib"
        asked = subprocess.run(["pkg-config", "--cflags", "--libs", "libmicrohttpd"], env=search, check=True,
                               capture_output=True, text=True).stdout.split()
        includes = [flag for flag in asked if flag.startswith("-I")]
        compiler = os.environ.get("CC") or shutil.which("cc") or "clang"
        # No sibling calls: each function on the way is to be on the stack.
        subprocess.run([compiler, *flags, "-fno-optimize-sibling-calls", f"-I{SHIM / 'include'}", "-o", self.program,
                        HERE / "host.c", *sorted(SHIM.glob("*.c")), *asked, "-pthread", "-ldl"], check=True)
        subprocess.run([compiler, *flags, "-fPIC", "-shared", "-o", self.injector, HERE / "inject.c", *includes, "-ldl"],
                       check=True)

    def host(self, limits):
        page = control.Control(self.folder / f"control-{next(self.hosts)}")
        return Host(self.program, self.injector, page, limits, self.environment)

    @functools.lru_cache(maxsize=None)
    def where(self, frame):
        """A frame of a stack, in words."""
        module, address = frame >> 56, frame & (1 << 56) - 1
        if module != 1:
            return "libmicrohttpd"
        if not shutil.which("addr2line"):
            return hex(address)
        found = subprocess.run(["addr2line", "-f", "-s", "-e", self.program, hex(address - 1)], capture_output=True,
                               text=True, check=False).stdout.split("\n")
        return f"{found[0]} {found[1].split(' ')[0]}"

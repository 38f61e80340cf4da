"""A Slurm of one node on this machine's loopback, in a temporary folder, of the calling user, for as long as a test needs it."""

import ctypes
import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

TOOLS = ["munged", "slurmctld", "slurmd", "sbatch", "scancel", "scontrol", "sinfo", "squeue"]
PACKAGES = "slurmctld slurmd slurm-client munge"
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"
PR_SET_PDEATHSIG, PR_SET_CHILD_SUBREAPER, CLONE_NEWUTS = 1, 36, 0x04000000

# With the two NoInAddrAny the daemons listen on the address that the host's name leads to, and nowhere else. A requeued
# job waits for cred_expire seconds.
CONFIGURATION = """ClusterName=rarefact
SlurmctldHost=localhost({address})
SlurmctldPort={control_port}
SlurmdPort={node_port}
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmUser={user}
SlurmdUser={user}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket,cred_expire=5
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
SwitchType=switch/none
MpiDefault=none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1
MailProg=/bin/true
ReturnToService=2
NodeName=node NodeHostname={host} NodeAddr={address} {hardware} State=UNKNOWN
PartitionName=all Nodes=node Default=YES MaxTime=INFINITE State=UP
"""


def own_loopback_address():
    """The loopback address that this host's name, in full and in short, leads to; None if it leads elsewhere or nowhere."""
    try:
        addresses = {socket.gethostbyname(name) for name in (socket.gethostname(), socket.gethostname().split(".")[0])}
    except OSError:
        return None
    address = addresses.pop()
    return address if not addresses and address.startswith("127.") else None


def loopback_address():
    """The same; where there is none the host is called localhost by this process and what it starts, if it may do that."""
    address = own_loopback_address()
    if address is None:
        name = socket.gethostname()
        if ctypes.CDLL(None).unshare(CLONE_NEWUTS) == 0:
            socket.sethostname("localhost")
            address = own_loopback_address()
        if address is None:
            raise unittest.SkipTest(f"Slurm would listen on other addresses than the loopback: {name} does not lead to 127.*")
    return address


def free_ports(address, count):
    sockets = [socket.socket() for _ in range(count)]
    for each in sockets:
        each.bind((address, 0))
    ports = [each.getsockname()[1] for each in sockets]
    for each in sockets:
        each.close()
    return ports


def children():
    """The ids of this process's children."""
    return [int(pid) for pid in Path("/proc/thread-self/children").read_text().split()]


def stop_when_the_test_is_killed():
    """For a child before it becomes a daemon: CTest ends a test that takes too long without asking it."""
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


class PrivateSlurm:
    """start() makes it run or skips the test with the reason; stop() leaves no process and no file of it."""

    def __init__(self):
        self.daemons = []
        self.scratch = tempfile.TemporaryDirectory(prefix="rarefact-slurm-")
        self.folder = Path(self.scratch.name)
        self.environment = {
            name: value for name, value in os.environ.items() if not name.startswith(("SLURM_", "SBATCH_", "SQUEUE_"))
        } | {"PATH": PATH, "SLURM_CONF": f"{self.folder}/slurm.conf"}

    def start(self):
        missing = [tool for tool in TOOLS if shutil.which(tool, path=PATH) is None]
        if missing:
            raise unittest.SkipTest(f"{', '.join(missing)} missing (Debian packages {PACKAGES})")
        address = loopback_address()
        # What Slurm starts and leaves behind becomes this process's child, so that stop() can find it.
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1)
        self.folder.chmod(0o755)  # munge wants its socket's folder open to all
        key = self.folder / "munge.key"
        key.touch(0o600)
        key.write_bytes(os.urandom(128))
        hardware = self.output("slurmd", "-C").split("\n", 1)[0].split(" ", 1)[1]
        control_port, node_port = free_ports(address, 2)
        (self.folder / "slurm.conf").write_text(
            CONFIGURATION.format(
                folder=self.folder, address=address, control_port=control_port, node_port=node_port, hardware=hardware,
                user=pwd.getpwuid(os.geteuid()).pw_name, host=socket.gethostname().split(".")[0],
            )
        )
        for folder in ("state", "spool"):
            (self.folder / folder).mkdir(0o755)
        paths = [f"--{name}={self.folder}/munge.{end}" for name, end in
                 (("key-file", "key"), ("socket", "socket"), ("pid-file", "pid"), ("log-file", "log"), ("seed-file", "seed"))]
        self.daemon("munged", "--foreground", *paths)
        self.wait_for("munged", lambda: (self.folder / "munge.socket").exists(), 20)
        self.daemon("slurmctld", "-D")
        self.daemon("slurmd", "-D", "-N", "node")
        self.wait_for("slurmd", lambda: "idle" in self.run("sinfo", "--noheader", "--format=%T").stdout.split(), 60)

    def daemon(self, *command):
        with open(self.folder / f"{command[0]}.out", "wb") as log:
            self.daemons.append(subprocess.Popen(
                command, env=self.environment, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log,
                stderr=subprocess.STDOUT, preexec_fn=stop_when_the_test_is_killed,
            ))

    def wait_for(self, name, ready, seconds):
        deadline = time.monotonic() + seconds
        while not ready():
            ended = [each.args[0] for each in self.daemons if each.poll() is not None]
            if ended or time.monotonic() > deadline:
                what = f"{ended[0]} does not run here" if ended else f"{name} was not ready after {seconds} s"
                raise unittest.SkipTest(f"{what}:\n{self.logs(ended[0] if ended else name)}")
            time.sleep(0.2)

    def logs(self, *names):
        """The ends of the daemons' logs."""
        text = ""
        for name in names or ("slurmctld", "slurmd"):
            path = self.folder / f"{name}.out"
            if path.is_file() and path.stat().st_size > 0:
                text += f"--- {name}\n" + "\n".join(path.read_text(errors="replace").splitlines()[-12:]) + "\n"
        return text

    def run(self, *command, **more):
        return subprocess.run(command, env=self.environment | more.pop("env", {}), cwd=more.pop("cwd", self.folder),
                              capture_output=True, text=True, timeout=60)

    def output(self, *command, **more):
        """What a command printed; it must have ended with 0."""
        run = self.run(*command, **more)
        if run.returncode != 0:
            raise AssertionError(f"{' '.join(map(str, command))}: {run.stdout}{run.stderr}")
        return run.stdout

    def submit(self, *arguments, **more):
        """sbatch; the job's number."""
        return self.output("sbatch", "--parsable", *arguments, **more).strip()

    def queue(self, job):
        """The tasks of a job that have not ended: their names such as 7_2 and states, one by one."""
        lines = self.run("squeue", "--noheader", "--array", "--states=all", "--format=%i %T", f"--jobs={job}").stdout
        ended = ("COMPLETED", "CANCELLED", "FAILED", "TIMEOUT", "NODE_FAIL", "OUT_OF_MEMORY", "BOOT_FAIL")
        return {name: state for name, state in map(str.split, lines.splitlines()) if state not in ended}

    def details(self, job):
        """What Slurm knows of every task of a job, as scontrol prints it: JobState, Restarts, ExitCode ..."""
        lines = self.output("scontrol", "--oneliner", "show", "job", job).splitlines()
        return [dict(word.split("=", 1) for word in line.split() if "=" in word) for line in lines]

    def stop(self):
        # A second call finds nothing to do.
        if len(self.daemons) == 3 and all(each.poll() is None for each in self.daemons):
            self.run("scancel", "--full", "--signal=KILL", "--user", pwd.getpwuid(os.geteuid()).pw_name)
            self.run("scancel", "--user", pwd.getpwuid(os.geteuid()).pw_name)
            deadline = time.monotonic() + 20
            while self.run("squeue", "--noheader").stdout and time.monotonic() < deadline:
                time.sleep(0.2)
        for daemon in reversed(self.daemons):
            daemon.terminate()
            try:
                daemon.wait(timeout=15)
            except subprocess.TimeoutExpired:
                daemon.kill()
                daemon.wait()
        self.daemons = []
        # Watchers of jobs (slurmstepd), and their jobs once they are gone.
        while left := children():
            for pid in left:
                os.kill(pid, signal.SIGKILL)
                os.waitpid(pid, 0)
        self.scratch.cleanup()

"""The page through which inject.c is told what to fail, and tells what it saw."""
import ctypes
import errno
import mmap
import os

MOST_FRAMES, MOST_LEARNED, MOST_FUNCTIONS = 14, 4096, 64
OFF, LEARN, FAIL = 0, 1, 2
FOR_EVER = 0xFFFFFFFF

# Whoever calls one of these is the program before or after it serves, or while it does.
STARTING, SERVING, STOPPING = 0, 1, 2

# What the kernel says where a call fails; ENOMEM for those that are not here.
ERRORS = {
    "epoll_create1": [errno.EMFILE], "epoll_wait": [errno.EINTR], "eventfd": [errno.EMFILE],
    "accept4": [errno.EMFILE, errno.ENOMEM, errno.ECONNABORTED, errno.EINTR], "socket": [errno.EMFILE],
    "bind": [errno.EADDRINUSE, errno.EACCES], "listen": [errno.EADDRINUSE], "getsockname": [errno.ENOBUFS],
    "sendto": [errno.ECONNRESET, errno.ENOBUFS, errno.EINTR], "recvfrom": [errno.ECONNRESET, errno.EINTR],
    "sendmsg": [errno.EPIPE, errno.ENOBUFS, errno.EINTR], "fcntl": [errno.EMFILE],
    "ioctl": [errno.EINVAL], "shutdown": [errno.ENOTCONN],
    "close": [errno.EIO], "read": [errno.EINTR, errno.EAGAIN], "write": [errno.EINTR],
    "pthread_create": [errno.EAGAIN], "getrandom": [errno.EINTR], "clock_gettime": [errno.EINVAL],
    "getrlimit": [errno.EINVAL], "setrlimit": [errno.EPERM], "sysconf": [errno.EINVAL],
}


class Learned(ctypes.Structure):
    _fields_ = [
        ("stack", ctypes.c_uint64), ("function", ctypes.c_uint32), ("phase", ctypes.c_uint32),
        ("count", ctypes.c_uint32), ("depth", ctypes.c_uint32), ("frames", ctypes.c_uint64 * MOST_FRAMES)]


class Page(ctypes.Structure):
    _fields_ = [
        ("mode", ctypes.c_uint32), ("function", ctypes.c_uint32), ("stack", ctypes.c_uint64),
        ("times", ctypes.c_uint32), ("error", ctypes.c_int32), ("phase", ctypes.c_uint32),
        ("failed", ctypes.c_uint32), ("blocks", ctypes.c_int64),
        ("learned_count", ctypes.c_uint32),
        ("names", (ctypes.c_char * 64) * MOST_FUNCTIONS), ("learned", Learned * MOST_LEARNED)]


class Control:
    """A page of one host."""

    def __init__(self, path):
        self.path = path
        with open(path, "wb") as file:
            file.truncate(ctypes.sizeof(Page))
        descriptor = os.open(path, os.O_RDWR)
        self.memory = mmap.mmap(descriptor, ctypes.sizeof(Page))
        os.close(descriptor)
        self.page = Page.from_buffer(self.memory)

    def close(self):
        del self.page
        self.memory.close()
        os.unlink(self.path)

    def learned(self):
        """Each call that was seen: number, function, stack, phase, frames."""
        page = self.page
        return [
            (call.function, page.names[call.function].value.decode(), call.stack, call.phase,
             tuple(call.frames[:call.depth])) for call in page.learned[:page.learned_count]]

    def learn(self, phase):
        self.page.phase = phase
        self.page.mode = LEARN

    def fail(self, call, times, error):
        """The call's next uses."""
        page = self.page
        page.mode = OFF
        page.function, page.stack, page.times, page.error = call.number, call.stack, times, error
        page.seen = page.failed = 0
        page.mode = FAIL

    def rest(self):
        self.page.mode = OFF
        return self.page.failed
